import { describe, expect, it } from "vitest";
import { decideLeaseEnd, decideReport, type JobState, missedReason, queueWaitIsOver, type StoredResults } from "#domain/lease.ts";

const job: JobState = { state: "leased", fence: 7, attempt: 1 };
const report = { fence: 7, attempt: 1, resultType: "FINAL" as const };
const stored = (given: Partial<StoredResults> = {}): StoredResults => ({ attempt: "none", final: false, missed: false, ...given });

describe("decideReport", () => {
  it("ends the job with a FINAL, and counts on with an ATTEMPT", () => {
    expect(decideReport(job, report, stored())).toEqual({ outcome: "accepted", replacesMissed: false, job: { done: true } });
    expect(decideReport(job, { ...report, attempt: 2, resultType: "ATTEMPT" }, stored())).toMatchObject({
      outcome: "accepted",
      job: { done: false, attempt: 3 },
    });
  });

  it.each([
    ["the same body again", job, report, { attempt: "same_body", final: true }, "duplicate"],
    ["the same body after the job is gone", null, report, { attempt: "same_body" }, "duplicate"],
    ["another body for the same attempt", job, report, { attempt: "other_body" }, "conflict"],
    ["another body for the final attempt, by the winner", job, report, { attempt: "other_body", final: true }, "conflict"],
    ["another body, by an agent that lost its lease", job, { ...report, fence: 6 }, { attempt: "other_body", final: true }, "superseded"],
    ["a further attempt after the FINAL", job, { ...report, attempt: 2 }, { final: true }, "superseded"],
    ["a stale fence after the FINAL", job, { ...report, fence: 6 }, { final: true }, "superseded"],
    ["a stale fence before any FINAL", job, { ...report, fence: 6 }, {}, "accepted"],
    ["a fence that was never given", job, { ...report, fence: 8 }, {}, "rejected"],
    ["an unknown job", null, report, {}, "rejected"],
    ["a cancelled run", { ...job, state: "cancelled" }, report, {}, "accepted"],
  ] as const)("%s: %5$s", (_name, state, given, results, outcome) => {
    expect(decideReport(state, given, stored(results)).outcome).toBe(outcome);
  });

  it("replaces a MISSED record by a late FINAL, not by an ATTEMPT", () => {
    const missed = stored({ missed: true });
    expect(decideReport({ ...job, state: "done" }, { ...report, fence: 6 }, missed)).toMatchObject({
      outcome: "accepted",
      replacesMissed: true,
    });
    expect(decideReport(job, { ...report, resultType: "ATTEMPT" }, missed)).toMatchObject({ outcome: "accepted", replacesMissed: false });
  });

  it("does not count back when a stale attempt arrives late", () => {
    expect(decideReport({ ...job, attempt: 4 }, { fence: 6, attempt: 1, resultType: "ATTEMPT" }, stored())).toMatchObject({
      job: { done: false, attempt: 4 },
    });
  });
});

describe("decideLeaseEnd", () => {
  const lease = { acknowledged: true, leasedAtMs: 1_000, leaseEndMs: 31_000, lostLeases: 0, nowMs: 31_000 };
  it.each([
    [{ nowMs: 30_999 }, "keep"],
    [{}, "requeue_next_attempt"],
    [{ lostLeases: 1 }, "requeue_next_attempt"],
    [{ lostLeases: 2 }, "give_up"],
    [{ acknowledged: false, nowMs: 15_999 }, "keep"],
    [{ acknowledged: false, nowMs: 16_000 }, "requeue_same_attempt"],
    [{ acknowledged: false, nowMs: 16_000, lostLeases: 2 }, "requeue_same_attempt"],
    [{ acknowledged: false, leaseEndMs: 6_000, nowMs: 6_000 }, "requeue_same_attempt"],
  ])("%o: %s", (given, expected) => {
    expect(decideLeaseEnd({ ...lease, ...given })).toBe(expected);
  });
});

describe("limits of a lease", () => {
  it("are arguments", () => {
    const lease = { acknowledged: false, leasedAtMs: 0, leaseEndMs: 30_000, lostLeases: 1, nowMs: 5_000 };
    expect(decideLeaseEnd(lease, { acknowledgeMs: 5_000, maxLostLeases: 2 })).toBe("requeue_same_attempt");
    expect(decideLeaseEnd({ ...lease, acknowledged: true, nowMs: 30_000 }, { acknowledgeMs: 5_000, maxLostLeases: 2 })).toBe("give_up");
    expect(queueWaitIsOver({ dueMs: 0, nowMs: 10 }, { queueWaitMs: 10 })).toBe(true);
  });
});

describe("a job that nobody runs", () => {
  it.each([
    [{ agentsSeen: false, anyAgentRunsIt: false }, "no_agent"],
    [{ agentsSeen: true, anyAgentRunsIt: false }, "no_agent"],
    [{ agentsSeen: true, anyAgentRunsIt: true }, "no_capacity"],
    [{ agentsSeen: true, anyAgentRunsIt: true, leasedBefore: true }, "expired"],
  ])("%o: %s", (given, expected) => {
    expect(missedReason(given)).toBe(expected);
  });
  it("waits six minutes", () => {
    expect([359_999, 360_000].map((nowMs) => queueWaitIsOver({ dueMs: 0, nowMs }))).toEqual([false, true]);
  });
});
