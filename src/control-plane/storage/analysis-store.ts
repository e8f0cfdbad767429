import type { AuditActor } from "./audit-store.ts";

/** What is analysed: one of these. */
export interface AnalysedGroup {
  readonly errorGroupId: number | null;
  readonly testFailureGroupId: number | null;
  /** As it stands: a check that is degraded, or a heartbeat that is not pinged. */
  readonly checkId?: number | null | undefined;
}

export interface AnalysisRow extends AnalysedGroup {
  readonly uuid: string;
  readonly accountId: number;
  readonly userContext: string;
  readonly status: "PENDING" | "COMPLETED" | "FAILED";
  /** JSON with what made it; null before it is completed. */
  readonly completed: { readonly provider: string; readonly model: string; readonly durationMs: number; readonly analysis: unknown } | null;
  readonly createdAtMs: number;
  /** Null: an alert asked. */
  readonly askedBy: AuditActor | null;
  /** How often somebody began with it. */
  readonly attempts: number;
}

/** An analysis that is to be made. */
export type WantedAnalysis = Pick<AnalysisRow, "uuid" | "userContext" | "createdAtMs" | "askedBy">;

/** An episode whose account may want an analysis. */
export interface UnaskedEpisode {
  readonly id: number;
  readonly accountId: number;
  /** Null: nothing is known that can be analysed. */
  readonly of: AnalysedGroup | null;
  /** It was looked at before, and since then other locations fail. */
  readonly isAgain: boolean;
}

export interface LookedEpisode extends UnaskedEpisode {
  /** Null: none. */
  readonly wanted: WantedAnalysis | null;
}

/** Analyses of failures: what is asked for and what came of it. Whoever analyses claims the pending ones. */
export interface AnalysisStore {
  /** @returns the one of the group that is pending, where there is one */
  request(accountId: number, of: AnalysedGroup, wanted: WantedAnalysis): Promise<AnalysisRow>;
  find(accountId: number, uuid: string): Promise<AnalysisRow | undefined>;
  /** Completed ones, the latest first, 20 at most. */
  ofGroup(accountId: number, of: AnalysedGroup): Promise<readonly AnalysisRow[]>;
  /** The latest, whatever its state. */
  latest(accountId: number, of: AnalysedGroup): Promise<AnalysisRow | undefined>;
  /** Pending ones that nobody is at, the oldest first; they are the caller's for so long. */
  claim(nowMs: number, forMs: number, limit: number): Promise<readonly AnalysisRow[]>;
  /** One that has ended stays as it is. */
  end(uuid: string, status: "COMPLETED" | "FAILED", completed: AnalysisRow["completed"]): Promise<void>;
  /** Adds to what a model took for one. */
  spend(uuid: string, tokens: number): Promise<void>;
  /** Tokens that models took for analyses which were asked for since then. */
  spentSince(accountId: number, sinceMs: number): Promise<number>;
  /** Of any account, the oldest first; those that are looked at again, once that is due. */
  unaskedEpisodes(nowMs: number, limit: number): Promise<readonly UnaskedEpisode[]>;
  /** Notes that episodes were looked at, each once and again when that is due, with what is wanted for it. @returns how many analyses were asked for */
  ask(nowMs: number, looked: readonly LookedEpisode[]): Promise<number>;
  /** Removes up to `limit` that were asked for before. @returns how many */
  prune(beforeMs: number, limit: number): Promise<number>;
}
