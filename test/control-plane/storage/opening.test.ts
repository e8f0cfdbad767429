import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../../../src/control-plane/storage/dialects/postgres.ts";
import { connectSqlite, type SqliteConnection } from "../../../src/control-plane/storage/dialects/sqlite-engine.ts";
import { migrations } from "../../../src/control-plane/storage/migrations/index.ts";
import { migrate } from "../../../src/control-plane/storage/migrations/migrate.ts";
import type { Migration } from "../../../src/control-plane/storage/migrations/migration.ts";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import { AlertScene } from "./alert-scene.ts";
import { account, check, type EngineName, location, type StorePlace, scene, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const versions = migrations.map(({ version }) => version);
const newest = Math.max(...versions);

/** Where rows of any time may lie. */
const partitionOf = { sqlite: "select 1", postgres: "create table result_assets_any partition of result_assets default" } as const;

/** A channel, a check that failed, what came of telling it once, and a location that is still to be told of. */
const alertingBefore23: readonly string[] = [
  "insert into accounts (id, uuid, name, runtime_id, settings, alert_settings, created_at) values (1, 'a', 'a', '', '{}', '{}', 0)",
  "insert into documents (id, uuid, account_id, kind, definition, is_open, created_at) values (1, 'd', 1, 'alert-channel', '{}', 0, 0)",
  `insert into checks (id, uuid, account_id, type, definition, search_name, search_url, activated, frequency, frequency_offset, run_parallel,
    location_ids, period_ms, phase_ms, round_robin, created_at) values (1, 'c', 1, 'API', '{}', '', '', 1, 1, 1, 0, '[]', 0, 0, 0, 0)`,
  `insert into check_alerts (account_id, check_id, name, alert_type, check_type, run_location, response_time, started_at, created_at)
    values (1, 1, 'c', 'ALERT_FAILURE', 'API', 'x', 1, 6, 7)`,
  `insert into alert_deliveries (account_id, channel_id, alert_id, delivery, due_at, attempts, claimed_until_ms) values (1, 1, 1, 'd', 8, 1, 0)`,
  `insert into alert_notifications (account_id, check_alert_id, channel_id, channel_type, status, config, result, check_result, sent_at)
    values (1, 1, 1, 'EMAIL', 'FAILURE', '{}', '550', 'r', 8)`,
  `insert into location_notices (account_id, channel_id, delivery, notice, due_at, attempts, claimed_until_ms) values (1, 1, 'n', '{}', 9, 0, 0)`,
  "insert into certificate_notices (channel_id, fingerprint, threshold, alert_id, told_at) values (1, 'AB', 30, 1, 5)",
];

/** Runs SQL beside the store, as an operator could. */
async function execute(engine: EngineName, place: StorePlace, text: string): Promise<void> {
  if (engine === "sqlite") {
    mkdirSync(place.dataDir, { recursive: true });
    const db = new DatabaseSync(join(place.dataDir, "outpost.db"));
    db.exec(text);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await client.query(text);
  await client.end();
}

function connect(engine: EngineName, place: StorePlace): Pick<SqliteConnection, "db" | "close"> {
  if (engine === "sqlite") return connectSqlite(join(place.dataDir, "outpost.db"), false);
  const db = openPostgres(place.databaseUrl ?? "", 2);
  return { db, close: () => db.destroy() };
}

describe.each(engines.oneServer)("opening a store on %s", (engine) => {
  it("keeps what another process stored, and adds nothing twice", async () => {
    const place = await engines.emptyPlace(engine);
    const first = await openStorage({ ...place, nowMs: t0 });
    const owner = await account(first);
    await first.close();
    const second = await engines.open(engine, place);
    expect(await second.accounts.list()).toEqual([owner]);
    expect(await second.locations.dataCenter("eu-west-1")).toMatchObject({ code: "eu-west-1" });
  });

  it("refuses a database that is newer than the program, and changes nothing in it (U-02)", async () => {
    const place = await engines.emptyPlace(engine);
    await (await openStorage({ ...place, nowMs: t0 })).close();
    await execute(engine, place, "insert into schema_version (version, applied_at) values (999, 0)");
    await expect(openStorage({ ...place, nowMs: t0 })).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("999") });
    await execute(engine, place, "delete from schema_version where version = 999");
    await engines.open(engine, place);
  });

  it("leaves what was there when a migration fails half way, and goes on from there (U-02)", async () => {
    const place = await engines.emptyPlace(engine);
    const version = newest + 1;
    const broken: Migration = { version, statements: () => ["create table half (x integer)", "insert into nowhere values (1)"] };
    const whole: Migration = { version, statements: () => ["create table half (x integer)"] };
    const { db, close } = connect(engine, place);
    try {
      expect(await migrate(db, engine, migrations, t0)).toEqual(versions);
      await expect(migrate(db, engine, [...migrations, broken], t0)).rejects.toThrow("nowhere");
      expect(await migrate(db, engine, [...migrations, whole], t0)).toEqual([version]);
      expect(await migrate(db, engine, [...migrations, whole], t0)).toEqual([]);
    } finally {
      await close();
    }
  });

  it("migrates once when two processes start together (U-02)", async () => {
    const place = await engines.emptyPlace(engine);
    const both = [connect(engine, place), connect(engine, place)];
    try {
      const applied = await Promise.all(both.map(({ db }) => migrate(db, engine, migrations, t0)));
      expect(applied.flat()).toEqual(versions);
    } finally {
      await Promise.all(both.map(({ close }) => close()));
    }
  });

  it("knows of checks from before migration 4 which runtime their scripts need", async () => {
    const place = await engines.emptyPlace(engine);
    const first = await openStorage({ ...place, nowMs: t0 });
    const { id } = await account(first);
    const text = '\ud800 "setupSnippetId":7'; // half a pair, and what looks like a key
    await check(first, id, [], { name: "none", note: text, localSetupScript: "", setupSnippetId: null, runtimeId: "2025.04" });
    await check(first, id, [], { name: "account", localTearDownScript: '"quoted"', runtimeId: null });
    await check(first, id, [], { name: "2025.04", setupSnippetId: 7, runtimeId: "2025.04" });
    await first.close();
    await execute(engine, place, "drop index checks_scripts");
    await execute(engine, place, "alter table checks drop column script_runtime");
    await execute(engine, place, "delete from schema_version where version >= 4");
    const { db, close } = connect(engine, place);
    const toFour = migrations.filter(({ version }) => version <= 4);
    try {
      expect(await migrate(db, engine, toFour, t0)).toEqual([4]);
      const rows = await db.selectFrom("checks").select(["search_name", "script_runtime"]).orderBy("id").execute();
      expect(rows.map((row) => [row.search_name, row.script_runtime ?? "none"])).toEqual(
        rows.map((row) => [row.search_name, row.search_name]),
      );
      expect(rows).toHaveLength(3);
    } finally {
      await close();
    }
  });

  it("knows of script checks from before migration 51 which runtime they need", async () => {
    const place = await engines.emptyPlace(engine);
    const first = await openStorage({ ...place, nowMs: t0 });
    const { id } = await account(first);
    await check(first, id, [], { name: "none", runtimeId: "2025.04" });
    await check(first, id, [], { name: "account", runtimeId: null, script: "1" });
    await check(first, id, [], { name: "2025.04", runtimeId: "2025.04", script: "1" });
    await first.close();
    await execute(engine, place, "update checks set type = 'BROWSER' where search_name <> 'none'");
    await execute(engine, place, "delete from schema_version where version >= 51");
    const { db, close } = connect(engine, place);
    const to51 = migrations.filter(({ version }) => version <= 51);
    try {
      expect(await migrate(db, engine, to51, t0)).toEqual([51]);
      const rows = await db.selectFrom("checks").select(["search_name", "script_runtime"]).orderBy("id").execute();
      expect(rows.map((row) => row.script_runtime ?? "none")).toEqual(rows.map((row) => row.search_name));
      expect(rows).toHaveLength(3);
    } finally {
      await close();
    }
  });

  it("goes on from version 14 with the files of results that were there", async () => {
    const place = await engines.emptyPlace(engine);
    const { db, close } = connect(engine, place);
    const before = migrations.filter(({ version }) => version <= 14);
    try {
      expect(await migrate(db, engine, before, t0)).toEqual(before.map(({ version }) => version));
      await execute(engine, place, partitionOf[engine]);
      const columns = "id, started_at_us, name, type, content_type, body";
      await execute(engine, place, `insert into result_assets (${columns}) values (7, 0, 'dns.txt', 'evidence', 'text/plain', '')`);
      const next = migrations.filter(({ version }) => version <= 16);
      expect(await migrate(db, engine, next, t0)).toEqual([15, 16]);
      expect(await db.selectFrom("result_assets").selectAll().execute()).toMatchObject([{ name: "dns.txt", blob_key: null }]);
      expect(await db.selectFrom("agent_errors").selectAll().execute()).toEqual([]);
    } finally {
      await close();
    }
  });

  it("goes on from before version 23 with what channels were told, and with what they are still to be told", async () => {
    const place = await engines.emptyPlace(engine);
    const { db, close } = connect(engine, place);
    const before = migrations.filter(({ version }) => version < 23);
    try {
      await migrate(db, engine, before, t0);
      for (const text of alertingBefore23) await execute(engine, place, text);
      expect(await migrate(db, engine, migrations, t0)).toContain(23);
      const common = { account_id: 1, channel_id: 1, claimed_until_ms: 0 };
      expect(await db.selectFrom("alert_deliveries").selectAll().orderBy("id").execute()).toMatchObject([
        { ...common, id: 1, alert_id: 1, notice: null, created_at: 7, delivery: "d", due_at: 8, attempts: 1 },
        { ...common, id: 2, alert_id: null, notice: "{}", created_at: 9, delivery: "n", due_at: 9, attempts: 0 },
      ]);
      expect(await db.selectFrom("alert_notifications").selectAll().execute()).toMatchObject([
        { id: 1, check_alert_id: 1, notice: null, channel_type: "EMAIL", status: "FAILURE", result: "550", check_result: "r", sent_at: 8 },
      ]);
      expect(await db.selectFrom("certificate_notices").selectAll().execute()).toMatchObject([{ fingerprint: "AB", seen_at: 5 }]);
      await db.deleteFrom("check_alerts").execute();
      expect(await db.selectFrom("alert_notifications").selectAll().execute()).toEqual([]);
      expect(await db.selectFrom("alert_deliveries").select("id").execute()).toEqual([{ id: 2 }]);
    } finally {
      await close();
    }
  });

  it("makes of alerts from before version 72 the episodes that they would have been", async () => {
    const place = await engines.emptyPlace(engine);
    const scene = await AlertScene.open(await openStorage({ ...place, nowMs: t0 }));
    const checks = [await scene.check(), await scene.check(), await scene.check()];
    for (const [index, word] of ["FFPDFDP", "PDF", "P"].entries()) await scene.runs(checks[index]!, word);
    const { id } = scene.owner;
    await scene.storage.close();
    const { db, close } = connect(engine, place);
    /** Without what later versions added. */
    const episodes = async () => {
      const rows = await db.selectFrom("alert_episodes").selectAll().orderBy("id").execute();
      return rows.map(({ analysis_asked: _ofVersion76, causes_from: _ofVersion83, ...row }) => ({ ...row, host: null }));
    };
    try {
      const before = await episodes();
      expect(before.map((row) => [row.account_id, row.standing, row.closed_at === null])).toEqual([
        [id, "failing", false],
        [id, "degraded", false],
        [id, "failing", true],
      ]);
      for (const text of ["drop table alert_episode_acts", "drop table alert_episodes", "drop index check_alerts_episode"])
        await execute(engine, place, text);
      await execute(engine, place, "delete from schema_version where version >= 72");
      const to72 = migrations.filter(({ version }) => version <= 72);
      expect(await migrate(db, engine, to72, t0)).toEqual([72]);
      expect(await episodes()).toEqual(before);
    } finally {
      await close();
    }
  });

  it("answers nothing after it was closed", async () => {
    const place = await engines.emptyPlace(engine);
    const storage = await openStorage({ ...place, nowMs: t0 });
    await storage.close();
    await expect(storage.accounts.list()).rejects.toThrow(/destroyed|closed/);
  });
});

describe("opening a store", () => {
  it("knows each version once, the earliest first", () => {
    expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
  });

  it("makes files that only its user may read, also in a folder that others may", async () => {
    const place = await engines.emptyPlace("sqlite");
    chmodSync(place.dataDir, 0o755);
    await account(await engines.open("sqlite", place));
    const modes = new Map(readdirSync(place.dataDir).map((name) => [name, (statSync(join(place.dataDir, name)).mode & 0o777).toString(8)]));
    for (const name of ["outpost.db", "outpost.db-shm", "outpost.db-wal", "outpost.lock"]) expect(modes.get(name)).toBe("600");
    expect(new Set(modes.values())).toEqual(new Set(["600"]));
  });

  it("works beside the process that has the folder when it was told to, and only on the same schema", async () => {
    const place = await engines.emptyPlace("sqlite");
    const first = await engines.open("sqlite", place);
    const beside = await openStorage({ ...place, nowMs: t0, besideOthers: true });
    const owner = await account(beside);
    await beside.close();
    expect(await first.accounts.list()).toEqual([owner]);
    await execute("sqlite", place, "insert into schema_version (version, applied_at) values (999, 0)");
    await expect(openStorage({ ...place, nowMs: t0, besideOthers: true })).rejects.toMatchObject({ code: "conflict" });
  });

  it("refuses a URL of another engine without repeating it", async () => {
    const opening = openStorage({ databaseUrl: "mysql://user:hunter2@localhost/x", dataDir: "unused", nowMs: t0 });
    await expect(opening).rejects.toMatchObject({ code: "invalid_input", message: expect.not.stringContaining("hunter2") });
  });

  it("says unavailable when the server does not answer", async () => {
    await expect(openStorage({ databaseUrl: "postgres://outpost@127.0.0.1:1/x", dataDir: "unused", nowMs: t0 })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("says in one process too that the folder is taken", async () => {
    const place = await engines.emptyPlace("sqlite");
    await engines.open("sqlite", place);
    await expect(openStorage({ ...place, nowMs: t0 })).rejects.toMatchObject({ code: "conflict" });
  });

  it("refuses a file that is no database, says what to do, and gives the folder up again", async () => {
    const place = await engines.emptyPlace("sqlite");
    writeFileSync(join(place.dataDir, "outpost.db"), "not a database, but long enough to be looked at as one".repeat(100));
    await expect(openStorage({ ...place, nowMs: t0 })).rejects.toMatchObject({
      code: "conflict", // waiting does not help
      message: expect.stringMatching(/is damaged \(file is not a database\): stop Outpost.*restore a backup/),
    });
    writeFileSync(join(place.dataDir, "outpost.db"), "");
    await engines.open("sqlite", place);
  });

  it("waits for a lock that another program holds, then says unavailable and loses nothing (S-10)", { timeout: 120_000 }, async () => {
    const place = await engines.emptyPlace("sqlite");
    const storage = await engines.open("sqlite", place);
    const { account: owner } = await scene(storage);
    const other = new DatabaseSync(join(place.dataDir, "outpost.db"));
    other.exec("begin immediate");
    const writing = location(storage, owner.id, "rome");
    // Reads go on meanwhile.
    expect(await storage.accounts.list()).toEqual([owner]);
    await expect(writing).rejects.toMatchObject({ code: "unavailable" });
    other.exec("rollback");
    expect(await location(storage, owner.id, "rome")).toMatchObject({ code: "rome" });
    other.close();
  });
});
