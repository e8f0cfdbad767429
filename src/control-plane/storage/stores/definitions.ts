import { sql } from "kysely";
import type { DefinitionStore } from "../definition-store.ts";
import type { Engine } from "../engine.ts";

export function definitionStore({ db, reads }: Engine): DefinitionStore {
  return {
    async after(kind, id, limit) {
      if (kind === "check") {
        const rows = await reads
          .selectFrom("checks")
          .select(["id", "account_id", "uuid", "definition"])
          .where("id", ">", id)
          .orderBy("id")
          .limit(limit)
          .execute();
        return rows.map(({ account_id: accountId, ...row }) => ({ ...row, accountId, name: null }));
      }
      const rows = await reads
        .selectFrom("documents")
        .select(["id", "account_id", "uuid", "name", "definition"])
        .where("kind", "=", kind)
        .where("id", ">", id)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(({ account_id: accountId, ...row }) => ({ ...row, accountId }));
    },
    async replace(kind, row, definition) {
      // A check's revision tells whoever keeps it that it changed.
      const revised = kind === "check" ? sql`, revision = revision + 1` : sql``;
      const { numAffectedRows = 0n } = await sql`update ${sql.table(kind === "check" ? "checks" : "documents")}
        set definition = ${definition}${revised} where id = ${row.id} and definition = ${row.definition}`.execute(db);
      return numAffectedRows > 0n;
    },
    async tokensWithout(prefix, id, limit) {
      const rows = await reads
        .selectFrom("heartbeats")
        .innerJoin("checks", "checks.id", "heartbeats.check_id")
        .select(["checks.id", "checks.account_id", "checks.uuid", "checks.definition", "heartbeats.token"])
        .where("heartbeats.token", "not like", `${prefix}%`)
        .where("checks.id", ">", id)
        .orderBy("checks.id")
        .limit(limit)
        .execute();
      return rows.map(({ account_id: accountId, ...row }) => ({ ...row, accountId, name: null }));
    },
    async replaceToken(row, token) {
      await db.updateTable("heartbeats").set({ token }).where("check_id", "=", row.id).where("token", "=", row.token).execute();
    },
  };
}
