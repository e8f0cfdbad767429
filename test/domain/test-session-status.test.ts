import { expect, it } from "vitest";
import { sessionStatuses } from "../../src/domain/session-status.ts";
import { testRunStatus, testSessionStatus } from "../../src/domain/test-session-status.ts";

it("a run of a check passes when it is degraded, and fails when nobody could run it", () => {
  expect(Object.fromEntries(sessionStatuses.map((status) => [status, testRunStatus(status)]))).toEqual({
    STARTED: "RUNNING",
    PROGRESS: "RUNNING",
    PROGRESS_FAILED: "RUNNING",
    PROGRESS_DEGRADED: "RUNNING",
    PASSED: "PASSED",
    FAILED: "FAILED",
    DEGRADED: "PASSED",
    TIMED_OUT: "FAILED",
    CANCELLED: "CANCELLED",
  });
});

it.each([
  [["PASSED", "RUNNING", "FAILED"], "RUNNING"],
  [["PASSED", "CANCELLED", "FAILED"], "FAILED"],
  [["PASSED", "CANCELLED"], "CANCELLED"],
  [["PASSED", "PASSED"], "PASSED"],
] as const)("a test session of %j is %s", (runs, status) => {
  expect(testSessionStatus(runs)).toBe(status);
});
