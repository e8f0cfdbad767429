import { type Html, html } from "../view/html.ts";

type Link = (text: string) => Html;

/** Every English text of the page of API keys. */
export const apiKeyTexts = {
  title: "API keys",
  lead: (api: Link, locations: Link) =>
    html`What programs call the ${api("API")} with. Keys of agents are on the pages of their ${locations("locations")}.`,
  none: "There is no key.",
  done: { revoked: "The key is revoked; nobody gets in with it any more." },
  made: (name: string) => `The key ${name} is made.`,
  shownOnce: "It is shown only now:",
  kinds: { service: "service key", user: "user key" },
  kindChoices: { service: "Service key: bound to this account", user: "User key: each request names the account" },
  yours: (title: string) => `${title} (yours)`,
  neverUsed: (made: Html) => html`made ${made} · never used`,
  lastUsed: (made: Html, used: Html) => html`made ${made} · last used ${used}`,
  revokeQuestion: (title: string) => `Revoke ${title}? Whatever uses it is refused from then on.`,
  revokeOwnQuestion: (title: string) => `Revoke ${title}? Whatever uses it is refused from then on. You are signed in with it.`,
  makeHeading: "Make a key",
  makeIt: "Make the key",
  expires: (at: Html) => html`ends ${at}`,
  onlyFrom: (networks: string) => `only from ${networks}`,
  onlyFor: (scopes: string) => `only ${scopes}`,
  lastDay: "Last day",
  lastDayHint: "From the end of this day (UTC) on the key is refused. Empty: it has no end.",
  networks: "Networks",
  networksHint: "Addresses or networks that it may be used from, such as 10.0.0.0/8. Empty: any.",
  scopes: "Scopes",
  scopesHint: (resources: string) =>
    `What it may do at most, as resource:action, such as checks:read triggers:run. Actions: read, run, write. Resources: *, ${resources}. Empty: all that its role may.`,
  purpose: "What it is for",
  role: "Role",
  kind: "Kind",
  roles:
    "READ_ONLY reads all but keys and the audit log. READ_RUN also runs checks, READ_WRITE changes what is monitored, ADMIN also manages keys and members.",
} as const;
