import type { SuiteTestState } from "#contract/suite-tests.ts";
import { type TestOutcome, testKey } from "./test-outcomes.ts";

/** One attempt of a run of a suite, with its tests. */
export interface SuiteAttempt {
  /** The same for all attempts of a run at a location. */
  readonly jobNo: number;
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly location: string;
  readonly tests: readonly TestOutcome[];
}

/** A test over some runs: `outcomes` and `durationsMs` by the place of the run, the newest first. */
export interface TestHistory extends Pick<TestOutcome, "project" | "file" | "line" | "title"> {
  readonly outcomes: readonly (SuiteTestState | null)[];
  readonly durationsMs: readonly (number | null)[];
  /** In the newest run, the worst of all locations; null: it is not in it any more. */
  readonly state: SuiteTestState | null;
  /** Place of the first of the runs that it failed in without a pass between; null where it does not fail. */
  readonly failingSince: { readonly run: number; readonly isNew: boolean } | null;
  readonly counts: Readonly<Record<SuiteTestState, number>>;
  /** From 0 to 1, of the runs that did not skip it; null where all did. */
  readonly flakyRate: number | null;
  readonly failureRate: number | null;
  /** `p50` and `slowest` of runs in which it passed. */
  readonly durationMs: { readonly latest: number | null; readonly p50: number | null; readonly slowest: number | null };
}

/** @param attempts in any order @returns the last attempt of each run, newest first, and each test that one of them has */
export function testHistory<A extends SuiteAttempt>(
  attempts: readonly A[],
): { readonly runs: readonly A[]; readonly tests: readonly TestHistory[] } {
  const ofJobs = [...Map.groupBy(attempts, ({ jobNo }) => jobNo).values()].map((of) => of.toSorted((a, b) => b.attempt - a.attempt));
  const inOrder = ofJobs.flatMap(([last, ...before]) => (last === undefined ? [] : [{ last, before }]));
  inOrder.sort((a, b) => b.last.startedAtMs - a.last.startedAtMs || b.last.jobNo - a.last.jobNo);
  const runs = inOrder.map(({ last }) => last);
  const seen = new Map<string, Seen>();
  for (const [run, { last, before }] of inOrder.entries()) {
    const failedBefore = new Set(before.flatMap(({ tests }) => tests.filter((test) => stateOf(test) === "failed").map(testKey)));
    for (const test of last.tests) {
      const key = testKey(test);
      const of = seen.getOrInsertComputed(key, () => ({ test, outcomes: runs.map(() => null), durationsMs: runs.map(() => null) }));
      const state = stateOf(test);
      of.outcomes[run] = state === "passed" && failedBefore.has(key) ? "flaky" : state;
      of.durationsMs[run] = test.durationMs;
    }
  }
  const places = runs.map(({ location }) => location);
  const tests = [...seen.values()].map((of) => historyOf(of, places));
  return { runs, tests: tests.toSorted(byPlace) };
}

interface Seen {
  /** As the newest run tells it. */
  readonly test: TestOutcome;
  readonly outcomes: (SuiteTestState | null)[];
  readonly durationsMs: (number | null)[];
}

/** One whose time was over or that was cut off is none that passed. */
function stateOf({ status }: TestOutcome): SuiteTestState {
  return status === "timedOut" || status === "interrupted" ? "failed" : status;
}

function historyOf({ test: { project, file, line, title }, outcomes, durationsMs }: Seen, places: readonly string[]): TestHistory {
  const counts = { passed: 0, failed: 0, flaky: 0, skipped: 0 };
  for (const outcome of outcomes) if (outcome !== null) counts[outcome] += 1;
  const ran = counts.passed + counts.failed + counts.flaky;
  const rate = (count: number): number | null => (ran === 0 ? null : count / ran);
  const newest = [...new Set(places)].map((place) => places.indexOf(place));
  return {
    project,
    file,
    line,
    title,
    outcomes,
    durationsMs,
    counts,
    state: worst(newest.map((run) => outcomes[run] ?? null)),
    failingSince: failingSince(outcomes, places, newest),
    flakyRate: rate(counts.flaky),
    failureRate: rate(counts.failed),
    durationMs: { latest: durationsMs.find((ms) => ms !== null) ?? null, ...ofPassed(outcomes, durationsMs) },
  };
}

const fromWorst = ["failed", "flaky", "passed", "skipped"] as const;

function worst(states: readonly (SuiteTestState | null)[]): SuiteTestState | null {
  return fromWorst.find((state) => states.includes(state)) ?? null;
}

/** Each location by itself: a test that fails in one place alone does not look flaky. Of several the one that it fails in for longest. */
function failingSince(
  outcomes: readonly (SuiteTestState | null)[],
  places: readonly string[],
  newest: readonly number[],
): TestHistory["failingSince"] {
  const streaks = newest.filter((run) => outcomes[run] === "failed").map((run) => streakAt(outcomes, places, places[run]));
  return streaks.reduce<TestHistory["failingSince"]>((oldest, one) => (oldest === null || one.run > oldest.run ? one : oldest), null);
}

function streakAt(outcomes: readonly (SuiteTestState | null)[], places: readonly string[], place: string | undefined) {
  let since = 0;
  for (const [run, outcome] of outcomes.entries()) {
    if (places[run] !== place || outcome === null || outcome === "skipped") continue;
    if (outcome !== "failed") return { run: since, isNew: true };
    since = run;
  }
  return { run: since, isNew: false };
}

function ofPassed(outcomes: readonly (SuiteTestState | null)[], durationsMs: readonly (number | null)[]) {
  const passed = durationsMs.filter((ms, run) => ms !== null && (outcomes[run] === "passed" || outcomes[run] === "flaky"));
  const sorted = passed.filter((ms) => ms !== null).toSorted((a, b) => a - b);
  return { p50: sorted[Math.floor((sorted.length - 1) / 2)] ?? null, slowest: sorted.at(-1) ?? null };
}

function byPlace(one: TestHistory, other: TestHistory): number {
  const names = ({ project, file }: TestHistory): readonly string[] => [project ?? "", file];
  const [a, b] = [names(one), names(other)];
  const differing = a.findIndex((name, index) => name !== b[index]);
  if (differing !== -1) return (a[differing] ?? "") < (b[differing] ?? "") ? -1 : 1;
  return (one.line ?? 0) - (other.line ?? 0) || (one.title < other.title ? -1 : 1);
}
