import type { ApiCheckResult } from "#contract/checks/api.ts";
import { type Html, html } from "../../pages/html.ts";
import { connectionFacts } from "./connection-facts.ts";
import { bytesText, factList, headerTable, part, verbatim } from "./facts.ts";
import { prettyJson } from "./json-text.ts";

/** Offsets of the response (`timings`) are not shown: the phases tell the same. */
export function httpSeen({ request, response, redirects, connection }: ApiCheckResult): Html {
  const redirected = redirects.map(({ status, location }) => html`<li><strong>${status}</strong> ${location}</li>`);
  const status = response === null ? null : html`<strong>${response.status}</strong> ${response.statusText}`;
  const size = response === null ? null : `${bytesText(response.bodyBytes)}${response.truncated ? ", more than is stored here" : ""}`;
  return html`${part(
    "Request",
    factList([["Sent", html`<strong>${request.method}</strong> <span class="address">${request.url}</span>`]]),
    headerTable("Query parameters", request.params),
    headerTable("Headers", request.headers),
    bodyText(request.data, "Body of the request"),
  )}
${part(
  "Response",
  redirected.length === 0 ? html`` : html`<ol class="redirects" aria-label="Redirects">${redirected}</ol>`,
  factList([["Status", status], ["Size", size], ...connectionFacts(connection)]),
  headerTable("Headers", response?.headers ?? {}),
  response?.bodyEncoding === "base64" ? noText(response.body, "body") : bodyText(response?.body ?? "", "Body of the response"),
)}`;
}

/** JSON is easier to read with a member to a line; as it came, it stands below. */
function bodyText(text: string, label: string): Html {
  const pretty = prettyJson(text);
  if (pretty === null) return verbatim(text, label);
  return html`${verbatim(pretty, `${label}, a member to a line`)}<details><summary>As it came</summary>${verbatim(text, label)}</details>`;
}

/** Bytes that are no text, as they can be copied. */
export function noText(base64: string, what: string): Html {
  return html`<details><summary>The ${what} is no text: in base64</summary>${verbatim(base64, `The ${what} in base64`)}</details>`;
}
