import type { LatestOutcome } from "../check-index-store.ts";

/** Of `check_statuses`, and of `alert_states` where it has a row. */
export interface OutcomeRow {
  readonly has_failures: number | null;
  readonly has_errors: number | null;
  readonly is_degraded: number | null;
  /** Locations whose newest run failed or was degraded. */
  readonly failing: number | null;
  readonly degraded: number | null;
}

/** As bad as the newest run of any of its locations: locations run in turn, so the newest of all says nothing of the others. */
export function statusOfCheck({ has_failures, has_errors, is_degraded, failing, degraded }: OutcomeRow): LatestOutcome["status"] {
  if (has_failures === 1 || has_errors === 1 || (failing ?? 0) > 0) return "failing";
  return is_degraded === 1 || (degraded ?? 0) > 0 ? "degraded" : "passing";
}
