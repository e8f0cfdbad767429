import { effectiveCheck } from "#domain/effective-check.ts";
import { shownDefinition, shownSettings } from "../secrets/definition-secrets.ts";
import type { Reveal } from "../secrets/request-secrets.ts";
import type { CheckGroupStore, CheckRow } from "../storage/storage.ts";

/**
 * The checks of an account as their groups make them run, in the same order. One look-up serves them all. Secrets are as they are read, as each
 * is bound to the check or the group that it comes from.
 */
export async function withGroupSettings(
  checkGroups: Pick<CheckGroupStore, "byIds">,
  accountId: number,
  rows: readonly CheckRow[],
  reveal: Reveal,
): Promise<readonly CheckRow[]> {
  const ids = [...new Set(rows.flatMap(({ groupId }) => groupId ?? []))];
  const settings = new Map((await checkGroups.byIds(accountId, ids)).map((group) => [group.id, shownSettings(group, reveal)]));
  return rows.map((row) => {
    const group = row.groupId === null ? undefined : settings.get(row.groupId);
    if (group === undefined) return row;
    const own = shownDefinition(row.definition, reveal, { kind: "check", accountId, row: row.uuid });
    return { ...row, definition: effectiveCheck(group, row.type, own) };
  });
}
