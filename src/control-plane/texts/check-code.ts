import { html } from "../view/html.ts";

/** Every English text of the page that shows a check as code. */
export const checkCodeTexts = {
  checks: "Checks",
  title: (name: string) => `${name} as code`,
  withoutSecrets: "Secret and locked values are left out.",
  yaml: "YAML",
  yamlHint: html`For <code>outpost apply</code>. The group, channels and snippets it names must exist. Secrets come from the environment.`,
  asYaml: "The check as YAML",
  curl: "curl",
  curlHint: html`Creates a copy of this check in this account, with a key that can read and write in <code>OUTPOST_API_KEY</code>. Replace asterisks with the secrets.`,
  asCurl: "The check as a curl command",
} as const;
