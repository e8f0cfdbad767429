import { html } from "../view/html.ts";

/** Every English text of the page that shows a check as code. */
export const checkCodeTexts = {
  checks: "Checks",
  title: (name: string) => `${name} as code`,
  withoutSecrets: "Secret and locked values are not in it.",
  yaml: "YAML",
  yamlHint: html`For <code>outpost apply</code>. What it names (a group, channels, snippets) must be there; secrets come from the environment.`,
  asYaml: "The check as YAML",
  curl: "curl",
  curlHint: html`Makes the same check once more in this account, with a key of READ_WRITE in <code>OUTPOST_API_KEY</code>. Put secrets in the place of asterisks.`,
  asCurl: "The check as a curl command",
} as const;
