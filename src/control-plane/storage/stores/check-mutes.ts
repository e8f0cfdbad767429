import type { Engine } from "../engine.ts";
import { wakeAlerts } from "./alerting/wake-alerts.ts";

/** See `CheckStore.muteUntil`. All of them or none; what was to be told meanwhile is looked at by the next tick. */
export async function muteUntil(
  engine: Engine,
  accountId: number,
  uuids: readonly string[],
  untilMs: number | null,
  nowMs: number,
): Promise<readonly string[]> {
  if (uuids.length === 0) return [];
  const aheadMs = engine.clock.waitMs(nowMs) - nowMs;
  return engine.transaction(async (trx) => {
    const chosen = trx.selectFrom("checks").select(["id", "uuid"]).where("account_id", "=", accountId).where(engine.isAny("uuid", uuids));
    const changing = untilMs === null ? chosen.where("muted_until_ms", "is not", null) : chosen;
    // In order, as everybody who takes several.
    const rows = await engine.lockRows(changing.orderBy("id")).execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return [];
    const muted_until_ms = untilMs === null ? null : untilMs + aheadMs;
    await trx.updateTable("checks").set({ muted_until_ms }).where(engine.isAny("id", ids)).execute();
    await wakeAlerts(engine, trx, { checkIds: ids });
    return rows.map(({ uuid }) => uuid);
  });
}
