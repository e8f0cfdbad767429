import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

/*
 * Reads what vitest wrote as JSON of runs, and of another try of their failed files by themselves.
 *   node .ci/failed-tests.ts --files <run>…    the files to try again, a line each; none where more than twenty tests failed
 *   node .ci/failed-tests.ts <again> <run>…    each failure, what was unsteady, and the count as the last line; ends with 1 where tests failed
 */

const most = 20;

interface Run {
  readonly numPassedTests?: number;
  readonly numPendingTests?: number;
  readonly numTodoTests?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string; readonly failureMessages?: readonly string[] }[];
  }[];
}

interface Failure {
  readonly file: string;
  /** Empty where the file itself failed. */
  readonly title: string;
  readonly text: string;
}

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const read = (path: string): Run => JSON.parse(readFileSync(path, "utf8")) as Run;

/** All runs as one. */
function readAll(paths: readonly string[]): Run {
  const runs = paths.map(read);
  const sum = (count: (run: Run) => number | undefined): number => runs.reduce((all, run) => all + (count(run) ?? 0), 0);
  return {
    numPassedTests: sum((run) => run.numPassedTests),
    numPendingTests: sum((run) => run.numPendingTests),
    numTodoTests: sum((run) => run.numTodoTests),
    testResults: runs.flatMap(({ testResults = [] }) => testResults),
  };
}

function failuresIn({ testResults = [] }: Run): Failure[] {
  return testResults.flatMap(({ name, message = "", status, assertionResults }) => {
    const file = relative("", name);
    const failed = assertionResults.filter((one) => one.status === "failed");
    if (failed.length === 0) return status === "failed" ? [{ file, title: "", text: message }] : [];
    return failed.map(({ fullName, failureMessages = [] }) => ({ file, title: fullName, text: failureMessages.join("\n") }));
  });
}

function list(run: Run): void {
  const failures = failuresIn(run);
  if (failures.length <= most) for (const file of new Set(failures.map((one) => one.file))) say(file);
}

function report(run: Run, again: Run | null): void {
  const { numPassedTests: passed = 0, numPendingTests: pending = 0, numTodoTests: todo = 0 } = run;
  const first = failuresIn(run);
  const second = again === null ? first : failuresIn(again);
  const failsAgain = ({ file, title }: Failure): boolean => second.some((one) => one.file === file && (one.title === title || one.title === ""));
  const failed = first.filter(failsAgain);
  const unsteady = first.filter((one) => !failsAgain(one));
  const tell = (word: string, { file, title, text }: Failure): boolean => say(`${word} ${file}: ${title}\n${text.slice(0, 1_500)}\n`);
  for (const one of unsteady) tell("UNSTEADY (failed among others, passed alone)", one);
  for (const one of failed) tell("FAILED", one);
  say(`${passed + unsteady.length} passed, ${failed.length} failed, ${pending + todo} skipped`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

const [again = "", ...runs] = process.argv.slice(2);
if (again === "--files") list(readAll(runs));
else report(readAll(runs), existsSync(again) ? read(again) : null);
