import type { CheckTypeName } from "#contract/primitives.ts";

/** What reports, exports and badges tell of a check, as its group makes of it, and how it stands; not its request and settings. */
export interface IndexedCheck {
  readonly id: number;
  readonly uuid: string;
  readonly type: CheckTypeName;
  readonly name: string;
  readonly activated: boolean;
  /** Until somebody unmutes it or its group. */
  readonly muted: boolean;
  /** Muted for a while, until then; null or past: it is not. */
  readonly mutedUntilMs: number | null;
  readonly tags: readonly string[];
  /** Name, tags, target and locations in lower case, for the search of lists. */
  readonly searched: string;
  readonly groupName: string | null;
  /** What its group makes of it; null: it is in none. */
  readonly ofGroup: GroupSay | null;
  /** Null when it has not run. */
  readonly latest: LatestOutcome | null;
  /** Runs since the check was made, by how they ended; of a heartbeat its events since it was last activated. They only grow. */
  readonly totals: RunTotals;
}

/** A group's own switches, whatever its checks say themselves. */
export interface GroupSay {
  readonly id: number;
  readonly activated: boolean;
  readonly muted: boolean;
}

export interface RunTotals {
  readonly passed: number;
  readonly degraded: number;
  readonly failed: number;
  /** Response times of all of them, added up. */
  readonly responseTimeMs: number;
}

/** After the newest results; `status`: as bad as the newest one of any location. */
export interface LatestOutcome {
  readonly status: "passing" | "degraded" | "failing";
  readonly startedAtMs: number;
  readonly sslDaysRemaining: number | null;
}

/** Checks without what is large in them, for answers over thousands of them. */
export interface CheckIndexStore {
  /** In the order of their creation. */
  ofAccount(accountId: number): Promise<readonly IndexedCheck[]>;
  /** Those of the account; foreign and unknown ones are left out. */
  byUuids(accountId: number, uuids: readonly string[]): Promise<readonly IndexedCheck[]>;
  /** Of any account: for what is public. */
  activatedByUuid(uuid: string): Promise<IndexedCheck | undefined>;
  /** Of any account: for what is public. Empty also where there is no such group. */
  activatedOfGroup(groupId: number): Promise<readonly IndexedCheck[]>;
}
