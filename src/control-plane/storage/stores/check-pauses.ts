import type { Span } from "#domain/maintenance.ts";
import { chosenSpans } from "#domain/maintenance-effects.ts";
import type { Engine } from "../engine.ts";
import type { Trx } from "../schema.ts";
import type { CheckDefinition } from "../storage.ts";
import { groupsById } from "./check-group-rows.ts";
import { maintenanceEffects } from "./maintenance-effects.ts";

/** When maintenance windows pause the scheduled runs of these checks, at some time from the first to the second; by check, where any does. */
export async function pausesOf(
  engine: Engine,
  trx: Trx,
  checks: readonly { readonly id: number; readonly account_id: number }[],
  time: { readonly fromMs: number; readonly toMs: number },
): Promise<ReadonlyMap<number, readonly Span[]>> {
  const accountIds = [...new Set(checks.map((check) => check.account_id))];
  const effects = await maintenanceEffects(engine, trx, "pauses", accountIds, time);
  const ids = checks.filter((check) => effects.has(check.account_id)).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await trx
    .selectFrom("checks")
    .select(["id", "account_id", "definition", "group_id"])
    .where(engine.isAny("id", ids))
    .execute();
  const groups = await groupsById(trx, engine, [...new Set(rows.flatMap((row) => row.group_id ?? []))]);
  const groupTags = new Map(groups.map(({ id, settings }) => [id, settings.tags]));
  return new Map(
    rows.map((row) => {
      const { tags } = JSON.parse(row.definition) as CheckDefinition;
      const all = [...tags, ...(groupTags.get(row.group_id ?? 0) ?? [])];
      return [row.id, chosenSpans(effects.get(row.account_id) ?? [], all)];
    }),
  );
}
