import { type Html, html } from "../view/html.ts";

type Link = (text: string) => Html;

/** Every English text of the page of API keys. */
export const apiKeyTexts = {
  title: "API keys",
  lead: (api: Link, locations: Link) =>
    html`Keys for programs that call the ${api("API")}. Agent keys are on the pages of their ${locations("locations")}.`,
  none: "No API keys yet.",
  done: { revoked: "Key revoked. It no longer works." },
  made: (name: string) => `Key ${name} created.`,
  shownOnce: "It is shown only once:",
  kinds: { service: "service key", user: "user key" },
  kindChoices: { service: "Service key: bound to this account", user: "User key: each request names the account" },
  yours: (title: string) => `${title} (yours)`,
  neverUsed: (made: Html) => html`created ${made} · never used`,
  lastUsed: (made: Html, used: Html) => html`created ${made} · last used ${used}`,
  revokeQuestion: (title: string) => `Revoke ${title}? Programs that use it will be refused.`,
  revokeOwnQuestion: (title: string) => `Revoke ${title}? Programs that use it will be refused. You are signed in with this key.`,
  makeHeading: "New key",
  makeIt: "Create key",
  expires: (at: Html) => html`expires ${at}`,
  onlyFrom: (networks: string) => `from ${networks} only`,
  onlyFor: (scopes: string) => `limited to ${scopes}`,
  lastDay: "Expiry date",
  lastDayHint: "The key expires at the end of this day (UTC). Leave empty for no expiry.",
  networks: "Allowed networks",
  networksHint: "Addresses or networks that may use the key, such as 10.0.0.0/8. Leave empty to allow any.",
  scopes: "Scopes",
  scopesHint: (resources: string) =>
    `Limits the key to resource:action pairs, such as checks:read triggers:run. Actions: read, run, write. Resources: *, ${resources}. Leave empty for everything that the role allows.`,
  purpose: "Description",
  role: "Role",
  kind: "Kind",
  roles:
    "Read only: read everything except keys and the audit log. Read and run: also run checks. Read and write: also edit. Admin: also manage keys and members.",
} as const;
