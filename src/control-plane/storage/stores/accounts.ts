import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import type { AccountRow, AccountStore } from "../storage.ts";
import { removeAccount, sweepAccounts } from "./account-removal.ts";
import { wakeAlerts } from "./alerting/wake-alerts.ts";

export function accountStore(engine: Engine, signals: Signals): AccountStore {
  const { db, reads } = engine;
  const present = reads.selectFrom("accounts").selectAll().where("removed_at", "is", null);
  return {
    async create({ uuid, name, runtimeId, nowMs }) {
      const values = { uuid, name, runtime_id: runtimeId, settings: "{}", alert_settings: "{}", created_at: nowMs };
      return accountOf(await db.insertInto("accounts").values(values).returningAll().executeTakeFirstOrThrow());
    },
    async list() {
      return (await present.orderBy("id").execute()).map(accountOf);
    },
    async byUuid(uuid) {
      const row = await present.where("uuid", "=", uuid).executeTakeFirst();
      return row && accountOf(row);
    },
    async byId(id) {
      const row = await present.where("id", "=", id).executeTakeFirst();
      return row && accountOf(row);
    },
    update: (id, change) => updateAccount(engine, id, change),
    remove: (id, nowMs) => removeAccount(engine, id, nowMs),
    sweep: (nowMs, limit) => sweepAccounts(engine, signals, nowMs, limit),
  };
}

async function updateAccount(engine: Engine, id: number, change: Parameters<AccountStore["update"]>[1]): Promise<AccountRow | undefined> {
  return engine.transaction(async (trx) => {
    const row = await engine
      .lockRows(trx.selectFrom("accounts").selectAll().where("id", "=", id).where("removed_at", "is", null))
      .executeTakeFirst();
    if (!row) return undefined;
    const before = accountOf(row);
    const { name, runtimeId, settings, alertSettings } = { ...before, ...change(before) };
    if (alertSettings !== before.alertSettings) await wakeAlerts(engine, trx, { accountId: id });
    const values = {
      name,
      runtime_id: runtimeId,
      settings: JSON.stringify(settings),
      alert_settings: JSON.stringify(alertSettings),
    };
    return accountOf(await trx.updateTable("accounts").set(values).where("id", "=", id).returningAll().executeTakeFirstOrThrow());
  });
}

function accountOf(row: Selectable<Tables["accounts"]>): AccountRow {
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    runtimeId: row.runtime_id,
    settings: JSON.parse(row.settings) as AccountRow["settings"],
    alertSettings: JSON.parse(row.alert_settings) as AccountRow["alertSettings"],
    createdAtMs: row.created_at,
  };
}
