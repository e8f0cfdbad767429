import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";

/** Whose settings changed. */
type Changed =
  | { readonly checkId: number }
  | { readonly checkIds: readonly number[] }
  | { readonly groupId: number }
  | { readonly accountId: number };

/** Settings of checks changed, so something may have to be told: the next tick looks. Checks without a state have nothing to tell. */
export async function wakeAlerts(engine: Engine, trx: Trx, changed: Changed): Promise<void> {
  if ("checkId" in changed) {
    await engine.send(trx, trx.updateTable("alert_states").set({ next_due_ms: 0 }).where("check_id", "=", changed.checkId));
    return;
  }
  // In order, as everybody who takes several: PostgreSQL would deadlock otherwise.
  const states = await engine
    .lockRows(
      trx
        .selectFrom("alert_states")
        .select("check_id")
        .where("check_id", "in", checksOf(engine, trx, changed))
        .orderBy("check_id"),
    )
    .execute();
  const ids = states.map((row) => row.check_id);
  if (ids.length > 0) await trx.updateTable("alert_states").set({ next_due_ms: 0 }).where(engine.isAny("check_id", ids)).execute();
}

function checksOf(engine: Engine, trx: Trx, changed: Exclude<Changed, { readonly checkId: number }>) {
  const checks = trx.selectFrom("checks").select("id");
  if ("checkIds" in changed) return checks.where(engine.isAny("id", changed.checkIds));
  return "groupId" in changed ? checks.where("group_id", "=", changed.groupId) : checks.where("account_id", "=", changed.accountId);
}
