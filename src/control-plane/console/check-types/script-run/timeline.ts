import type { ResultOf, TestedType } from "#contract/checks/index.ts";
import type { PlaywrightRequest, PlaywrightStep, PlaywrightTest } from "#contract/checks/playwright-run.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { durationText } from "../../../view/units.ts";
import { part } from "../../facts.ts";
import { sizeText } from "./size-text.ts";
import { scrolled } from "./wide-table.ts";

/* Steps and the requests that they sent, each a bar on one line of time. What is drawn stands beside it in words, and the page needs no script. */

const texts = scriptRunTexts.timeline;
/** Of one step: a page may send hundreds, which the table of the network tells. */
const shownRequests = 25;
const shownSteps = 500;
/** Of the style. */
const stepsTable = "steps";

interface Span {
  readonly startMs: number;
  readonly durationMs: number;
}

export function timeline({ tests, steps, requests, startTime, endTime }: ResultOf<TestedType>): Html {
  const wholeMs = Math.max(1, endTime - startTime, ...steps.map(({ startMs, durationMs }) => startMs + durationMs));
  const byStep = Map.groupBy(requests, ({ step }) => (step !== null && step < Math.min(steps.length, shownSteps) ? step : null));
  // Of several tests at a time steps begin in turns: those of each stand together, below its name.
  const byTest = Map.groupBy(steps.slice(0, shownSteps).entries(), ([, { test }]) => test);
  const rows = [...byTest].flatMap(([test, ofTest]) => [
    ...(tests.length > 1 ? [groupRow(testName(tests[test]))] : []),
    ...ofTest.flatMap(([index, step]) => [stepRow(step, wholeMs), ...requestRows(byStep.get(index) ?? [], step.depth + 1, wholeMs)]),
  ]);
  const others = requestRows(byStep.get(null) ?? [], 1, wholeMs);
  const heading = others.length > 0 && rows.length > 0 ? [groupRow(texts.others)] : [];
  if (rows.length + others.length === 0) return html``;
  const table = scrolled(texts.label, texts.columns, [...rows, ...heading, ...others], stepsTable);
  return part(texts.title, html`<div class="timeline" data-whole-ms="${wholeMs}">${tools}${table}</div>`);
}

/** For the module `waterfall`, which shows them. */
const tools = html`<div class="tools" hidden><label><span class="hidden">${texts.filter}</span><input type="search" placeholder="${texts.filter}"></label>
<output aria-label="${texts.range}"></output> <button type="button" class="quiet">${texts.all}</button> <span class="hint">${texts.keys}</span></div>`;

function groupRow(name: string): Html {
  return html`<tr><th scope="rowgroup" colspan="4">${name}</th></tr>`;
}

function testName(test: PlaywrightTest | undefined): string {
  if (test === undefined) return "";
  return test.project === null || test.project === "" ? test.title : `${test.project} › ${test.title}`;
}

function stepRow({ title, depth, error, startMs, durationMs }: PlaywrightStep, wholeMs: number): Html {
  const kind = error === null ? "p5" : "failed";
  return html`<tr class="${error === null ? "" : "bad"}"><th scope="row" class="d${depth}">${title}</th><td class="time">${durationText(durationMs)}</td><td></td><td class="bar">${bar({ startMs, durationMs }, wholeMs, kind)}</td></tr>`;
}

function requestRows(requests: readonly PlaywrightRequest[], depth: number, wholeMs: number): Html[] {
  const rows = requests.slice(0, shownRequests).map((request) => {
    const { method, url, status, error, startMs, durationMs } = request;
    const failed = error !== null || (status ?? 0) >= 400;
    const took = durationMs === null ? texts.none : durationText(durationMs);
    return html`<tr class="request${failed && " bad"}"><td class="free d${depth}"><span class="address">${texts.request(method, url)}</span> <span class="soft">${status ?? error}</span></td><td class="time">${took}</td><td class="time">${sizeText(request)}</td><td class="bar">${bar({ startMs, durationMs: durationMs ?? 0 }, wholeMs, failed ? "failed" : "p1")}</td></tr>`;
  });
  const left = requests.length - rows.length;
  return left > 0
    ? [...rows, html`<tr class="request"><td class="soft d${depth}">${texts.hidden(left)}</td><td></td><td></td><td></td></tr>`]
    : rows;
}

function bar({ startMs, durationMs }: Span, wholeMs: number, kind: string): Html {
  const from = Math.min(99.5, Math.max(0, (100 * startMs) / wholeMs));
  const width = Math.min(100 - from, Math.max(0.5, (100 * durationMs) / wholeMs));
  return html`<svg width="100%" height="12" aria-hidden="true"><rect class="${kind}" x="${from.toFixed(2)}%" width="${width.toFixed(2)}%" height="12" rx="2"/></svg>`;
}
