import type { CheckResult } from "#contract/check-results.ts";
import type { EvaluatedAssertion } from "#contract/checks/assertion.ts";
import { resultPageTexts } from "../../texts/result-page.ts";
import { assertionWord } from "../../view/assertion-words.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText } from "../../view/units.ts";
import { detailsOf, seenBy } from "../check-types/details-of.ts";
import { part } from "../facts.ts";
import { table } from "../table.ts";
import { actualOf } from "./actual.ts";

const texts = resultPageTexts.judged;

/** What was asserted, and what was seen instead where it did not hold. */
export function assertions(result: CheckResult): Html {
  const all = assertionsOf(result);
  if (all.length === 0) return html``;
  return part(
    texts.title,
    table(
      texts.columns,
      all.map((one) => row(one, result)),
      "stacked",
    ),
  );
}

/** What did not hold, but for what the sentence beside it tells already. */
export function furtherFailures(result: CheckResult, sentence: string | null): readonly EvaluatedAssertion[] {
  return assertionsOf(result).filter(({ error = "" }) => error !== "" && sentence?.includes(error) !== true);
}

function assertionsOf(result: CheckResult): readonly EvaluatedAssertion[] {
  const seen = seenBy(result);
  return seen !== undefined && "requestError" in seen ? (seen.assertions ?? []) : [];
}

function row(assertion: EvaluatedAssertion, result: CheckResult): Html {
  const { source, property, comparison, target, regex, error, actual } = assertion;
  const of = [property, regex ?? ""].filter((one) => one !== "").join(" ");
  const what = `${assertionWord(source)}${of === "" ? "" : ` ${of}`} ${assertionWord(comparison)} ${String(target)}`.trim();
  const held = error === undefined || error === "";
  const seen = told(held ? actualOf(result, assertion) : actual);
  const isNew = seen !== "" && !(error ?? "").includes(seen);
  return html`<tr><td>${held ? stateLabel("ok", texts.yes) : stateLabel("bad", texts.no)}</td><td class="free">${what}</td><td class="free">${held ? seen : html`${error}${isNew && html` <span class="soft">(${seen})</span>`}`}</td></tr>`;
}

function told(actual: unknown): string {
  if (actual === undefined || actual === null) return "";
  const text = typeof actual === "string" ? actual : JSON.stringify(actual);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** What scripts and the agent said meanwhile, by when after the start. */
export function jobLog(result: CheckResult): Html {
  const { startedAt } = result;
  const { setup = [], request = [], teardown = [] } = detailsOf(result).scripts?.jobLog ?? {};
  const lines = Object.entries({ setup, request, teardown }).flatMap(([phase, entries]) => entries.map((entry) => ({ phase, ...entry })));
  const [first] = lines;
  if (first === undefined) return html``;
  const fromMs = startedAt === null ? first.time : Date.parse(startedAt);
  const row = ({ phase, time, level, msg }: (typeof lines)[number]): Html =>
    html`<tr class="${level.toLowerCase()}"><td>${afterText(time - fromMs)}</td><td>${phase}</td><td>${level}</td><td class="free">${msg}</td></tr>`;
  return part(texts.jobLog, table(texts.jobLogColumns, lines.map(row), "log"));
}

/** Scripts may run before the attempt counts as started. */
function afterText(ms: number): string {
  return ms < 0 ? `−${durationText(-ms)}` : durationText(ms);
}
