import { type Html, html } from "../view/html.ts";

/** Every English text of the API reference, beside what the OpenAPI document says itself. */
export const apiReferenceTexts = {
  skip: "Skip to content",
  operations: "Operations",
  version: (version: string) => `API ${version}`,
  title: (product: string) => `${product} API reference`,
  lead: (product: string, document: Html) =>
    html`Every feature of ${product} is available through these operations. Bodies are JSON. The machine-readable description is at ${document}. Replace ids in the examples with your own.`,
  baseUrl: "Base URL",
  keys: "Keys",
  keyHeader: "Authorization: Bearer <key>",
  aboutKeys: (header: Html, account: Html) =>
    html`Send ${header}. A service key is bound to its account; with a user key the header ${account} names it.`,
  errors: "Errors",
  errorShape: "{statusCode, error, message, attributes?}",
  aboutErrors: (shape: Html) => html`Every error is ${shape}. The message names the field, what was received and what is allowed.`,
  lists: "Lists",
  aboutLists: (total: Html, next: Html) =>
    html`Paged lists are bare arrays with their total in ${total}. Cursor lists carry ${next}; null ends them.`,
  times: "Times",
  aboutTimes: "Every instant is ISO 8601 in UTC with milliseconds. Durations are milliseconds unless the field says otherwise.",
  limits: "Limits",
  aboutLimits: (setting: Html, header: Html) =>
    html`Requests are counted per key and class of operation. The setting ${setting} sets the limit. Above it, the response is 429 with ${header} in seconds.`,
  roles: "Roles",
  aboutRoles:
    "OWNER and ADMIN can do everything; READ_WRITE everything except keys and the audit log; READ_RUN can read and start runs; READ_ONLY can read. Only an OWNER can create and revoke OWNER keys.",
  schemas: "Schemas",
  places: { path: "Path", query: "Query", header: "Headers" },
  request: "Request",
  clickToSelect: "click to select",
  body: "Body",
  answer: "Response",
  statuses: "Statuses",
  required: "required",
  fields: "fields",
  or: " or ",
  orNull: " or null",
  arrayOf: (type: Html) => html`array of ${type}`,
  anyValue: "any value",
  characters: " characters",
  entries: " entries",
  default: "default",
} as const;
