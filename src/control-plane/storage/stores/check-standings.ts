import type { CheckStanding, CheckStandingStore } from "../check-standing-store.ts";
import type { Engine } from "../engine.ts";
import { statusOfCheck } from "./latest-outcome.ts";

/**
 * Goes over the account's checks and their statuses by their keys, and hands over only what changed. An index of the moment would make each result
 * dearer, and costs PostgreSQL that statuses are written in place.
 */
export function checkStandingStore({ reads }: Engine): CheckStandingStore {
  return {
    async changedSince(accountId, sinceMs) {
      const rows = await reads
        .selectFrom("checks")
        .innerJoin("check_statuses", "check_statuses.check_id", "checks.id")
        .leftJoin("alert_states", "alert_states.check_id", "checks.id")
        .select(["checks.id", "has_failures", "has_errors", "is_degraded", "last_started_us", "ssl_days_remaining", "failing", "degraded"])
        .select(["runs_passed", "runs_degraded", "runs_failed", "runs_ms"])
        .where("checks.account_id", "=", accountId)
        .where("check_statuses.updated_at", ">=", sinceMs)
        .execute();
      return rows.map(
        (row): CheckStanding => ({
          id: row.id,
          latest: {
            status: statusOfCheck(row),
            startedAtMs: Math.floor(row.last_started_us / 1000),
            sslDaysRemaining: row.ssl_days_remaining,
          },
          totals: { passed: row.runs_passed, degraded: row.runs_degraded, failed: row.runs_failed, responseTimeMs: row.runs_ms },
        }),
      );
    },
  };
}
