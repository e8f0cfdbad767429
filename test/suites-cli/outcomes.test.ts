import { describe, expect, it } from "vitest";
import { githubAnnotations } from "../../src/suites-cli/github-annotations.ts";
import { outcomeText } from "../../src/suites-cli/outcome-text.ts";
import { overallStatus, type ReadResult, type SuiteOutcome, suiteOutcome } from "../../src/suites-cli/suite-outcome.ts";

const link = "https://outpost.example/checks/1/check-results/2";
const result: ReadResult = {
  runLocation: "berlin",
  hasErrors: false,
  hasFailures: false,
  isCancelled: false,
  aborted: false,
  errorMessage: null,
  responseTime: 34_210,
};
const test = { project: "chromium", file: "tests/shop.spec.ts", line: 7, retries: 0, durationMs: 12, startMs: 0, annotations: [] };
const tests = [
  { ...test, title: "shop › opens", status: "passed" },
  { ...test, title: "shop › pays", line: 14, status: "failed", retries: 1 },
  { ...test, title: "shop › waits", line: 21, status: "timedOut", project: null },
  { ...test, title: "shop › is quick", status: "flaky", retries: 1 },
  { ...test, title: "shop › later", status: "skipped" },
];
const hostile = "\u001b[31mexpected\u001b[39m 1, found 2: 100%\n::stop-commands::x\n##[error]y\u0007";
const errors = [
  { message: "the first try", title: "shop › pays", project: "chromium", location: null },
  { message: hostile, title: "shop › pays", project: "chromium", location: { file: "tests/pay, now.ts", line: 15, column: 3 } },
  { message: "the server did not start", title: null, project: null, location: null },
];
const failed = suiteOutcome(
  { ...result, hasFailures: true, errorMessage: "2 tests failed", playwrightCheckResult: { tests, errors } },
  link,
);

describe("what came of a suite", () => {
  it("is told with its tests that failed, and where to read on", () => {
    expect(outcomeText([failed], link)).toBe(
      [
        "✗ berlin: failed, 1 passed, 2 failed, 1 flaky, 1 skipped in 34.2 s",
        "  ✗ [chromium] shop › pays (tests/shop.spec.ts:14)",
        "    | expected 1, found 2: 100%",
        "    | ::stop-commands::x",
        "    | # #[error]y",
        "  ✗ shop › waits (tests/shop.spec.ts:21) (timed out)",
        "  ✗ the run",
        "    | the server did not start",
        "  ~ [chromium] shop › is quick (tests/shop.spec.ts:7): passed on a retry",
        link,
        "",
      ].join("\n"),
    );
  });

  it.each<[string, Partial<ReadResult>, SuiteOutcome["status"], string]>([
    ["passed", { playwrightCheckResult: { tests: tests.slice(0, 1), errors: [] } }, "passed", "✓ berlin: passed, 1 passed in 34.2 s"],
    [
      "went wrong before its tests",
      { hasErrors: true, errorMessage: "install failed" },
      "failed",
      "✗ berlin: failed in 34.2 s\n    | install failed",
    ],
    [
      "no agent ran",
      { aborted: true, hasErrors: true, errorMessage: "no agent was there", responseTime: null },
      "notRun",
      "! berlin: not run\n    | no agent was there",
    ],
    [
      "waited for an agent that was busy",
      { aborted: true, missedReason: "no_capacity" },
      "notRun",
      "! berlin: not run\n    | All agents at the location were busy",
    ],
    [
      "ended with its agent",
      { aborted: true, errorMessage: "agent_lost" },
      "notRun",
      "! berlin: not run\n    | The agent disconnected during the run",
    ],
    ["was cancelled", { isCancelled: true, hasErrors: true }, "notRun", "! berlin: not run\n    | It was cancelled"],
    [
      "a newer agent told in another form",
      { hasFailures: true, errorMessage: "it failed", playwrightCheckResult: { tests: [{ status: "odd" }], errors: "many" } },
      "failed",
      "✗ berlin: failed in 34.2 s\n    | it failed",
    ],
  ])("says so where a run %s", (_title, changes, status, text) => {
    const outcome = suiteOutcome({ ...result, ...changes }, link);
    expect([outcome.status, outcomeText([outcome], link)]).toEqual([status, `${text}\n${link}\n`]);
  });

  it("says so where the whole run was cancelled", () => {
    expect(outcomeText([], link)).toBe(`! not run: the run was cancelled\n${link}\n`);
  });

  it("is failed where it failed anywhere, and not run where it was not run anywhere", () => {
    const [passed, notRun] = [suiteOutcome(result, link), suiteOutcome({ ...result, aborted: true }, link)];
    expect([[passed, notRun, failed], [passed, notRun], [passed], []].map(overallStatus)).toEqual(["failed", "notRun", "passed", "notRun"]);
  });
});

describe("annotations of GitHub", () => {
  it("stand at the lines that failed, escaped", () => {
    expect(githubAnnotations([failed], (file) => `apps/e2e/${file}`)).toEqual([
      "::error file=apps/e2e/tests/pay%2C now.ts,line=15,col=3,title=shop › pays (berlin)::expected 1, found 2: 100%25%0A::stop-commands::x%0A# #[error]y",
      "::error file=apps/e2e/tests/shop.spec.ts,line=21,title=shop › waits (berlin)::The test timed out",
    ]);
  });

  it("tell of a suite that did not come to its tests", () => {
    const outcome = suiteOutcome({ ...result, aborted: true, errorMessage: "no agent: none was there" }, link);
    expect(githubAnnotations([outcome], (file) => file)).toEqual([
      "::error title=The suite was not run (berlin)::no agent: none was there",
    ]);
    expect(githubAnnotations([suiteOutcome(result, link)], (file) => file)).toEqual([]);
  });
});
