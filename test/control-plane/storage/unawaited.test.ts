import { CompiledQuery, type Kysely } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { openPostgres } from "../../../src/control-plane/storage/dialects/postgres.ts";
import { connectSqlite } from "../../../src/control-plane/storage/dialects/sqlite-engine.ts";
import { unawaited } from "../../../src/control-plane/storage/dialects/unawaited.ts";
import { privateFiles } from "../../../src/control-plane/storage/open-storage.ts";
import type { Tables } from "../../../src/control-plane/storage/schema.ts";
import { type EngineName, useEngines } from "./fixture.ts";

const engines = await useEngines();
const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

async function connected(engine: EngineName): Promise<Kysely<Tables>> {
  const { dataDir, databaseUrl } = await engines.place(engine);
  if (databaseUrl !== undefined) {
    const db = openPostgres(databaseUrl, 1);
    closes.push(() => db.destroy());
    return db;
  }
  const { db, close } = connectSqlite((await privateFiles(dataDir)).path, false);
  closes.push(close);
  return db;
}

const mark = (name: string) => unawaited(CompiledQuery.raw(`insert into marks (name, value) values ('${name}', 'x')`));

describe.each(engines.names)("a statement that nobody waits for on %s", (engine) => {
  const names = async (db: Kysely<Tables>) =>
    (await db.selectFrom("marks").select("name").where("value", "=", "x").execute()).map((row) => row.name);

  it("is seen by the next one, and stored with its transaction", async () => {
    const db = await connected(engine);
    const seen = await db.transaction().execute(async (trx) => {
      await trx.executeQuery(mark("a"));
      return names(trx);
    });
    expect(seen).toEqual(["a"]);
    expect(await names(db)).toEqual(["a"]);
  });

  it("is stored by a commit that has nothing else to do", async () => {
    const db = await connected(engine);
    await db.transaction().execute((trx) => trx.executeQuery(mark("a")));
    expect(await names(db)).toEqual(["a"]);
  });

  it.each([
    { what: "a statement that is waited for", last: (db: Kysely<Tables>) => names(db) },
    { what: "the commit", last: async () => undefined },
  ])("fails $what with its own error, and takes the transaction with it", async ({ last }) => {
    const db = await connected(engine);
    const work = db.transaction().execute(async (trx) => {
      await trx.executeQuery(mark("b"));
      await trx.executeQuery(mark("b"));
      await trx.executeQuery(mark("c"));
      await last(trx);
    });
    await expect(work).rejects.toMatchObject({ code: "conflict" });
    expect(await names(db)).toEqual([]);
    await db.transaction().execute((trx) => trx.executeQuery(mark("d")));
    expect(await names(db)).toEqual(["d"]);
  });
});
