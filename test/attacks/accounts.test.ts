import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, describe, expect } from "vitest";
import { keyHolder } from "../control-plane/console/key-holder.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { ExampleWorld } from "../control-plane/example-world.ts";
import { FakeAgent } from "../control-plane/fake-agent.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { attack } from "./attack.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

type Row = Readonly<Record<string, unknown>>;
type Query = (sql: string) => Promise<readonly Row[]>;

/** Another way to the store than the product's own. */
async function withQueries<T>(
  plane: ControlPlaneUnderTest,
  databaseUrl: string | undefined,
  body: (query: Query) => Promise<T>,
): Promise<T> {
  if (databaseUrl === undefined) {
    const store = new DatabaseSync(join(plane.dataDir, "outpost.db"), { readOnly: true });
    try {
      return await body(async (sql) => store.prepare(sql).all());
    } finally {
      store.close();
    }
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await body(async (sql) => (await client.query(sql)).rows);
  } finally {
    await client.end();
  }
}

/** Columns that name something of an account, and the table of it. */
const references = {
  account_id: "accounts",
  location_id: "locations",
  check_id: "checks",
  document_id: "documents",
  channel_id: "documents",
} as const;

async function columnsOf(query: Query, isSqlite: boolean): Promise<readonly { readonly table: string; readonly column: string }[]> {
  const rows = isSqlite
    ? await query("select m.name as t, p.name as c from sqlite_master m join pragma_table_info(m.name) p where m.type = 'table'")
    : await query("select table_name as t, column_name as c from information_schema.columns where table_schema = 'public'");
  return rows.map(({ t, c }) => ({ table: String(t), column: String(c) })).filter(({ column }) => Object.hasOwn(references, column));
}

/** Until nothing is left to do. The control plane's own sweeper may work at the same time. */
async function sweepAll(accounts: ControlPlaneUnderTest["context"]["storage"]["accounts"], nowMs: number): Promise<void> {
  let removed = 1;
  while (removed > 0) removed = await accounts.sweep(nowMs, 1_000);
}

/** What the sweeper of files does with bundles, once their files are gone: an account waits for it. */
async function forgetBundles({ storage, nowMs }: ControlPlaneUnderTest["context"]): Promise<void> {
  const left = await storage.codeBundles.leftBehind({ openSinceMs: nowMs(), unusedSinceMs: 0, nowMs: nowMs() }, 100);
  expect(left).toHaveLength(1);
  for (const { key } of left) await storage.codeBundles.forget(key);
}

/** How many rows of each table name what is the account's. */
async function rowsOf(
  query: Query,
  isSqlite: boolean,
  ids: Readonly<Record<string, readonly unknown[]>>,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { table, column } of await columnsOf(query, isSqlite)) {
    const wanted = ids[references[column as keyof typeof references]] ?? [];
    if (wanted.length === 0) continue;
    const [row] = await query(`select count(*) as n from ${table} where ${column} in (${wanted.join(",")})`);
    if (Number(row?.["n"]) > 0) found.set(`${table}.${column}`, Number(row?.["n"]));
  }
  return found;
}

async function idsOf(query: Query, accountId: number): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const of = async (table: string): Promise<readonly unknown[]> =>
    (await query(`select id from ${table} where account_id = ${accountId}`)).map(({ id }) => id);
  const checks = await of("checks");
  return {
    accounts: [accountId],
    locations: await of("locations"),
    checks: [...checks, ...checks.map((id) => -Number(id))],
    documents: await of("documents"),
  };
}

describe.each(engines.list)("accounts on $name", ({ databaseUrl }) => {
  attack(
    "D5",
    "what a deleted account left behind, and its keys",
    async (held) => {
      const url = await databaseUrl();
      await using plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
      const made = await plane.call("POST", "/v1/accounts", { body: { name: "Second" } });
      expect(made.status).toBe(201);
      const key: string = made.body.rawKey;
      const { accounts } = plane.context.storage;
      const account = await accounts.byUuid(made.body.id);
      if (account === undefined) throw new Error("the account is not there");
      await ExampleWorld.build(plane);
      const world = await ExampleWorld.build(plane, { account, key });
      const locationKey: string = world.made.get("createPrivateLocation")?.body.keys[0].rawKey;
      const agent = await FakeAgent.open(plane.base, locationKey);
      const isSqlite = url === undefined;

      await withQueries(plane, url, async (query) => {
        const own = await idsOf(query, plane.account.id);
        const other = await idsOf(query, account.id);
        const before = await rowsOf(query, isSqlite, own);
        expect((await rowsOf(query, isSqlite, other)).size).toBeGreaterThan(20);

        expect((await plane.call("DELETE", `/v1/accounts/${account.uuid}`)).status).toBe(204);
        plane.advance(5_000);
        expect((await plane.call("GET", "/v1/checks", { key })).status).toBe(401);
        await expect(FakeAgent.open(plane.base, locationKey)).rejects.toThrow("401");
        expect((await agent.send("POST", "/jobs/lease", { max: 1, waitSeconds: 0 })).status).toBe(401);
        expect((await plane.call("GET", "/dashboards/other-shop-uptime", { key: undefined })).status).toBe(404);
        expect((await plane.call("DELETE", `/v1/accounts/${account.uuid}`)).status).toBe(404);

        await forgetBundles(plane.context);
        await sweepAll(accounts, plane.context.nowMs());
        expect(await rowsOf(query, isSqlite, other)).toEqual(new Map());
        expect(await query(`select id from accounts where id = ${account.id}`)).toEqual([]);
        for (const [where, count] of before) {
          const after = (await rowsOf(query, isSqlite, own)).get(where) ?? 0;
          expect([where, after >= count]).toEqual([where, true]);
        }
      });
      held("keys and sessions go at once, every row of every table after them");
    },
    120_000,
  );
});

attack(
  "D5",
  "a member of the second account, and keys with limits, make and delete accounts",
  async (held) => {
    await using plane = await controlPlaneUnderTest();
    const post = (name: string, key?: string) => plane.call("POST", "/v1/accounts", { body: { name }, ...(key !== undefined && { key }) });
    const second = (await post("Second")).body;
    const third = (await post("Third")).body;
    const remove = async (id: string, key?: string): Promise<number> =>
      (await plane.call("DELETE", `/v1/accounts/${id}`, key === undefined ? {} : { key })).status;
    const limited = (await plane.call("POST", "/v1/api-keys", { body: { name: "x", role: "OWNER", scopes: ["*:write"] } })).body.rawKey;
    const admin = await plane.keyFor("ADMIN");
    const { id } = (await plane.context.storage.accounts.byUuid(second.id)) ?? { id: 0 };
    const adminOfSecond = await plane.keyFor("ADMIN", id);

    for (const key of [second.rawKey, limited, admin]) expect((await post("Fourth", key)).status).toBe(403);
    expect(await remove(third.id, second.rawKey)).toBe(404);
    expect(await remove(third.id, admin)).toBe(404);
    expect(await remove(third.id, limited)).toBe(404);
    expect(await remove(second.id, adminOfSecond)).toBe(403);
    expect(await remove(plane.account.uuid)).toBe(409);
    expect(await remove(plane.account.uuid, second.rawKey)).toBe(404);
    expect(await remove(second.id, second.rawKey)).toBe(204);
    expect(await plane.context.storage.accounts.list()).toHaveLength(2);
    held("only unlimited OWNERs of the first account operate the installation, which itself stays");
  },
  60_000,
);

attack("D5", "an owner of another account looks at all accounts, makes one and deletes one, in the console", async (held) => {
  await using plane = await controlPlaneUnderTest();
  const operator = await keyHolder(plane, plane.ownerKey);
  await operator.get("/accounts");
  const made = await operator.post("/accounts", { name: "Shop" });
  const rawKey = /<code>(sv_[0-9a-f]{32})<\/code>/.exec(made.text)?.[1] ?? "";
  const owner = await keyHolder(plane, rawKey);
  expect((await owner.get("/accounts")).status).toBe(403);
  expect((await owner.post("/accounts", { name: "Mine" })).status).toBe(403);
  expect((await owner.post(`/accounts/${plane.account.uuid}/remove`, { name: "Main" })).status).toBe(403);
  expect((await operator.get("/members")).text).toContain('href="/accounts"');
  expect((await owner.get("/members")).text).not.toContain('href="/accounts"');
  const id = /action="\/accounts\/([0-9a-f-]+)\/remove"/.exec((await operator.get("/accounts")).text)?.[1] ?? "";
  expect((await operator.post(`/accounts/${id}/remove`, { name: "shop" })).status).toBe(400);
  expect((await plane.call("GET", "/v1/checks", { key: rawKey })).status).toBe(200);
  expect((await operator.post(`/accounts/${id}/remove`, { name: "Shop" })).location).toBe("/accounts?removed=1");
  expect((await plane.call("GET", "/v1/checks", { key: rawKey })).status).toBe(401);
  held("accounts are for OWNERs of the first one; a deletion asks for the name");
});
