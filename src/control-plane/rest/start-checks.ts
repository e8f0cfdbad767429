import type { RunSource } from "#contract/check-sessions.ts";
import { compareInGroup, type OrderedCheck } from "#domain/group-order.ts";
import type { CheckGroupStore, CheckRow, ScheduleStore, SessionRow } from "../storage/storage.ts";

export interface StartDeps {
  readonly schedule: Pick<ScheduleStore, "startRuns">;
  readonly checkGroups: Pick<CheckGroupStore, "byIds">;
  readonly nowMs: () => number;
}

/**
 * Runs checks of an account now, each at all its locations. Those of a group start its `concurrency` at a time in their order, whatever
 * triggered them (spec 2.11); the others at once. All sessions are there when this returns. Checks without a location must be left out.
 */
export async function startChecks(
  { schedule, checkGroups, nowMs }: StartDeps,
  accountId: number,
  checks: readonly CheckRow[],
  source: RunSource,
): Promise<readonly SessionRow[]> {
  const groupIds = [...new Set(checks.flatMap(({ groupId }) => groupId ?? []))];
  const groups = new Map((await checkGroups.byIds(accountId, groupIds)).map((group) => [group.id, group.settings.concurrency]));
  const runAtMs = nowMs();
  const runs = checks
    .toSorted((a, b) => compareInGroup(orderOf(a), orderOf(b)))
    .map(({ id: checkId, groupId, locationIds }) => {
      const concurrency = groupId === null ? undefined : groups.get(groupId);
      const group = groupId === null || concurrency === undefined ? {} : { group: { id: groupId, concurrency } };
      return { accountId, checkId, runAtMs, source, locationIds, ...group };
    });
  return schedule.startRuns(runs);
}

function orderOf({ id, definition }: CheckRow): OrderedCheck {
  const { groupOrder } = definition;
  return { id, groupOrder: typeof groupOrder === "number" ? groupOrder : null };
}
