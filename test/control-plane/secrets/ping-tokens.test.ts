import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Kysely, type SqlBool, sql } from "kysely";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { checkTexts } from "../../../src/check-texts.ts";
import { readControlPlaneConfig } from "../../../src/control-plane/config.ts";
import { createControlPlane } from "../../../src/control-plane/control-plane.ts";
import { issueKey } from "../../../src/control-plane/keys/issue-key.ts";
import { createSealing } from "../../../src/control-plane/keys/sealing.ts";
import { createPingTokenHashes, openedPingToken, sealedHeartbeat } from "../../../src/control-plane/secrets/ping-tokens.ts";
import { openPostgres } from "../../../src/control-plane/storage/dialects/postgres.ts";
import { connectSqlite } from "../../../src/control-plane/storage/dialects/sqlite-engine.ts";
import { migrations } from "../../../src/control-plane/storage/migrations/index.ts";
import { migrate } from "../../../src/control-plane/storage/migrations/migrate.ts";
import type { Tables } from "../../../src/control-plane/storage/schema.ts";
import type { CheckDefinition, CheckRow, Storage } from "../../../src/control-plane/storage/storage.ts";
import { hashPingTokens } from "../../../src/control-plane/upkeep/hash-ping-tokens.ts";
import { hashKey } from "../../../src/domain/key.ts";
import { call } from "../call.ts";
import { eventually } from "../control-plane-under-test.ts";
import { account, definition, type StorePlace, t0, useEngines } from "../storage/fixture.ts";

/** The test looks at all that is stored: the gate on plans knows it by this text. */
const isAll = sql<SqlBool>`1 = 1`;

const engines = await useEngines();
const minute = 60_000;
const timing = { period: 1, periodUnit: "hours", grace: 0, graceUnit: "hours" };
const sealing = createSealing({ no: 1, key: randomBytes(32) }, "pepper");
const underPepper = (pepper: string) => (text: string) => hashKey(pepper, text);
const hashes = createPingTokenHashes(underPepper("pepper"));
const first = "token-of-the-first-one";
const second = "token-of-the-second-one";

async function withSql<T>(
  engine: (typeof engines.oneServer)[number],
  place: StorePlace,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  if (engine === "postgres") {
    const db = openPostgres(place.databaseUrl ?? "", 1);
    return work(db).finally(() => db.destroy());
  }
  const { db, close } = connectSqlite(join(place.dataDir, "outpost.db"), false);
  return work(db).finally(close);
}

/** A store as the release before left it, with a heartbeat for each token. */
async function oldStore(engine: (typeof engines.oneServer)[number], tokens: readonly string[]): Promise<StorePlace> {
  const place = await engines.emptyPlace(engine);
  await withSql(engine, place, async (db) => {
    const before = migrations.filter(({ version }) => version < 50);
    await migrate(db, engine, before, t0);
    const { id } = await db
      .insertInto("accounts")
      .values({ uuid: crypto.randomUUID(), name: "a", runtime_id: "2026.04", settings: "{}", alert_settings: "{}", created_at: t0 })
      .returning("id")
      .executeTakeFirstOrThrow();
    for (const token of tokens) await insertOpen(db, id, token);
  });
  return place;
}

async function insertOpen(db: Kysely<Tables>, accountId: number, token: string): Promise<void> {
  const { id } = await db
    .insertInto("checks")
    .values({
      uuid: crypto.randomUUID(),
      account_id: accountId,
      type: "HEARTBEAT",
      definition: JSON.stringify({ ...definition(), groupId: null, heartbeat: { ...timing, pingToken: token } }),
      search_name: token.slice(-3),
      search_url: "",
      activated: 1,
      frequency: 0,
      frequency_offset: 0,
      run_parallel: 0,
      location_ids: "[]",
      period_ms: 0,
      phase_ms: 0,
      round_robin: 0,
      created_at: t0,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await db
    .insertInto("heartbeats")
    .values({ check_id: id, token, period_ms: 60 * minute, grace_ms: 0, failing: 0 })
    .execute();
}

/** All that the two tables have. */
function stored(engine: (typeof engines.oneServer)[number], place: StorePlace): Promise<string> {
  return withSql(engine, place, async (db) =>
    JSON.stringify([
      await db.selectFrom("checks").selectAll().where(isAll).execute(),
      await db.selectFrom("heartbeats").selectAll().where(isAll).execute(),
    ]),
  );
}

function hashing(storage: Storage, changes: Partial<Parameters<typeof hashPingTokens>[0]> = {}) {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const deps = { ...storage, sealing, hashOf: underPepper("pepper"), nowMs: () => t0, databaseUrl: null, log, ...changes };
  return { lines, run: () => hashPingTokens(deps) };
}

const ownerOf = ({ accountId, uuid }: CheckRow) => ({ kind: "check", accountId, row: uuid });
const found = (storage: Storage, token: string, pepper = "pepper") =>
  storage.heartbeats.checkIdOf(createPingTokenHashes(underPepper(pepper)).of(token));

async function create(storage: Storage, accountId: number, token: string): Promise<CheckRow> {
  const uuid = crypto.randomUUID();
  const heartbeat = sealedHeartbeat({ ...timing, pingToken: token }, undefined, sealing, { kind: "check", accountId, row: uuid });
  return storage.checks.create({
    uuid,
    accountId,
    type: "HEARTBEAT",
    definition: { ...definition(), heartbeat },
    locationIds: [],
    schedule: { periodMs: 0, phaseMs: 0, nextDueMs: null },
    heartbeat: { token: hashes.of(token), periodMs: minute, graceMs: 0 },
    nowMs: t0,
  });
}

describe.each(engines.oneServer)("tokens of pings that an earlier release stored on %s", (engine) => {
  it("are found before and after they are hashed, and then stand nowhere", async () => {
    const place = await oldStore(engine, [first, second]);
    const storage = await engines.open(engine, place);
    const ids = [await found(storage, first), await found(storage, second)];
    expect(ids).toEqual([expect.any(Number), expect.any(Number)]);
    const { run, lines } = hashing(storage);
    expect(await run()).toBe(0);
    expect([await found(storage, first), await found(storage, second)]).toEqual(ids);
    for (const token of [first, second]) for (const text of [await stored(engine, place), ...lines]) expect(text).not.toContain(token);
    const [owner] = await storage.accounts.list();
    const { items } = await storage.checks.list(owner?.id ?? 0, { page: 1, limit: 10 });
    expect(new Set(items.map((row) => openedPingToken(row.definition, sealing, ownerOf(row))))).toEqual(new Set([first, second]));
    const after = await stored(engine, place);
    expect(await run()).toBe(0);
    expect(await stored(engine, place)).toBe(after);
  });

  it("wait where processes of that release may still look for them, and are taken by nobody meanwhile", async () => {
    const place = await oldStore(engine, [first]);
    const storage = await engines.open(engine, place);
    let now = t0;
    const { run } = hashing(storage, { databaseUrl: "postgres://", nowMs: () => now });
    expect(await run()).toBe(1);
    now += 14 * minute;
    expect(await run()).toBe(1);
    expect(await stored(engine, place)).toContain(first);
    const other = await account(storage);
    const taken = { code: "conflict", attributes: { issues: [{ path: "heartbeat.pingToken" }] } };
    await expect(create(storage, other.id, first)).rejects.toMatchObject(taken);
    now += minute;
    expect(await run()).toBe(0);
    expect(await stored(engine, place)).not.toContain(first);
    await expect(create(storage, other.id, first)).rejects.toMatchObject(taken);
    await withSql(engine, place, (db) => insertOpen(db, other.id, second));
    expect([await found(storage, second), await run()]).toEqual([expect.any(Number), 0]); // of a process that still ran
    expect(await stored(engine, place)).not.toContain(second);
  });

  it("stay as they are when their check is written first, and are hashed with it later", async () => {
    const place = await oldStore(engine, [first]);
    const storage = await engines.open(engine, place);
    const [owner] = await storage.accounts.list();
    const accountId = owner?.id ?? 0;
    const [row] = (await storage.checks.list(accountId, { page: 1, limit: 1 })).items as [CheckRow];
    const heartbeat = sealedHeartbeat({ ...timing, pingToken: null }, row.definition, sealing, ownerOf(row));
    const schedule = { periodMs: 0, phaseMs: 0, nextDueMs: null };
    const change = { definition: { ...row.definition, heartbeat }, locationIds: [], schedule, nowMs: t0 };
    const settings = { periodMs: minute, graceMs: 0 };
    await storage.checks.update(accountId, row.uuid, { ...change, heartbeat: { ...settings, token: hashes.of(first) } });
    expect(await storage.heartbeats.checkIdOf({ hash: first, open: null })).toBe(row.id); // as the release before asks
    expect(await found(storage, first)).toBe(row.id);
    await hashing(storage).run();
    await storage.checks.update(accountId, row.uuid, { ...change, heartbeat: { ...settings, token: null } });
    expect([await found(storage, first), (await stored(engine, place)).includes(first)]).toEqual([row.id, false]);
    expect(await storage.heartbeats.timer(row.id)).toMatchObject({ periodMs: minute });
  });

  it("are left for the next time when somebody writes their check just then", async () => {
    const place = await oldStore(engine, [first]);
    const storage = await engines.open(engine, place);
    const definitions = { ...storage.definitions, replace: async () => false };
    expect(await hashing(storage, { definitions }).run()).toBe(1);
    expect(await found(storage, first)).toEqual(expect.any(Number));
  });

  it("that two heartbeats have are said once, and pings go to one of them", async () => {
    const place = await oldStore(engine, [first]);
    const storage = await engines.open(engine, place);
    const other = await account(storage);
    const hashed = await create(storage, other.id, second);
    await withSql(engine, place, (db) => db.updateTable("heartbeats").set({ token: second }).where("token", "=", first).execute());
    const { run, lines } = hashing(storage);
    expect(await run()).toBe(0);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, lost: 1 }]);
    expect(await found(storage, second)).toBe(hashed.id);
  });

  it("are hashed anew under another pepper, as long as their seal opens", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const { id } = await create(storage, owner.id, first);
    expect(await found(storage, first, "another")).toBeUndefined();
    const lost = hashing(storage, { hashOf: underPepper("another"), sealing: createSealing({ no: 2, key: randomBytes(32) }, "another") });
    expect([await lost.run(), lost.lines.length]).toEqual([0, 1]);
    expect(await hashing(storage, { hashOf: underPepper("another") }).run()).toBe(0);
    expect(await found(storage, first, "another")).toBe(id);
  });

  it("cannot be replaced by what is stored of them", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    await create(storage, owner.id, first);
    const { hash, open } = hashes.of(first);
    expect(open).toBe(first);
    expect(hashes.of(hash).open).toBeNull();
    expect(await found(storage, hash)).toBeUndefined();
    expect(await found(storage, hash.split(":").at(-1) ?? "")).toBeUndefined();
  });
});

describe("the first start on a store of an earlier release", () => {
  it("takes pings at once, and shows addresses as before to those who may write", async () => {
    const place = await oldStore("sqlite", [first]);
    const log = pino({ level: "silent" });
    const controlPlane = await createControlPlane(readControlPlaneConfig({ DATA_DIR: place.dataDir, PORT: "0" }), { log, checkTexts });
    await controlPlane.start();
    const base = controlPlane.address() ?? "";
    expect((await fetch(`${base}/ping/${first}`)).status).toBe(200);
    const { definitions } = controlPlane.storage;
    await eventually(async () => (await definitions.tokensWithout("hash:", 0, 1)).length === 0);
    expect((await fetch(`${base}/ping/${first}`)).status).toBe(200);
    const [row] = await definitions.after("check", 0, 1);
    expect(row?.definition).not.toContain(first);
    const { keys } = controlPlane.storage;
    const writer = { kind: "service", accountId: row?.accountId ?? 0, locationId: null, role: "READ_WRITE" } as const;
    const { rawKey: key } = await issueKey({ ...controlPlane, keys, nowMs: Date.now }, writer);
    const { body } = await call(base, "GET", `/v1/checks/${row?.uuid}`, { key });
    expect(body.heartbeat).toEqual({ ...timing, pingToken: first, pingUrl: `${base}/ping/${first}` });
    await controlPlane.stop(AbortSignal.timeout(5_000));
  });
});

describe("a sealed token", () => {
  const owner = { kind: "check", accountId: 1, row: "a" };
  const before = (pingToken: string) => ({ heartbeat: { ...timing, pingToken } }) as unknown as CheckDefinition;

  it.each([null, undefined, ""])("is kept where %j is sent, and made where there is none", (pingToken) => {
    const made = sealedHeartbeat({ ...timing, pingToken }, undefined, sealing, owner);
    expect(openedPingToken({ heartbeat: made }, sealing, owner)).toMatch(/^[\w-]{36}$/);
    const kept = sealedHeartbeat({ ...timing, pingToken }, before(made.pingToken ?? ""), sealing, owner);
    expect(kept).toEqual(made);
  });

  it("opens for its check alone, and under its key alone", () => {
    const sealed = { heartbeat: sealedHeartbeat({ ...timing, pingToken: first }, undefined, sealing, owner) };
    expect(openedPingToken(sealed, sealing, owner)).toBe(first);
    expect(openedPingToken(sealed, sealing, { ...owner, row: "b" })).toBeNull();
    expect(openedPingToken(sealed, sealing, { ...owner, accountId: 2 })).toBeNull();
    expect(openedPingToken(sealed, createSealing({ no: 1, key: randomBytes(32) }, "pepper"), owner)).toBeNull();
  });

  it("is kept though its key is lost: pings still find its heartbeat", () => {
    const other = createSealing({ no: 2, key: randomBytes(32) }, "pepper");
    const { pingToken } = sealedHeartbeat({ ...timing, pingToken: first }, undefined, other, owner);
    expect(sealedHeartbeat({ ...timing, pingToken: null }, before(pingToken ?? ""), sealing, owner).pingToken).toBe(pingToken);
  });
});
