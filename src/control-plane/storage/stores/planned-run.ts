import type { NewRun } from "../storage.ts";

export interface PlannedRun extends NewRun {
  readonly checkType: string;
  /** When it came into the queue, where that is later than its date. */
  readonly queuedAtMs?: number;
  /** Of the schedule: so long after its date it may still begin. */
  readonly windowMs?: number;
}
