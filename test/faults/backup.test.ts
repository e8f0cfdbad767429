import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-ports.ts";
import { startPostgres } from "../support/postgres.ts";
import { OutpostProcess } from "../support/processes.ts";
import { missingPrograms } from "../support/programs.ts";
import { Site } from "../support/site.ts";

const postgres = missingPrograms("backups of PostgreSQL", "pg_dump", "pg_restore") === null ? await startPostgres() : undefined;
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
});
const emptyDatabase = async () => postgres?.database(`test_${randomUUID().replaceAll("-", "")}`);
const engines = [
  { name: "SQLite", database: async () => undefined },
  ...(postgres === undefined ? [] : [{ name: "PostgreSQL", database: emptyDatabase }]),
];

const dataDirOf = (site: Site): string => site.env["DATA_DIR"] ?? "";

/** Creates checks until it is told to stop; `made` are those whose creation was answered, `asked` all. */
function creation(site: Site) {
  const made: string[] = [];
  const asked = new Set<string>();
  let goesOn = true;
  const ended = (async () => {
    for (let no = 1; goesOn; no += 1) {
      const name = `check ${no}`;
      asked.add(name);
      await site.check("http://127.0.0.1:9", [], { name, activated: false });
      made.push(name);
    }
  })();
  const stop = async (): Promise<void> => {
    goesOn = false;
    await ended;
  };
  return { made, asked, stop };
}

async function namesOf(base: string, key: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (let page = 1; ; page += 1) {
    const reply = await fetch(`${base}/v1/checks?limit=100&page=${page}`, { headers: { authorization: `Bearer ${key}` } });
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
    const checks = (await reply.json()) as readonly { readonly name: string }[];
    names.push(...checks.map(({ name }) => name));
    if (checks.length < 100) return names;
  }
}

describe.each(engines)("a backup of $name", ({ database }) => {
  it("is the store at one moment while writes go on, and becomes a store of its own (S-14)", { timeout: 120_000 }, async () => {
    const databaseUrl = await database();
    await using site = await Site.start(databaseUrl === undefined ? {} : { databaseUrl });
    const file = join(site.folder, "backup");
    const creating = creation(site);
    await expect.poll(() => creating.made.length).toBeGreaterThan(30);
    const before = [...creating.made];
    const backedUp = await site.run("backup", "--with-keys", "--output", file);
    await creating.stop();
    expect(backedUp).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect(creating.made.length).toBeGreaterThan(before.length);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await site.run("backup", "--output", file)).stderr).toContain(`${file} exists`);
    expect((await site.run("backup", "--output", "/dev/null/backup")).stderr).toMatch(/^\/dev\/null\/backup cannot be written \(ENOTDIR\)/);

    const folder = join(site.folder, "restored");
    const port = await freePort();
    const empty = await database();
    const store = { ...site.env, DATA_DIR: folder, PORT: String(port), ...(empty !== undefined && { DATABASE_URL: empty }) };
    const outpost = async (...words: string[]) => {
      await using command = new OutpostProcess(words, store, site.folder);
      return { code: await command.exit(60_000), stderr: command.stderr };
    };
    expect(await outpost("restore", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has no pepper and no encryption.key"),
    });
    expect(existsSync(join(folder, "outpost.db"))).toBe(false);
    expect(await outpost("restore", file, "--with-keys")).toMatchObject({ code: 0 });
    expect(await outpost("restore", file, "--with-keys")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is there already: .* add --replace|has pepper and encryption.key already: leave --with-keys out/),
    });
    expect(await outpost("restore", file)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/add --replace|is not empty .* make an empty one/),
    });
    await using next = new OutpostProcess(["control-plane"], store, site.folder);
    await next.logged("control plane is ready");
    const restored = await namesOf(`http://127.0.0.1:${port}`, site.ownerKey);
    expect(before.filter((name) => !restored.includes(name))).toEqual([]);
    expect(restored.filter((name) => !creating.asked.has(name))).toEqual([]);
    expect(new Set(restored).size).toBe(restored.length);
  });
});

describe("a backup of SQLite", () => {
  it("goes to standard output whole, for containers that nothing can be copied out of, and leaves nothing behind", {
    timeout: 60_000,
  }, async () => {
    await using site = await Site.start();
    await site.check("http://127.0.0.1:9", [], { name: "kept", activated: false });
    const before = readdirSync(dataDirOf(site)).toSorted();
    const file = join(site.folder, "streamed.db");
    const shell = ["sh", "-c", 'out=$1; shift; exec "$@" >"$out"', "sh", file];
    const outpost = async (env: Readonly<Record<string, string>>, words: readonly string[], through: readonly string[] = []) => {
      await using command = new OutpostProcess(words, env, site.folder, through);
      return { code: await command.exit(60_000), stdout: command.stdout, stderr: command.stderr };
    };
    expect(await outpost(site.env, ["backup", "--output", "-"], shell)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("read through and whole"),
    });
    expect(readdirSync(dataDirOf(site)).toSorted()).toEqual(before);
    expect(await site.run("backup", "--output", "-", "--with-keys")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("need a file or a folder"),
    });

    const folder = join(site.folder, "restored");
    mkdirSync(folder);
    for (const key of ["pepper", "encryption.key"]) cpSync(join(dataDirOf(site), key), join(folder, key));
    const port = await freePort();
    const store = { ...site.env, DATA_DIR: folder, PORT: String(port) };
    expect(await outpost(store, ["restore", file])).toMatchObject({ code: 0 });
    await using next = new OutpostProcess(["control-plane"], store, site.folder);
    await next.logged("control plane is ready");
    expect(await namesOf(`http://127.0.0.1:${port}`, site.ownerKey)).toEqual(["kept"]);
  });

  it("names itself in a folder, and removes there only the oldest of its own kind", { timeout: 60_000 }, async () => {
    await using site = await Site.start();
    const folder = join(site.folder, "backups");
    mkdirSync(folder);
    const old = ["outpost-2025-01-01T00-00-00Z.db", "outpost-2025-01-01T00-00-00Z.db.keys", "outpost-2025-01-02T00-00-00Z.db"];
    for (const name of [...old, "notes.txt", "outpost.db"]) writeFileSync(join(folder, name), "");
    const backedUp = await site.run("backup", "--output", folder, "--keep", "2", "--with-keys");
    expect(backedUp).toMatchObject({ code: 0 });
    const file = basename(backedUp.stdout.trim());
    expect(file).toMatch(/^outpost-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/);
    expect(readdirSync(folder).toSorted()).toEqual(
      ["notes.txt", "outpost-2025-01-02T00-00-00Z.db", "outpost.db", file, `${file}.keys`].toSorted(),
    );
    expect(await site.run("backup", "--output", folder, "--keep", "none")).toMatchObject({ code: 2, stdout: "" });
    expect(await site.run("backup", "--output", join(site.folder, "one.db"), "--keep", "2")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--keep needs a folder"),
    });
  });
});

describe("a restore", () => {
  it("changes nothing where the file, the keys or a running control plane stand against it, and keeps what it replaces", {
    timeout: 90_000,
  }, async () => {
    await using site = await Site.start();
    const file = join(site.folder, "backup");
    expect(await site.run("backup", "--with-keys", "--output", file)).toMatchObject({ code: 0 });
    await site.check("http://127.0.0.1:9", [], { name: "made after it", activated: false });
    const restore = (...words: string[]) => site.run("restore", ...words);
    expect(await restore(file)).toMatchObject({ code: 2, stderr: expect.stringContaining("--replace") });
    expect(await restore(file, "--replace")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("another Outpost uses this data folder"),
    });
    await site.controlPlane.kill();

    const broken = join(site.folder, "broken");
    writeFileSync(broken, "no database, but as long as a page of one".repeat(300));
    expect(await restore(broken, "--replace")).toMatchObject({ code: 2, stderr: expect.stringContaining("is damaged") });
    expect(await restore(join(site.folder, "nowhere"))).toMatchObject({ code: 2, stderr: expect.stringContaining("is not there") });
    await site.startControlPlane();
    expect(await namesOf(site.base, site.ownerKey)).toEqual(["made after it"]);
    await site.controlPlane.kill();

    const replaced = await restore(file, "--replace");
    expect(replaced).toMatchObject({ code: 0, stderr: expect.stringMatching(/The database before is kept as .*outpost\.db\.before-/) });
    await site.startControlPlane();
    expect(await namesOf(site.base, site.ownerKey)).toEqual([]);
  });
});
