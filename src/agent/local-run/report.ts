import type { EvaluatedAssertion } from "#contract/checks/assertion.ts";
import { assertionsAsked, type CheckType, checkTypes } from "#contract/checks/index.ts";
import { evaluateAssertions } from "#domain/assertions/evaluate.ts";
import type { Measure } from "#domain/verdict.ts";
import type { MaterialRun } from "../scripts/material-run.ts";
import type { ReportScrubber } from "../scrub/scrub-report.ts";
import { type Phases, phaseRows } from "./charts.ts";
import { type Row, tellings } from "./details.ts";
import { type Colour, cut, lineWidth, milliseconds, type Paint, plain, wrap } from "./layout.ts";
import type { LocalCheck } from "./local-check.ts";

export interface LocalRun<T extends CheckType> extends MaterialRun<T> {
  readonly check: LocalCheck<T>;
}

const labelWidth = 12;
const timeWidth = 10;
const marks = { passed: ["✓", "green"], degraded: ["!", "yellow"], failed: ["✗", "red"] } as const;

export function verdictOf({ verdict }: Pick<LocalRun<CheckType>, "verdict">): keyof typeof marks {
  if (verdict.hasFailures) return "failed";
  return verdict.isDegraded ? "degraded" : "passed";
}

/** A run for programs, in one line: the result member as it would be stored, scrubbed like it. */
export function jsonReport<T extends CheckType>(run: LocalRun<T>): string {
  const { check, observation, verdict, assertions, scrub } = run;
  const { result } = observation;
  const told = {
    name: check.name,
    checkType: check.type,
    verdict: verdictOf(run),
    errorMessage: errorOf(run, scrub),
    failedBy: observation.failure === null ? null : { code: observation.failure.code, side: observation.failure.side },
    responseTimeMs: observation.responseTimeMs,
    statusCode: observation.statusCode,
    phases: phasesOf(run),
    [checkTypes[check.type].resultMember]:
      result === null ? null : scrub.detail("requestError" in result ? { ...result, assertions } : result),
    overMaxResponseTime: verdict.overMaxResponseTime,
  };
  // Terminals take characters of the C1 block for commands, and JSON leaves them as they are.
  return JSON.stringify(told).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A run for people, in lines of at most 80 columns. */
export function textReport<T extends CheckType>(run: LocalRun<T>, paint: Paint): string[] {
  const { check, observation, scrub } = run;
  const { result, responseTimeMs } = observation;
  const show = (row: Row): string => rowLine({ ...row, text: scrub.text(row.text) }, paint);
  return [
    ...headLines(run, scrub, paint),
    ...section(chartLines(phasesOf(run), responseTimeMs, paint)),
    ...section(result === null ? [] : tellings[check.type].rows(result).map(show)),
    ...section(assertionLines(run, scrub, paint)),
  ];
}

/** None where nothing was sent. */
function phasesOf<T extends CheckType>({ check, observation: { metrics, result } }: LocalRun<T>): Phases {
  return result === null ? {} : tellings[check.type].phases({ metrics, result });
}

function section(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}

function headLines<T extends CheckType>(run: LocalRun<T>, scrub: ReportScrubber, paint: Paint): string[] {
  const { check, observation } = run;
  const verdict = verdictOf(run);
  const [mark, colour] = marks[verdict];
  const subject = plain(scrub.text(tellings[check.type].subject(check.settings)));
  const name = check.name === null ? subject : plain(check.name);
  const time = milliseconds(observation.responseTimeMs);
  const title = cut(name, lineWidth - verdict.length - time.length - 6);
  const gap = " ".repeat(Math.max(1, lineWidth - 4 - verdict.length - Array.from(title).length - time.length));
  const lines = [`${paint(colour, `${mark} ${verdict}`)}  ${paint("bold", title)}${gap}${time}`];
  if (check.name !== null) lines.push(paint("dim", `  ${cut(subject, lineWidth - 2)}`));
  const error = errorOf(run, scrub);
  if (error !== null) lines.push(...wrap(plain(error), lineWidth - 2, 8).map((line) => `  ${paint(colour, line)}`));
  if (observation.failure?.side === "agent")
    lines.push(paint("dim", "  The cause is on this side (resolver, proxy, rights, kernel); it says nothing about the target."));
  return lines;
}

/** The verdict's words; for a slow answer, which has none there, the limit that it is over. */
function errorOf<T extends CheckType>({ verdict, measures }: LocalRun<T>, scrub: ReportScrubber): string | null {
  if (verdict.errorMessage !== null) return scrub.text(verdict.errorMessage);
  return verdict.isDegraded ? (measures.map(degradation).find((told) => told !== null) ?? null) : null;
}

function degradation({ name, value, unit, degradedAbove }: Measure): string | null {
  if (degradedAbove === null || value <= degradedAbove) return null;
  return `${name} ${value} ${unit} is over the degraded limit of ${degradedAbove} ${unit}`;
}

function chartLines(phases: Phases, elapsedMs: number, paint: Paint): string[] {
  const width = lineWidth - 2 - labelWidth - timeWidth - 2;
  return phaseRows(phases, elapsedMs, width).map(({ name, time, bar, isBroken }) => {
    const colour = isBroken ? "red" : "cyan";
    return `  ${paint("dim", name.padEnd(labelWidth))}${time.padStart(timeWidth)}  ${bar === "" ? "" : paint(colour, bar)}`.trimEnd();
  });
}

function rowLine({ label, text, colour }: Row, paint: Paint): string {
  const column = label === null ? "" : paint("dim", label.padEnd(labelWidth));
  const shown = cut(plain(text), lineWidth - 2 - (label === null ? 0 : labelWidth));
  return `  ${column}${colour === undefined ? shown : paint(colour, shown)}`.trimEnd();
}

function assertionLines<T extends CheckType>(
  { assertions, check, observation }: LocalRun<T>,
  scrub: ReportScrubber,
  paint: Paint,
): string[] {
  return (assertions ?? []).flatMap((assertion, index) => {
    const written = assertionsAsked(check.settings)[index];
    // A comparison that no present value passes tells what it saw, also where the one asked for holds.
    const isTold = assertion.error !== undefined || written === undefined; // what failed tells its value already
    const [seen] = isTold ? [] : evaluateAssertions([{ ...written, comparison: "IS_NULL" }], observation.facts);
    const actual = isTold ? assertion.actual : seen?.actual;
    return oneAssertion(assertion, scrub.text(asText(actual)), scrub, paint);
  });
}

function oneAssertion(assertion: EvaluatedAssertion, actual: string, scrub: ReportScrubber, paint: Paint): string[] {
  const { source, property, comparison, target, error } = assertion;
  const [mark, colour]: readonly [string, Colour] = error === undefined ? ["✓", "green"] : ["✗", "red"];
  const words = [source, property, comparison, String(target)].filter((word) => word !== "").join(" ");
  const got = cut(plain(actual), 30);
  const asked = cut(plain(scrub.text(words)), lineWidth - 4 - got.length - 5);
  const lines = [`  ${paint(colour, mark)} ${asked}${paint("dim", `  got ${got}`)}`];
  if (error !== undefined) lines.push(...wrap(plain(scrub.text(error)), lineWidth - 4, 4).map((line) => `    ${paint("red", line)}`));
  return lines;
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 200)) : JSON.stringify(value);
}
