import { describe, expect, it } from "vitest";
import { type SuiteAttempt, testHistory } from "../../src/domain/test-history.ts";
import type { TestOutcome } from "../../src/domain/test-outcomes.ts";

const test = (title: string, status: TestOutcome["status"], durationMs = 100): TestOutcome => {
  return { project: null, file: "shop.spec.ts", line: 1, title, status, durationMs };
};
const minute = 60_000;
const run = (minutes: number, tests: readonly TestOutcome[], more: Partial<SuiteAttempt> = {}): SuiteAttempt => {
  return { jobNo: minutes, attempt: 1, startedAtMs: minutes * minute, location: "north", tests, ...more };
};
const statuses = (...all: readonly TestOutcome["status"][]): readonly SuiteAttempt[] =>
  all.map((status, index) => run(all.length - index, [test("pays", status)]));
const only = (attempts: readonly SuiteAttempt[]) => {
  const { runs, tests } = testHistory(attempts);
  expect(tests).toHaveLength(1);
  return { runs, ...tests[0]! };
};

describe("the history of a suite's tests", () => {
  it.each([
    // the newest first
    [["passed", "passed"], "passed", null],
    [["failed", "failed", "passed"], "failed", { run: 1, isNew: true }],
    [["timedOut", "skipped", "interrupted", "flaky", "failed"], "failed", { run: 2, isNew: true }],
    [["failed", "failed"], "failed", { run: 1, isNew: false }],
    [["skipped", "failed", "passed"], "skipped", null],
    [["flaky", "failed"], "flaky", null],
  ] as const)("of %j is %s, failing since %j", (all, state, since) => {
    expect(only(statuses(...all))).toMatchObject({ state, failingSince: since });
  });

  it("judges each location by itself", () => {
    const alternating = [
      run(4, [test("pays", "passed")]),
      run(3, [test("pays", "failed")], { location: "south" }),
      run(2, [test("pays", "passed")]),
      run(1, [test("pays", "failed")], { location: "south" }),
    ];
    expect(only(alternating)).toMatchObject({ state: "failed", failingSince: { run: 3, isNew: false }, flakyRate: 0, failureRate: 0.5 });
  });

  it("takes a run and its retries for one, in which a test is flaky that passed only then", () => {
    const first = run(1, [test("pays", "failed"), test("opens", "passed")], { jobNo: 7 });
    const retried = run(2, [test("pays", "passed"), test("opens", "passed")], { jobNo: 7, attempt: 2 });
    const { runs, tests } = testHistory([first, retried]);
    expect(runs).toEqual([retried]);
    expect(tests.map(({ title, outcomes }) => [title, outcomes])).toEqual([
      ["opens", ["passed"]],
      ["pays", ["flaky"]],
    ]);
  });

  it("measures durations of runs that passed, and counts skipped ones in no rate", () => {
    const runs = [
      run(5, [test("pays", "failed", 30_000)]),
      run(4, [test("pays", "skipped", 0)]),
      run(3, [test("pays", "passed", 300)]),
      run(2, [test("pays", "flaky", 200)]),
      run(1, [test("pays", "passed", 100)]),
    ];
    expect(only(runs)).toMatchObject({
      counts: { passed: 2, failed: 1, flaky: 1, skipped: 1 },
      flakyRate: 0.25,
      failureRate: 0.25,
      durationMs: { latest: 30_000, p50: 200, slowest: 300 },
      durationsMs: [30_000, 0, 300, 200, 100],
    });
    expect(only([run(1, [test("pays", "skipped", 0)])])).toMatchObject({
      flakyRate: null,
      failureRate: null,
      durationMs: { latest: 0, p50: null, slowest: null },
    });
  });

  it("knows tests by project, file and title, and keeps those that are gone", () => {
    const moved = { ...test("pays", "passed"), line: 9 };
    const other = { ...test("pays", "passed"), project: "phone" };
    const { tests } = testHistory([run(2, [moved, other]), run(1, [test("pays", "failed"), test("was", "failed")])]);
    expect(tests.map(({ title, project, line, state, outcomes }) => [title, project, line, state, outcomes])).toEqual([
      ["was", null, 1, null, [null, "failed"]],
      ["pays", null, 9, "passed", ["passed", "failed"]],
      ["pays", "phone", 1, "passed", ["passed", null]],
    ]);
  });

  it("of no run has no test", () => {
    expect(testHistory([])).toEqual({ runs: [], tests: [] });
  });
});
