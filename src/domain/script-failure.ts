import type { MultiStepRunResult, PlaywrightError, PlaywrightStep } from "#contract/checks/playwright-run.ts";
import { playwrightSentence } from "./playwright-message.ts";

type Told = Pick<MultiStepRunResult, "errors" | "tests" | "steps">;

/**
 * The first thing that failed in a script, in a sentence: the test, the step in it, and what it said. Null where nothing failed. For alerts and
 * error groups, so without what changes from run to run: the log of calls. A call of Playwright names itself; a test whose time was over does not.
 */
export function scriptFailure(told: Told): string | null {
  const error = firstError(told);
  return error === undefined ? null : sentenceOf(told, error);
}

/** More of a run would tell no other problem, but fill lists. */
const mostFailures = 20;

/** The same of each test of a suite that failed for good, and of errors of no test; each sentence once, in the order of the run. */
export function suiteFailures(told: Told): readonly string[] {
  const failed = told.tests.filter(({ status }) => status === "failed" || status === "timedOut" || status === "interrupted");
  const ofTests = failed.flatMap(({ title, project }) => {
    const errors = told.errors.filter((error) => error.title === title && error.project === project);
    const last = Math.max(...errors.map(({ retry }) => retry));
    return firstError({ errors: errors.filter(({ retry }) => retry === last) }) ?? [];
  });
  const ofNone = told.errors.filter(({ title }) => title === null);
  return [...new Set([...ofTests, ...ofNone].map((error) => sentenceOf(told, error)))].slice(0, mostFailures);
}

function sentenceOf(told: Told, error: PlaywrightError): string {
  const step = failingStep(told, error);
  const namesItself = step?.category !== "test.step" && !error.message.startsWith("Test timeout of");
  const places = [error.title, namesItself ? null : step?.title].filter((place) => place !== undefined && place !== null && place !== "");
  return [...places, playwrightSentence(error.message)].join(": ");
}

/** Where a script failed, and whether its page was kept as it was then. */
export interface ScriptEnd {
  readonly step: string | null;
  readonly hasScreenshot: boolean;
}

/** Null where nothing failed. */
export function scriptEnd(told: Told): ScriptEnd | null {
  const error = firstError(told);
  return error === undefined ? null : { step: failingStep(told, error)?.title ?? null, hasScreenshot: error.screenshot !== null };
}

/** A soft error lets its test go on: one that ended a test tells more. */
export function firstError({ errors }: Pick<Told, "errors">): PlaywrightError | undefined {
  return errors.find(({ isSoft }) => !isSoft) ?? errors[0];
}

/** The step of the user's own in which an error came up: the innermost `test.step` that failed by it, else what it called. */
export function failingStep({ steps, tests }: Pick<Told, "steps" | "tests">, error: PlaywrightError): PlaywrightStep | undefined {
  const test = tests.findIndex(({ title }) => title === error.title);
  const failed = steps.filter((step) => step.error !== null && (test === -1 || step.test === test));
  return failed.findLast(({ category }) => category === "test.step") ?? failed.findLast(({ category }) => category !== "hook");
}
