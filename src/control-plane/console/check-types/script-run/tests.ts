import type { ResultOf, TestedType } from "#contract/checks/index.ts";
import type { PlaywrightTest } from "#contract/checks/playwright-run.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel, type Tone } from "../../../view/state-label.ts";
import { durationText } from "../../../view/units.ts";
import { part } from "../../facts.ts";
import { scrolled } from "./wide-table.ts";

const texts = scriptRunTexts.tests;
/** How an outcome of a test is marked. */
export const testTones: Readonly<Record<PlaywrightTest["status"], Tone>> = {
  passed: "ok",
  flaky: "warn",
  skipped: "none",
  failed: "bad",
  timedOut: "bad",
  interrupted: "bad",
};

/** Those that failed first; of a project of many files by project and file, those with a failure first. */
export function tests({ tests: all, degradedBy }: ResultOf<TestedType>): Html {
  const inOrder = all.toSorted((one, other) => badness(other) - badness(one));
  const parts = Map.groupBy(inOrder, placeOf);
  const rows =
    parts.size < 2
      ? inOrder.map((one) => row(one, true))
      : [...parts].flatMap(([place, of]) => [head(place, of), ...of.map((one) => row(one, false))]);
  const allSkipped = all.length > 0 && all.every(({ status }) => status === "skipped");
  const told = [...(allSkipped ? [texts.allSkipped] : []), ...(degradedBy ?? []).map(texts.degradedBy)];
  return part(texts.title, ...told.map((text) => html`<p>${stateLabel("warn", text)}</p>`), scrolled(texts.title, texts.columns, rows));
}

function row({ title, status, durationMs, retries, project }: PlaywrightTest, tellsProject: boolean): Html {
  const label = stateLabel(testTones[status], texts.outcomes[status]);
  const of = tellsProject && project !== null && project !== "" && html` <span class="soft">${project}</span>`;
  return html`<tr><td>${label}</td><td class="free">${title}${of}</td><td class="time">${durationText(durationMs)}</td><td>${retries}</td></tr>`;
}

/** How many of a project's file passed, above its tests. */
function head(place: string, of: readonly PlaywrightTest[]): Html {
  const passed = of.filter((one) => badness(one) === 0).length;
  return html`<tr><th scope="rowgroup" colspan="${texts.columns.length}" class="free">${place} <span class="soft">${texts.passed(passed, of.length)}</span></th></tr>`;
}

function placeOf({ project, file }: PlaywrightTest): string {
  return project === null || project === "" ? file : `${project} › ${file}`;
}

function badness({ status }: PlaywrightTest): number {
  return Number(testTones[status] === "bad");
}
