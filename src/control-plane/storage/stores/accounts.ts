import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { AccountRow, AccountStore } from "../storage.ts";

export function accountStore({ db, reads }: Engine): AccountStore {
  return {
    async create({ uuid, name, runtimeId, nowMs }) {
      const values = { uuid, name, runtime_id: runtimeId, settings: "{}", alert_settings: "{}", created_at: nowMs };
      return accountOf(await db.insertInto("accounts").values(values).returningAll().executeTakeFirstOrThrow());
    },
    async list() {
      return (await reads.selectFrom("accounts").selectAll().orderBy("id").execute()).map(accountOf);
    },
    async byUuid(uuid) {
      const row = await reads.selectFrom("accounts").selectAll().where("uuid", "=", uuid).executeTakeFirst();
      return row && accountOf(row);
    },
    async byId(id) {
      const row = await reads.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
      return row && accountOf(row);
    },
  };
}

function accountOf(row: Selectable<Tables["accounts"]>): AccountRow {
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    runtimeId: row.runtime_id,
    settings: JSON.parse(row.settings) as AccountRow["settings"],
    alertSettings: JSON.parse(row.alert_settings) as AccountRow["alertSettings"],
  };
}
