import { heldUntilMs } from "#domain/maintenance-effects.ts";
import type { Engine } from "../engine.ts";
import type { Trx } from "../schema.ts";
import type { CheckDefinition } from "../storage.ts";
import { groupsById } from "./check-group-rows.ts";
import { maintenanceEffects } from "./maintenance-effects.ts";

/** Those of the checks whose scheduled runs a maintenance window pauses now. */
export async function pausedChecks(
  engine: Engine,
  trx: Trx,
  checks: readonly { readonly id: number; readonly account_id: number }[],
  nowMs: number,
): Promise<ReadonlySet<number>> {
  const accountIds = [...new Set(checks.map((check) => check.account_id))];
  const effects = await maintenanceEffects(engine, trx, "pauses", accountIds, { fromMs: nowMs, toMs: nowMs });
  const ids = checks.filter((check) => effects.has(check.account_id)).map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const rows = await trx
    .selectFrom("checks")
    .select(["id", "account_id", "definition", "group_id"])
    .where(engine.isAny("id", ids))
    .execute();
  const groups = await groupsById(trx, engine, [...new Set(rows.flatMap((row) => row.group_id ?? []))]);
  const groupTags = new Map(groups.map(({ id, settings }) => [id, settings.tags]));
  const isPaused = (row: (typeof rows)[number]): boolean => {
    const { tags } = JSON.parse(row.definition) as CheckDefinition;
    const all = [...tags, ...(groupTags.get(row.group_id ?? 0) ?? [])];
    return heldUntilMs(effects.get(row.account_id) ?? [], all, nowMs) !== null;
  };
  return new Set(rows.filter(isPaused).map(({ id }) => id));
}
