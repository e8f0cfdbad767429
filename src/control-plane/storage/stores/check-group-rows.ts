import type { Kysely, Selectable } from "kysely";
import type { CheckGroupRow } from "../check-group-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";

/* Groups as they are read. They are documents. */

export const groupKind = "check-group";

/** Groups by their numbers, of one account or, for rows that were checked, of any; missing ones are left out. */
export async function groupsById(
  db: Kysely<Tables>,
  engine: Engine,
  ids: readonly number[],
  accountId?: number,
): Promise<readonly CheckGroupRow[]> {
  if (ids.length === 0) return [];
  const groups = accountId === undefined ? db.selectFrom("documents").where("kind", "=", groupKind) : groupsOfAccount(db, accountId);
  return (await groups.selectAll().where(engine.isAny("id", ids)).orderBy("id").execute()).map(groupOf);
}

export function groupsOfAccount(db: Kysely<Tables>, accountId: number) {
  return db.selectFrom("documents").where("account_id", "=", accountId).where("kind", "=", groupKind);
}

export function groupOf(row: Selectable<Tables["documents"]>): CheckGroupRow {
  // Written by `definitionOf`.
  const { locationIds, ...settings } = JSON.parse(row.definition) as CheckGroupRow["settings"] & Pick<CheckGroupRow, "locationIds">;
  const { id, uuid, account_id: accountId, created_at: createdAtMs, updated_at: updatedAtMs } = row;
  return { id, uuid, accountId, settings, locationIds, createdAtMs, updatedAtMs };
}
