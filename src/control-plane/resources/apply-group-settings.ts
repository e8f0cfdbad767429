import { effectiveCheck } from "#domain/effective-check.ts";
import type { CheckGroupStore, CheckRow } from "../storage/storage.ts";

/** The checks of an account as their groups make them run, in the same order. One look-up serves them all. */
export async function withGroupSettings(
  checkGroups: Pick<CheckGroupStore, "byIds">,
  accountId: number,
  rows: readonly CheckRow[],
): Promise<readonly CheckRow[]> {
  const ids = [...new Set(rows.flatMap(({ groupId }) => groupId ?? []))];
  const settings = new Map((await checkGroups.byIds(accountId, ids)).map((group) => [group.id, group.settings]));
  return rows.map((row) => {
    const group = row.groupId === null ? undefined : settings.get(row.groupId);
    return group === undefined ? row : { ...row, definition: effectiveCheck(group, row.type, row.definition) };
  });
}
