import type { ResultOf, TestedType } from "#contract/checks/index.ts";
import type { PlaywrightConsoleLine, PlaywrightRequest } from "#contract/checks/playwright-run.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel } from "../../../view/state-label.ts";
import { durationText } from "../../../view/units.ts";
import { bytesText, part } from "../../facts.ts";
import { otherType, requestTypes } from "./request-types.ts";
import { sizeText } from "./size-text.ts";
import { scrolled } from "./wide-table.ts";

const { console: consoleTexts, network: texts } = scriptRunTexts;

export function consoleTable({ console: lines }: Pick<ResultOf<"BROWSER">, "console">): Html {
  const row = ({ atMs, level, text, url }: PlaywrightConsoleLine): Html => {
    const isBad = level === "error" || level === "exception";
    return html`<tr><td class="time">${durationText(Math.max(0, atMs))}</td><td>${isBad ? stateLabel("bad", level) : level}</td><td class="free">${text}${url !== null && html`<br><span class="soft">${url}</span>`}</td></tr>`;
  };
  return part(consoleTexts.title, scrolled(consoleTexts.label, consoleTexts.columns, lines.map(row)));
}

/** All requests, folded: a page may send hundreds. Those of one type, or that failed, are chosen without a script, by the style. */
export function networkTable({ requests }: ResultOf<TestedType>): Html {
  if (requests.length === 0) return html``;
  const table = scrolled(texts.label, texts.columns, requests.map(requestRow));
  return part(
    texts.title,
    html`<details class="network"${requests.length <= shownOpen && html` open`}><summary>${texts.counted(requests.length)}, ${sizesOf(requests)}</summary>${filter(requests)}${table}</details>`,
  );
}

const shownOpen = 30;

/** Nothing where it would leave all of them or none. */
function filter(requests: readonly PlaywrightRequest[]): Html {
  const byType = [...Map.groupBy(requests, ({ type }) => typeOf(type))].toSorted(([, one], [, other]) => other.length - one.length);
  const failed = requests.filter(hasFailed).length;
  const types = byType.map(
    ([type, some]) =>
      html`<label><input type="radio" name="type" value="${type}"> ${type} <span class="soft">${texts.ofType(some.length, sizesOf(some))}</span></label>`,
  );
  const all = html`<label><input type="radio" name="type" value="" checked> ${texts.all}</label>`;
  const onlyFailed = html`<label><input type="checkbox" class="only-failed"> ${texts.onlyFailed(failed)}</label>`;
  if (types.length < 2 && (failed === 0 || failed === requests.length)) return html``;
  return html`<fieldset class="filter"><legend class="hidden">${texts.filter}</legend>${types.length > 1 && [all, ...types]}${failed > 0 && failed < requests.length && onlyFailed}</fieldset>`;
}

/** As they travelled, without what came from the cache. */
function sizesOf(requests: readonly PlaywrightRequest[]): string {
  return bytesText(requests.reduce((sum, { bytes, fromCache }) => sum + (fromCache ? 0 : (bytes ?? 0)), 0));
}

function typeOf(type: string): string {
  return requestTypes.find((known) => known === type) ?? otherType;
}

function hasFailed({ error, status }: PlaywrightRequest): boolean {
  return error !== null || (status ?? 0) >= 400;
}

function requestRow(request: PlaywrightRequest): Html {
  const { method, url, status, type, startMs, durationMs, error } = request;
  const isBad = hasFailed(request);
  const outcome = status === null ? texts.failed : String(status);
  return html`<tr class="${typeOf(type)}${isBad && " failed"}"><td class="free"><span class="address">${method} ${url}</span>${error !== null && html`<br><span class="soft">${error}</span>`}</td><td>${isBad ? stateLabel("bad", outcome) : outcome}</td><td>${type}</td><td class="time">${sizeText(request)}</td><td class="time">${durationText(Math.max(0, startMs))}</td><td class="time">${durationMs === null ? texts.none : durationText(durationMs)}</td></tr>`;
}
