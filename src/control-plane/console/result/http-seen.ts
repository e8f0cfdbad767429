import type { ApiCheckResult } from "#contract/checks/api.ts";
import { type Html, html } from "../../pages/html.ts";
import { resultSeenTexts } from "../../texts/result-seen.ts";
import { connectionFacts } from "./connection-facts.ts";
import { factList, headerTable, part, sizeText, verbatim } from "./facts.ts";
import { prettyJson } from "./json-text.ts";

const texts = resultSeenTexts.http;

/** Offsets of the response (`timings`) are not shown: the phases tell the same. */
export function httpSeen({ request, response, redirects, connection }: ApiCheckResult): Html {
  const redirected = redirects.map(({ status, location }) => html`<li><strong>${status}</strong> ${location}</li>`);
  const status = response === null ? null : html`<strong>${response.status}</strong> ${response.statusText}`;
  const size = response === null ? null : sizeText(response.bodyBytes, response.truncated);
  return html`${part(
    resultSeenTexts.request,
    factList([[texts.sent, html`<strong>${request.method}</strong> <span class="address">${request.url}</span>`]]),
    headerTable(texts.parameters, request.params),
    headerTable(texts.headers, request.headers),
    bodyText(request.data, texts.requestBody),
  )}
${part(
  resultSeenTexts.response,
  redirected.length === 0 ? html`` : html`<ol class="redirects" aria-label="${texts.redirects}">${redirected}</ol>`,
  factList([[resultSeenTexts.status, status], [resultSeenTexts.size, size], ...connectionFacts(connection)]),
  headerTable(texts.headers, response?.headers ?? {}),
  response?.bodyEncoding === "base64" ? noText(response.body, texts.body) : bodyText(response?.body ?? "", texts.responseBody),
)}`;
}

/** JSON is easier to read with a member to a line; as it came, it stands below. */
function bodyText(text: string, label: string): Html {
  const pretty = prettyJson(text);
  if (pretty === null) return verbatim(text, label);
  return html`${verbatim(pretty, texts.memberToLine(label))}<details><summary>${texts.asItCame}</summary>${verbatim(text, label)}</details>`;
}

/** Bytes that are no text, as they can be copied. */
export function noText(base64: string, what: string): Html {
  return html`<details><summary>${resultSeenTexts.inBase64(what)}</summary>${verbatim(base64, resultSeenTexts.base64Label(what))}</details>`;
}
