import { hasEnded, type SessionStatus } from "./session-status.ts";

export type TestSessionStatus = "RUNNING" | "FAILED" | "PASSED" | "CANCELLED";

/** What a run of one check comes to in a test session: what could not run has not passed, a degraded one has. */
export function testRunStatus(status: SessionStatus): TestSessionStatus {
  if (!hasEnded(status)) return "RUNNING";
  if (status === "CANCELLED") return "CANCELLED";
  return status === "FAILED" || status === "TIMED_OUT" ? "FAILED" : "PASSED";
}

/** RUNNING until all have ended; then a failure outweighs a cancel. */
export function testSessionStatus(runs: readonly TestSessionStatus[]): TestSessionStatus {
  return (["RUNNING", "FAILED", "CANCELLED"] as const).find((status) => runs.includes(status)) ?? "PASSED";
}
