import { sql } from "kysely";
import { afterAll, expect, it } from "vitest";
import { openPostgres } from "../../../src/control-plane/storage/dialects/postgres.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import { proxyCutAt } from "../../support/proxy-cut-at.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());
const postgres = engines.list.find(({ name }) => name === "PostgreSQL");

it.skipIf(postgres === undefined)(
  `a connection that is lost while it is prepared leaves its place in the pool to the next${postgres === undefined ? ": no PostgreSQL" : ""}`,
  async () => {
    const url = new URL((await postgres?.databaseUrl()) ?? "");
    const proxy = await proxyCutAt("set jit = off", Number(url.port), "goes on");
    url.host = `127.0.0.1:${proxy.port}`;
    const db = openPostgres(url.href, 1);
    await expect(sql`select 1`.execute(db)).rejects.toThrow("the database cannot answer now");
    expect(proxy.hasCut()).toBe(true);
    expect((await sql`select 2 as two`.execute(db)).rows).toEqual([{ two: 2 }]);
    await db.destroy();
    proxy.end();
  },
  20_000,
);
