import type { ResultOf, ScriptType } from "#contract/checks/index.ts";
import type { PlaywrightConsoleLine, PlaywrightRequest } from "#contract/checks/playwright-run.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel } from "../../../view/state-label.ts";
import { durationText } from "../../../view/units.ts";
import { part } from "../../facts.ts";
import { scrolled } from "./wide-table.ts";

const { console: consoleTexts, network: texts } = scriptRunTexts;

export function consoleTable({ console: lines }: ResultOf<"BROWSER">): Html {
  const row = ({ atMs, level, text, url }: PlaywrightConsoleLine): Html => {
    const isBad = level === "error" || level === "exception";
    return html`<tr><td class="time">${durationText(Math.max(0, atMs))}</td><td>${isBad ? stateLabel("bad", level) : level}</td><td class="free">${text}${url !== null && html`<br><span class="soft">${url}</span>`}</td></tr>`;
  };
  return part(consoleTexts.title, scrolled(consoleTexts.label, consoleTexts.columns, lines.map(row)));
}

/** All requests, folded: a page may send hundreds. */
export function networkTable({ requests }: ResultOf<ScriptType>): Html {
  if (requests.length === 0) return html``;
  const table = scrolled(texts.label, texts.columns, requests.map(requestRow));
  return part(
    texts.title,
    html`<details${requests.length <= shownOpen && html` open`}><summary>${texts.counted(requests.length)}</summary>${table}</details>`,
  );
}

const shownOpen = 30;

function requestRow({ method, url, status, type, bytes, startMs, durationMs, fromCache, error }: PlaywrightRequest): Html {
  const isBad = error !== null || (status ?? 0) >= 400;
  const outcome = status === null ? texts.failed : String(status);
  const size = fromCache ? texts.cached : bytes === null ? texts.none : texts.size(bytes);
  return html`<tr><td class="free"><span class="address">${method} ${url}</span>${error !== null && html`<br><span class="soft">${error}</span>`}</td><td>${isBad ? stateLabel("bad", outcome) : outcome}</td><td>${type}</td><td class="time">${size}</td><td class="time">${durationText(Math.max(0, startMs))}</td><td class="time">${durationMs === null ? texts.none : durationText(durationMs)}</td></tr>`;
}
