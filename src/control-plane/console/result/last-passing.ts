import { type CheckResult, getCheckResult, listCheckResultsV2 } from "#contract/check-results.ts";
import { type ComparedTest, compareTests } from "#domain/test-comparison.ts";
import { resultPageTexts } from "../../texts/result-page.ts";
import { scriptRunTexts } from "../../texts/script-run.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText, momentElement } from "../../view/units.ts";
import type { Ask } from "../ask.ts";
import { testTones } from "../check-types/script-run/tests.ts";
import { part } from "../facts.ts";
import { table } from "../table.ts";
import type { Visit } from "../visit.ts";

const texts = resultPageTexts.lastPassing;
const { outcomes } = scriptRunTexts.tests;

/** Earlier runs that are looked through for one that passed. */
const mostLookedAt = 100;

/** Of a suite: the last run before it at its location that passed, as far as its detail is kept; null where there is none. */
export async function lastPassingOf(ask: Ask, visit: Visit, result: CheckResult): Promise<CheckResult | null> {
  const { checkId, runLocation: location, startedAt, playwrightCheckResult } = result;
  if (playwrightCheckResult === null || startedAt === null) return null;
  const fields = ["id", "hasErrors", "isCancelled"].join(",");
  const query = { to: String(Date.parse(startedAt)), location, hasFailures: "false", limit: String(mostLookedAt), fields };
  const { entries } = await ask(visit, listCheckResultsV2, { params: { checkId }, query });
  const found = entries.find(({ id, hasErrors, isCancelled }) => id !== result.id && hasErrors === false && isCancelled === false);
  return found?.id === undefined ? null : ask(visit, getCheckResult, { params: { checkId, checkResultId: found.id } });
}

const mostDurations = 100;

/** What passed then and fails now, and both durations of each test. Nothing where there is no run to compare with. */
export function besideLastPassing({ playwrightCheckResult: now }: CheckResult, passing: CheckResult | null): Html {
  const then = passing?.playwrightCheckResult ?? null;
  if (now === null || passing === null || then === null || now.tests.length === 0) return html``;
  const { broken, added, missing, durations } = compareTests(now.tests, then.tests);
  const at = momentElement(Date.parse(passing.startedAt ?? passing.created_at));
  const link = html`<p>${texts.with} <a href="/checks/${passing.checkId}/results/${passing.id}">${at}</a></p>`;
  const all = [...broken, ...missing, ...added];
  const changed = all.length === 0 ? html`<p class="hint">${texts.same}</p>` : table(texts.columns, all.map(changedRow), "stacked");
  const timed = durations.slice(0, mostDurations);
  const told = html`<details><summary>${texts.durations(timed.length, durations.length)}</summary>${table(texts.durationColumns, timed.map(durationRow), "stacked")}</details>`;
  return part(texts.title, link, changed, timed.length === 0 ? html`` : told);
}

function changedRow(test: ComparedTest): Html {
  return html`<tr><td class="free">${nameOf(test)}</td><td>${outcome(test.before)}</td><td>${outcome(test.now)}</td></tr>`;
}

function outcome(test: ComparedTest["now"]): Html {
  if (test === null) return stateLabel("none", texts.absent);
  return html`${stateLabel(testTones[test.status], outcomes[test.status])} <span class="soft">${durationText(test.durationMs)}</span>`;
}

function durationRow(test: ComparedTest): Html {
  const [then, now] = [test.before?.durationMs ?? 0, test.now?.durationMs ?? 0];
  const sign = now < then ? "−" : "+";
  return html`<tr><td class="free">${nameOf(test)}</td><td>${durationText(then)}</td><td>${durationText(now)}</td><td>${sign}${durationText(Math.abs(now - then))}</td></tr>`;
}

function nameOf({ project, file, title }: ComparedTest): Html {
  const place = [project, file].filter((name) => name !== null && name !== "").join(" › ");
  return html`${title} <span class="soft">${place}</span>`;
}
