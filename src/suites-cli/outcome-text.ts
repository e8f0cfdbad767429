import type { SuiteOutcome, ToldError, ToldTest } from "./suite-outcome.ts";

const marks = { passed: "✓", failed: "✗", notRun: "!" } as const;
const longestError = 40; // lines
const failedStatuses: readonly ToldTest["status"][] = ["failed", "timedOut", "interrupted"];

export const hasFailed = ({ status }: ToldTest): boolean => failedStatuses.includes(status);

/** What came of a suite, for people; ends with the address of the run. */
export function outcomeText(outcomes: readonly SuiteOutcome[], link: string): string {
  const lines = outcomes.length === 0 ? [`${marks.notRun} not run: the run was cancelled`] : outcomes.flatMap(linesOf);
  return `${[...lines, printable(link)].join("\n")}\n`;
}

function linesOf(outcome: SuiteOutcome): readonly string[] {
  const { location, status, reason, durationMs, tests, errors } = outcome;
  const time = durationMs === null ? "" : ` in ${(durationMs / 1000).toFixed(1)} s`;
  const said = { passed: "passed", failed: "failed", notRun: "not run" }[status];
  const counts = countsOf(tests);
  const head = `${marks[status]} ${location}: ${[said, ...counts].join(", ")}${status === "notRun" ? "" : time}`;
  const told = [...tests.filter(hasFailed).flatMap((test) => ofTest(test, errors)), ...elsewhere(tests, errors)];
  const flaky = tests.filter((test) => test.status === "flaky").map((test) => `  ~ ${nameOf(test)}: passed on a retry`);
  // The sentence repeats what its tests tell.
  const why = reason !== null && told.length === 0 ? gutter(reason) : [];
  return [head, ...why, ...told, ...flaky].map(printable);
}

function countsOf(tests: readonly ToldTest[]): readonly string[] {
  const count = (name: string, holds: (test: ToldTest) => boolean): string[] => {
    const number = tests.filter(holds).length;
    return number === 0 ? [] : [`${number} ${name}`];
  };
  return [
    ...count("passed", ({ status }) => status === "passed"),
    ...count("failed", hasFailed),
    ...count("flaky", ({ status }) => status === "flaky"),
    ...count("skipped", ({ status }) => status === "skipped"),
  ];
}

/** A test that failed, with what it said the last time. */
function ofTest(test: ToldTest, errors: readonly ToldError[]): readonly string[] {
  const last = errorsOf(test, errors).at(-1);
  const said = test.status === "failed" ? "" : ` (${statusText(test.status)})`;
  return [`  ✗ ${nameOf(test)}${said}`, ...(last === undefined ? [] : gutter(last.message))];
}

export function statusText(status: ToldTest["status"]): string {
  if (status === "timedOut") return "timed out";
  return status === "interrupted" ? "was interrupted" : status;
}

export function errorsOf(test: ToldTest, errors: readonly ToldError[]): readonly ToldError[] {
  return errors.filter(({ title, project }) => title === test.title && (project ?? null) === (test.project ?? null));
}

/** Errors that no test which failed is told with: of the run, or of tests that were cut off the list. */
function elsewhere(tests: readonly ToldTest[], errors: readonly ToldError[]): readonly string[] {
  const told = new Set(tests.flatMap((test) => errorsOf(test, errors)));
  return errors.filter((error) => !told.has(error)).flatMap(({ title, message }) => [`  ✗ ${title ?? "the run"}`, ...gutter(message)]);
}

function nameOf({ title, project, file, line }: ToldTest): string {
  const where = line === null || line === undefined ? file : `${file}:${line}`;
  return `${project === null || project === undefined || project === "" ? "" : `[${project}] `}${title} (${where})`;
}

/** Each line behind a bar: a line of a CI's log that begins with `::` is an order to it, and pages put words into messages. */
function gutter(text: string): readonly string[] {
  const lines = text.split(/\r?\n|\r/);
  const shown = lines.slice(0, longestError).map((line) => `    | ${line}`);
  return lines.length > longestError ? [...shown, `    | … ${lines.length - longestError} more lines`] : shown;
}

// oxlint-disable-next-line no-control-regex -- that is what colours are
const colours = /\u001b\[[0-9;]*[A-Za-z]/g;
// oxlint-disable-next-line no-control-regex -- they move terminals
const controls = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Without what moves a terminal, and without the older form of orders to a CI, which holds anywhere in a line. */
export function printable(line: string): string {
  return line.replace(colours, "").replace(controls, "").replaceAll("##[", "# #[");
}
