import type { ApiCheckResult } from "#contract/checks/api.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { type Html, html } from "../../../view/html.ts";
import { factList, noText, part, sizeText, verbatim } from "../../facts.ts";
import type { RunDetails } from "../check-type.ts";
import { connectionFacts } from "./connection-facts.ts";
import { prettyJson } from "./json-text.ts";

const texts = resultSeenTexts.http;

/** Larger ones are not searched once more for a page. */
const maxTextLength = 65_536;

/** Of checks that send a request over HTTP. */
export function httpDetails(seen: ApiCheckResult, responseTimeMs: number | null): RunDetails {
  const phases = seen.response?.timingPhases ?? {};
  return { shown: () => httpSeen(seen), tookMs: responseTimeMs, phases, facts: () => httpFacts(seen), scripts: seen };
}

function httpFacts({ response }: ApiCheckResult): ReturnType<RunDetails["facts"]> {
  if (response === null) return {};
  const { status, headers, body, bodyEncoding, truncated } = response;
  const isWhole = !truncated && bodyEncoding === undefined && body.length <= maxTextLength;
  return { statusCode: status, headers: lowerCased(headers), text: () => (isWhole ? body : "") };
}

function lowerCased(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), valueText(value)]));
}

/** Offsets of the response (`timings`) are not shown: the phases tell the same. */
function httpSeen({ request, response, redirects, connection }: ApiCheckResult): Html {
  const redirected = redirects.map(({ status, location }) => html`<li><strong>${status}</strong> ${location}</li>`);
  const status = response === null ? null : html`<strong>${response.status}</strong> ${response.statusText}`;
  const size = response === null ? null : sizeText(response.bodyBytes, response.truncated);
  return html`${part(
    resultSeenTexts.request,
    factList([[texts.sent, html`<strong>${request.method}</strong> <span class="address">${request.url}</span>`]]),
    headerTable(texts.parameters, request.params),
    headerTable(texts.requestHeaders, request.headers),
    bodyText(request.data, texts.requestBody),
  )}
${part(
  resultSeenTexts.response,
  redirected.length === 0 ? html`` : html`<ol class="redirects" aria-label="${texts.redirects}">${redirected}</ol>`,
  factList([[resultSeenTexts.status, status], [resultSeenTexts.size, size], ...connectionFacts(connection)]),
  headerTable(texts.responseHeaders, response?.headers ?? {}),
  response?.bodyEncoding === "base64" ? noText(response.body, texts.body) : bodyText(response?.body ?? "", texts.responseBody),
)}`;
}

/** JSON is easier to read with a member to a line; as it came, it stands below. */
function bodyText(text: string, label: string): Html {
  const pretty = prettyJson(text);
  if (pretty === null) return verbatim(text, label);
  return html`${verbatim(pretty, texts.memberToLine(label))}<details><summary>${texts.asItCame}</summary>${verbatim(text, label)}</details>`;
}

/** Names and values of headers, in a table that is shut at first. */
function headerTable(title: string, headers: Readonly<Record<string, unknown>>): Html {
  const rows = Object.entries(headers);
  if (rows.length === 0) return html``;
  return html`<details><summary>${texts.counted(title, rows.length)}</summary><div class="wide" tabindex="0" role="region" aria-label="${title}"><table class="names"><tbody>${rows.map(
    ([name, one]) => html`<tr><th scope="row">${name}</th><td>${valueText(one)}</td></tr>`,
  )}</tbody></table></div></details>`;
}

/** Several values of a name stand in one. */
function valueText(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : String(value);
}
