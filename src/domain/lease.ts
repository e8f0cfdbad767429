/**
 * A job is queued → leased → done, or cancelled on the way. Each lease gets a higher fence. The rules here say what
 * a report and the end of a lease mean; the store makes them true in one transaction.
 */

/** What a job may take before it is ended or given to somebody else. */
export interface LeaseLimits {
  /** A job waits so long in the queue, then it is recorded as MISSED (behaviour 5). */
  readonly queueWaitMs: number;
  /** A lease that the agent does not acknowledge with a heartbeat so soon never reached it. */
  readonly acknowledgeMs: number;
  /** This lease lost without a result ends a job: it may be what kills its agents. */
  readonly maxLostLeases: number;
}

export const defaultLeaseLimits: LeaseLimits = { queueWaitMs: 360_000, acknowledgeMs: 15_000, maxLostLeases: 3 };

export interface JobState {
  readonly state: "queued" | "leased" | "done" | "cancelled";
  /** Of the newest lease. */
  readonly fence: number;
  /** Number of the next attempt. */
  readonly attempt: number;
}

export interface StoredResults {
  /** The result stored under the report's job and attempt number, if any. */
  readonly attempt: "none" | "same_body" | "other_body";
  readonly final: boolean;
  /** The job was recorded as missed; such a record stands in for a FINAL until one comes. */
  readonly missed: boolean;
}

export type ReportDecision =
  | {
      readonly outcome: "accepted";
      /** A late FINAL takes the place of the MISSED record. */
      readonly replacesMissed: boolean;
      /** FINAL: the job is done and any lease of it ends. Otherwise the number of its next attempt. */
      readonly job: { readonly done: true } | { readonly done: false; readonly attempt: number };
    }
  | { readonly outcome: "duplicate" | "superseded" | "conflict" | "rejected"; readonly because: string };

/**
 * What becomes of a reported attempt. Idempotent by job and attempt: the same body again is a duplicate, another one
 * a conflict. A stale fence is taken only while no FINAL exists: a late result is better than none.
 */
export function decideReport(
  job: JobState | null,
  report: { readonly fence: number; readonly attempt: number; readonly resultType: "FINAL" | "ATTEMPT" },
  stored: StoredResults,
): ReportDecision {
  if (stored.attempt === "same_body") return { outcome: "duplicate", because: "this attempt is stored already" };
  const isStale = job === null || report.fence < job.fence;
  if (stored.final && (isStale || stored.attempt === "none")) return { outcome: "superseded", because: "the job has its final result" };
  if (stored.attempt === "other_body") return { outcome: "conflict", because: "this attempt is stored with another body" };
  if (job === null) return { outcome: "rejected", because: "no such job" };
  if (report.fence > job.fence) return { outcome: "rejected", because: "this lease was never given" };
  const isFinal = report.resultType === "FINAL";
  return {
    outcome: "accepted",
    replacesMissed: isFinal && stored.missed,
    job: isFinal ? { done: true } : { done: false, attempt: Math.max(job.attempt, report.attempt + 1) },
  };
}

export type LeaseEnd = "keep" | "requeue_same_attempt" | "requeue_next_attempt" | "give_up";

/**
 * What becomes of a leased job that has no result yet. A lease that was never acknowledged uses up no attempt;
 * `lostLeases` counts the acknowledged ones that ended before this one.
 */
export function decideLeaseEnd(
  lease: {
    readonly acknowledged: boolean;
    readonly leasedAtMs: number;
    readonly leaseEndMs: number;
    readonly lostLeases: number;
    readonly nowMs: number;
  },
  { acknowledgeMs, maxLostLeases }: Omit<LeaseLimits, "queueWaitMs"> = defaultLeaseLimits,
): LeaseEnd {
  const { acknowledged, leasedAtMs, leaseEndMs, lostLeases, nowMs } = lease;
  if (!acknowledged) return nowMs >= Math.min(leaseEndMs, leasedAtMs + acknowledgeMs) ? "requeue_same_attempt" : "keep";
  if (nowMs < leaseEndMs) return "keep";
  return lostLeases + 1 >= maxLostLeases ? "give_up" : "requeue_next_attempt";
}

/** Whether a job that nobody runs has waited too long. */
export function queueWaitIsOver(
  job: { readonly dueMs: number; readonly nowMs: number },
  { queueWaitMs }: Pick<LeaseLimits, "queueWaitMs"> = defaultLeaseLimits,
): boolean {
  return job.nowMs - job.dueMs >= queueWaitMs;
}

export type MissedReason = "no_agent" | "no_capacity" | "expired";

/**
 * Why a queued job was never run: nobody was there who could (no_agent), they were there but never took it
 * (no_capacity), or one took it and did not bring a result in time (expired).
 */
export function missedReason(waiting: {
  readonly agentsSeen: boolean;
  /** Its check type, and the runtime that its scripts need. */
  readonly anyAgentRunsIt: boolean;
  readonly leasedBefore?: boolean;
}): MissedReason {
  if (waiting.leasedBefore) return "expired";
  return waiting.agentsSeen && waiting.anyAgentRunsIt ? "no_capacity" : "no_agent";
}
