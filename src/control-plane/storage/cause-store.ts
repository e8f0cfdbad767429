import type { CheckTypeName } from "#contract/primitives.ts";

/** A check beside one that failed. */
export interface NeighbourCheck {
  readonly id: number;
  readonly uuid: string;
  readonly type: CheckTypeName;
  readonly name: string;
  /** What its request names as its target; null where it names none that is known without a run. */
  readonly target: string | null;
}

/** A final result, without what it saw. */
export interface NeighbourRun {
  readonly checkId: number;
  readonly locationId: number;
  readonly startedAtMs: number;
  /** With the next: what its UUID tells. */
  readonly id: number;
  readonly runAtMs: number;
  readonly isFailed: boolean;
  readonly isDegraded: boolean;
}

/** Another heartbeat of an account, and whether it was missed in a time; it was pinged in it where it was not. */
export interface NeighbourHeartbeat {
  readonly uuid: string;
  readonly name: string;
  readonly isMissed: boolean;
}

export interface Neighbourhood {
  /** Without the check itself. */
  readonly checks: readonly NeighbourCheck[];
  /** Of the check and of these, the newest first. */
  readonly runs: readonly NeighbourRun[];
  /** By id. */
  readonly locations: ReadonlyMap<number, { readonly code: string; readonly name: string }>;
}

/** What agents of a location called themselves. */
export interface AgentVersion {
  readonly version: string;
  readonly openedAtMs: number;
  readonly lastSeenAtMs: number;
}

/** What analyses of failures look at beside the failed run. Each look is bounded, however large the account is. */
export interface CauseStore {
  /**
   * Checks that failed in this time, and some of those that did not: the account's newest and oldest, and those of the same target among them.
   *
   * @param time epoch milliseconds
   */
  around(accountId: number, checkId: number, time: { readonly fromMs: number; readonly toMs: number }): Promise<Neighbourhood>;
  /** Start of the first final result at a location after that moment that failed, or, as asked, was degraded or failed; null: none is known. */
  firstFailure(checkId: number, locationCode: string, afterMs: number, standing: "failing" | "degraded"): Promise<number | null>;
  /** Other heartbeats of the account of which anything was heard in this time. */
  heartbeatsBeside(
    accountId: number,
    checkId: number,
    time: { readonly fromMs: number; readonly toMs: number },
  ): Promise<readonly NeighbourHeartbeat[]>;
  /** Undefined where the account has no such check. */
  checkUuid(accountId: number, checkId: number): Promise<string | undefined>;
  /** Of sessions that were heard of since then, the latest opened first; empty where nobody has such a location. */
  agentVersions(accountId: number, locationCode: string, sinceMs: number): Promise<readonly AgentVersion[]>;
}
