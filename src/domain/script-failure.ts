import type { MultiStepRunResult, PlaywrightError, PlaywrightStep } from "#contract/checks/playwright-run.ts";

type Told = Pick<MultiStepRunResult, "errors" | "tests" | "steps">;

/** What of an error stands in a sentence: what follows are values, a log of calls and a piece of code. */
const endOfSentence = /\n\s*(?:Call log:|=+ logs =+|at |\n)/;
const longestSentence = 500;

/**
 * The first thing that failed in a script, in a sentence: the test, the step in it, and what it said. Null where nothing failed. For alerts and
 * error groups, so without what changes from run to run: the log of calls.
 */
export function scriptFailure(told: Told): string | null {
  const error = firstError(told);
  if (error === undefined) return null;
  const places = [error.title, failingStep(told, error)?.title].filter((place) => place !== undefined && place !== null && place !== "");
  return [...places, sentenceOf(error.message)].join(": ");
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

function sentenceOf(message: string): string {
  const end = message.search(endOfSentence);
  const sentence = (end === -1 ? message : message.slice(0, end)).replace(/\s+/g, " ").trim();
  return sentence.length > longestSentence ? `${sentence.slice(0, longestSentence - 1)}…` : sentence;
}
