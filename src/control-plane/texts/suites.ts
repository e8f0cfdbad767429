import { countText, percentText } from "../view/units.ts";

/** English texts of the tests of a suite over its runs. */
export const suiteTexts = {
  title: "Tests",
  all: (count: number) => `All ${countText(count, "test")}`,
  pageTitle: (check: string) => `Tests – ${check}`,
  lastRuns: (count: number) => (count === 1 ? "Latest run" : `Latest ${count} runs`),
  newlyFailing: (count: number) => `${count} newly failing`,
  failing: (count: number) => `${count} failing`,
  flaky: (count: number) => `${count} flaky`,
  quiet: "None fails and none is flaky",
  columns: ["State", "Test", "Runs, oldest first", "Duration", "Median", "Slowest", "Flaky"],
  states: { passed: "passes", failed: "fails", flaky: "passed on a retry", skipped: "skipped" },
  outcomes: { passed: "passed", failed: "failed", flaky: "passed on a retry", skipped: "skipped" },
  gone: "not in the latest run",
  newSince: "newly failing since",
  since: "failing since at least",
  none: "–",
  rate: (share: number) => percentText(Math.max(1, Math.round(share * 100))),
  bar: (outcome: string, duration: string, at: string) => `${outcome}, ${duration}, ${at} UTC`,
  passing: (count: number, of: number) => `${count} of ${of} pass`,
  filters: { label: "Which tests", all: "All", failing: "Failing", flaky: "Flaky", slowest: "Slowest first" },
  noneOfFilter: "No test matches this filter.",
  noRuns: "No run has come to its tests yet.",
  previous: "Previous page",
  next: "Next page",
  noProject: "No project",
} as const;
