import type { ResultOf, ScriptType } from "#contract/checks/index.ts";
import type { PlaywrightTest } from "#contract/checks/playwright-run.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel, type Tone } from "../../../view/state-label.ts";
import { durationText } from "../../../view/units.ts";
import { part } from "../../facts.ts";
import { scrolled } from "./wide-table.ts";

const texts = scriptRunTexts.tests;
const tones: Readonly<Record<PlaywrightTest["status"], Tone>> = {
  passed: "ok",
  flaky: "warn",
  skipped: "none",
  failed: "bad",
  timedOut: "bad",
  interrupted: "bad",
};

/** Those that failed first. */
export function tests({ tests: all, degradedBy }: ResultOf<ScriptType>): Html {
  const row = ({ title, status, durationMs, retries, project }: PlaywrightTest): Html =>
    html`<tr><td>${stateLabel(tones[status], texts.outcomes[status])}</td><td class="free">${title}${project !== null && project !== "" && html` <span class="soft">${project}</span>`}</td><td class="time">${durationText(durationMs)}</td><td>${retries}</td></tr>`;
  const inOrder = all.toSorted((one, other) => Number(tones[other.status] === "bad") - Number(tones[one.status] === "bad"));
  const allSkipped = all.length > 0 && all.every(({ status }) => status === "skipped");
  const told = [...(allSkipped ? [texts.allSkipped] : []), ...(degradedBy ?? []).map(texts.degradedBy)];
  return part(
    texts.title,
    ...told.map((text) => html`<p>${stateLabel("warn", text)}</p>`),
    scrolled(texts.title, texts.columns, inOrder.map(row)),
  );
}
