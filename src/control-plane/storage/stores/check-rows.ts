import { type Kysely, type Selectable, sql } from "kysely";
import { accountRuntime } from "#domain/script-runtime.ts";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { CheckDefinition, CheckRow } from "../storage.ts";

/** One row as everybody above sees it. */
export function checkOf(row: Selectable<Tables["checks"]>): CheckRow {
  return {
    id: row.id,
    uuid: row.uuid,
    accountId: row.account_id,
    type: row.type,
    definition: JSON.parse(row.definition) as CheckDefinition,
    activated: row.activated === 1,
    groupId: row.group_id,
    locationIds: JSON.parse(row.location_ids) as readonly number[],
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

/** Checks by their inside ids; missing ones are left out. */
export async function checksById(db: Kysely<Tables>, engine: Engine, ids: readonly number[]): Promise<ReadonlyMap<number, CheckRow>> {
  const rows = await db.selectFrom("checks").selectAll().where(engine.isAny("id", ids)).execute();
  return new Map(rows.map((row) => [row.id, checkOf(row)]));
}

/** Of a row of checks: the id of the runtime that its scripts need, its account's where it names none; null without scripts. */
export const neededRuntime = sql<string | null>`case when checks.script_runtime = ${sql.lit(accountRuntime)}
  then (select runtime_id from accounts where accounts.id = checks.account_id) else checks.script_runtime end`;
