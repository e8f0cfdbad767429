import { type TestOutcome, testKey } from "./test-outcomes.ts";

type Told = Pick<TestOutcome, "project" | "file" | "title" | "status" | "durationMs">;

/** A test in two runs; null where a run did not have it. */
export interface ComparedTest extends Pick<TestOutcome, "project" | "file" | "title"> {
  readonly before: Pick<TestOutcome, "status" | "durationMs"> | null;
  readonly now: Pick<TestOutcome, "status" | "durationMs"> | null;
}

export interface TestComparison {
  /** Passed then and do not now: what failed, was cut off or is skipped. */
  readonly broken: readonly ComparedTest[];
  readonly added: readonly ComparedTest[];
  /** Ran then, and are not in this run. */
  readonly missing: readonly ComparedTest[];
  /** Ran both times and passed then, by how much their durations differ. */
  readonly durations: readonly ComparedTest[];
}

/** @param then of an earlier run, which passed */
export function compareTests(now: readonly Told[], then: readonly Told[]): TestComparison {
  const known = new Map(then.map((test) => [testKey(test), test]));
  const here = new Set(now.map(testKey));
  const both = now.map((test): ComparedTest => {
    const { project, file, title } = test;
    return { project, file, title, now: test, before: known.get(testKey(test)) ?? null };
  });
  const gone = then.filter((test) => !here.has(testKey(test)));
  const timed = both.filter(({ now: at, before: was }) => at !== null && at.status !== "skipped" && was !== null && hasPassed(was));
  return {
    broken: both.filter(({ now: at, before: was }) => was !== null && hasPassed(was) && at !== null && !hasPassed(at)),
    added: both.filter(({ before: was }) => was === null),
    missing: gone.map(({ project, file, title, status, durationMs }) => ({
      project,
      file,
      title,
      now: null,
      before: { status, durationMs },
    })),
    durations: timed.toSorted((one, other) => difference(other) - difference(one)),
  };
}

function hasPassed({ status }: Pick<TestOutcome, "status">): boolean {
  return status === "passed" || status === "flaky";
}

function difference({ now, before }: ComparedTest): number {
  return Math.abs((now?.durationMs ?? 0) - (before?.durationMs ?? 0));
}
