import { type CheckStatus, getCheckStatus, listCheckStatuses } from "#contract/check-statuses.ts";
import { type Handler, handler } from "../http/handler.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { CheckStatusRow, CheckStore } from "../storage/storage.ts";

/**
 * A check without a FINAL result has no status: clients read `hasFailures: false` as passing, and its booleans cannot be null. So it is
 * left out of the list, and its own address answers 404 until its first result.
 */
export function checkStatusHandlers(checks: Pick<CheckStore, "statuses" | "status">): readonly Handler[] {
  return [
    handler(listCheckStatuses, async (_input, { caller }) => (await checks.statuses(caller.account.id)).map(statusView)),
    handler(getCheckStatus, async ({ params: { checkId } }, { caller }) => {
      const row = await checks.status(caller.account.id, checkId.toLowerCase());
      if (row === undefined) throw notFound("check status", checkId);
      return statusView(row);
    }),
  ];
}

function statusView(row: CheckStatusRow): CheckStatus {
  return {
    name: row.name,
    checkId: row.checkUuid,
    hasFailures: row.hasFailures,
    hasErrors: row.hasErrors,
    isDegraded: row.isDegraded,
    longestRun: row.longestRunMs,
    shortestRun: row.shortestRunMs,
    lastRunLocation: row.lastRunLocation,
    lastCheckRunId: row.lastCheckRunId,
    sslDaysRemaining: row.sslDaysRemaining,
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
  };
}
