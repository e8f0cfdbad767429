import { copyFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { subjects } from "../../../src/control-plane/doctor/finding.ts";
import { freePort } from "../../support/free-ports.ts";
import { copyMigratedStore, migratedDatabase } from "../../support/migrated-store.ts";
import { startPostgres } from "../../support/postgres.ts";
import { Site } from "../../support/site.ts";
import { dataFolder, found, usual, worst } from "./staged.ts";

const server = await startPostgres();
afterAll(() => server?.[Symbol.asyncDispose]());

async function run(databaseUrl: string, text: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(text);
  await client.end();
}

describe("the doctor of a control plane", () => {
  it("finds nothing wrong beside one that runs, changes nothing, and tells pepper and key from wrong ones", {
    timeout: 60_000,
  }, async () => {
    await using site = await Site.start();
    const env = { ...site.env, PUBLIC_URL: site.base };
    const before = readdirSync(site.env["DATA_DIR"] ?? "");
    const findings = await found(env);
    expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    expect([...new Set(findings.map(({ about }) => about))]).toEqual(subjects);
    expect(findings.find(({ about }) => about === "pepper")?.text).toContain("the keys of this store were made with it");
    expect(findings.find(({ about }) => about === "encryption key")?.text).toContain("the secrets of this store open with it");
    expect(findings.find(({ about }) => about === "public URL")?.text).toBe("an Outpost of this version answers there (ok)");
    expect(readdirSync(site.env["DATA_DIR"] ?? "")).toEqual(before);

    expect(await worst("pepper", { ...env, KEY_PEPPER: "x".repeat(40) })).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("KEY_PEPPER is not the one that the keys of this store were made with") as unknown,
    });
    expect(await worst("encryption key", { ...env, ENCRYPTION_KEY: "ab".repeat(32) })).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("ENCRYPTION_KEY is not the one that the secrets of this store are encrypted under") as unknown,
    });
    const previous = readFileSync(join(site.env["DATA_DIR"] ?? "", "encryption.key"), "utf8").trim();
    expect(await worst("encryption key", { ...env, ENCRYPTION_KEY: "ab".repeat(32), ENCRYPTION_KEY_PREVIOUS: previous })).toMatchObject({
      verdict: "warn",
      text: expect.stringContaining("still open with the one before") as unknown,
    });

    for (const [file, about] of [
      ["pepper", "there is no file pepper in"],
      ["encryption.key", "There is no ENCRYPTION_KEY and no file"],
    ] as const) {
      const path = join(site.env["DATA_DIR"] ?? "", file);
      renameSync(path, `${path}.away`);
      expect((await worst(file === "pepper" ? "pepper" : "encryption key", env)).text).toContain(about);
      renameSync(`${path}.away`, path);
    }
    await site.location("berlin");
    expect(await worst("agents", env)).toMatchObject({ verdict: "warn", text: "no agent is at berlin (never)" });
    const asked = await site.run("doctor", "control-plane");
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining("A control plane can work here.") as unknown]);
    expect((await site.run("doctor", "controlplane")).code).toBe(2);
  });

  it("finds nothing wrong before the first start, and makes nothing", async () => {
    using folder = dataFolder();
    const findings = await found(usual(join(folder.path, "new")));
    expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("names settings that cannot be read, and those that are nearly one", async () => {
    expect(await found({ PORT: "many", DATA_DIR: "/nowhere" })).toMatchObject([
      { about: "settings", verdict: "fail", text: expect.stringContaining("PORT") as unknown },
    ]);
    using folder = dataFolder();
    expect(await worst("settings", { ...usual(folder.path), PUBLIC_UR: "http://x" })).toMatchObject({ next: "did you mean PUBLIC_URL?" });
  });
});

describe("its look at what is kept in files", () => {
  it("names a folder that cannot be written", async () => {
    expect(await worst("data folder", usual("/dev/null/data"))).toMatchObject({
      verdict: "fail",
      text: "/dev/null/data cannot be written (ENOTDIR)",
    });
    expect(await worst("data folder", usual("/proc"))).toMatchObject({
      verdict: "fail",
      text: expect.stringMatching(/^\/proc cannot be written/) as unknown,
    });
  });

  it.skipIf(statfsSync("/dev/shm").type !== 0x01021994)("warns of a folder in memory", async () => {
    const path = mkdtempSync("/dev/shm/outpost-doctor-");
    const finding = await worst("data folder", usual(path));
    rmSync(path, { recursive: true });
    expect(finding).toMatchObject({ text: expect.stringContaining("(tmpfs)") as unknown });
    expect(finding.verdict).not.toBe("ok");
  });

  it("names a damaged SQLite file, and one that is none", async () => {
    using folder = dataFolder();
    await copyMigratedStore(folder.path);
    const file = join(folder.path, "outpost.db");
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 8192 * 4, 8192 * 12);
    writeFileSync(file, bytes);
    expect(await worst("database", usual(folder.path))).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("is damaged") as unknown,
    });
    using other = dataFolder();
    copyFileSync("package.json", join(other.path, "outpost.db"));
    expect(await worst("database", usual(other.path))).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("file is not a database") as unknown,
    });
  });

  it("names a pepper that is damaged, and one that is missing", async () => {
    using folder = dataFolder();
    writeFileSync(join(folder.path, "pepper"), "short\n");
    expect(await worst("pepper", usual(folder.path))).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("pepper") as unknown,
    });
  });
});

describe.skipIf(server === undefined)("its look at a real PostgreSQL", () => {
  const url = async (name: string, isMigrated = true): Promise<string> => {
    const made = server as NonNullable<typeof server>;
    return isMigrated ? migratedDatabase(made, name) : made.database(name);
  };
  const verdict = async (databaseUrl: string) => {
    using folder = dataFolder();
    return worst("database", { ...usual(folder.path), DATABASE_URL: databaseUrl });
  };

  it("is content with one that is empty, and one of this version", async () => {
    expect(await verdict(await url("doctor_empty", false))).toMatchObject({
      verdict: "ok",
      text: expect.stringContaining("it is empty") as unknown,
    });
    expect(await verdict(await url("doctor_good"))).toMatchObject({
      verdict: "ok",
      text: expect.stringMatching(/^PostgreSQL \d+.* can be written$/) as unknown,
    });
  });

  it("compares its clock", async () => {
    using folder = dataFolder();
    expect(await worst("system clock", { ...usual(folder.path), DATABASE_URL: await url("doctor_clock") })).toMatchObject({
      verdict: "ok",
      text: "it agrees with the database's",
    });
  });

  it("names a server that is away, a name, a database and a user that nobody knows", async () => {
    const good = new URL(await url("doctor_away"));
    const changed = (change: (to: URL) => void): string => {
      const to = new URL(good);
      change(to);
      return to.href;
    };
    const port = String(await freePort());
    expect((await verdict(changed((to) => (to.port = port)))).text).toContain("refuses connections");
    expect((await verdict("postgres://db.invalid/x")).text).toContain("has a name that cannot be resolved");
    expect((await verdict(changed((to) => (to.pathname = "/nothing")))).text).toContain("has no database of this name");
    expect((await verdict(changed((to) => (to.username = "nobody_here")))).text).toContain("refuses this user or its password");
  });

  it("names a schema that is older or newer, and one that may not be written", async () => {
    const old = await url("doctor_old");
    await run(old, "delete from schema_version where version > 70");
    expect(await verdict(old)).toMatchObject({
      verdict: "warn",
      text: expect.stringContaining("with schema version 70; this Outpost needs") as unknown,
    });
    // Before an upgrade is when a forgotten volume shows.
    await run(old, "insert into marks (name, value) values ('pepper', 'another')");
    using forgotten = dataFolder();
    expect(await worst("pepper", { ...usual(forgotten.path), DATABASE_URL: old })).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("there is no file pepper") as unknown,
    });
    await run(old, "insert into schema_version (version, applied_at) values (9999, 0)");
    expect(await verdict(old)).toMatchObject({ verdict: "fail", text: expect.stringContaining("its schema has version 9999") as unknown });
    const closed = await url("doctor_closed");
    await run(closed, "alter database doctor_closed set default_transaction_read_only = on");
    expect(await verdict(closed)).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("is read-only; name its primary server") as unknown,
    });
  });

  it("names agents of another version, and locations whose agents are silent", async () => {
    const databaseUrl = await url("doctor_agents");
    await run(
      databaseUrl,
      `insert into locations (uuid, code, name, icon, created_at, last_seen_at) values ('u1', 'oslo', 'Oslo', '', 0, ${Date.now() - 3 * 3_600_000})`,
    );
    const session = (id: string, version: string) =>
      run(
        databaseUrl,
        `insert into agent_sessions (token_hash, agent_id, location_id, key_id, name, version, check_types, runtimes, sandbox_level, capabilities, opened_at, last_seen_at, expires_at, state, runs_checks, outbox_depth, loop_delay_ms)
         select '${id}', '${id}', id, 'k', '${id}', '${version}', '[]', '[]', 0, '{}', 0, ${Date.now()}, 0, 'running', 1, 0, 0 from locations`,
      );
    await session("a", "0.0.1");
    await session("b", "99.0.0");
    using folder = dataFolder();
    const texts = (await found({ ...usual(folder.path), DATABASE_URL: databaseUrl }))
      .filter(({ about }) => about === "agents")
      .map(({ text }) => text);
    expect(texts).toEqual([
      expect.stringMatching(/^newer than this control plane \(.*\): 99\.0\.0 at oslo$/),
      expect.stringMatching(/^older than this control plane \(.*\): 0\.0\.1 at oslo$/),
      "no agent is at oslo (last contact 3 h ago)",
    ]);
  });
});
