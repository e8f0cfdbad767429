import type { Engine } from "../engine.ts";
import type { MarkStore } from "../storage.ts";

export function markStore(engine: Engine): MarkStore {
  const { db } = engine;
  return {
    async keep(name, value) {
      await db
        .insertInto("marks")
        .values({ name, value })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute();
      return (await db.selectFrom("marks").select("value").where("name", "=", name).executeTakeFirstOrThrow()).value;
    },
    async find(name) {
      return (await db.selectFrom("marks").select("value").where("name", "=", name).executeTakeFirst())?.value;
    },
    async replace(name, value) {
      // A transaction, as only that waits for the disk: probes tell by it how the disk does.
      await engine.transaction(async (trx) => {
        await trx
          .insertInto("marks")
          .values({ name, value })
          .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
          .execute();
      });
    },
  };
}
