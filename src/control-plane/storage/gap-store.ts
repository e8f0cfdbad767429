import type { Gap } from "#domain/schedule-gaps.ts";
import type { Page } from "./page.ts";

/** Slots of a check that never became a run. */
export interface CheckGapRow extends Gap {
  readonly checkId: number;
}

export interface GapRow extends CheckGapRow {
  /** As the check had them then. */
  readonly locationCodes: readonly string[];
  /** The slots are of each of the locations; else of one of them in turn. */
  readonly runParallel: boolean;
}

export interface GapFilter {
  readonly checkId: number;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly page: number;
  readonly limit: number;
}

export interface GapStore {
  /** Newest first; those with a slot in the time. */
  list(filter: GapFilter): Promise<Page<GapRow>>;
  /** All of one check with a slot in the time, the earliest first. */
  ofCheck(checkId: number, fromMs: number, toMs: number): Promise<readonly GapRow[]>;
  /** Of these checks, those with a slot in the time, without a location; of very many the newest. */
  ofChecks(checkIds: readonly number[], fromMs: number, toMs: number): Promise<readonly CheckGapRow[]>;
}
