import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { Secret } from "#daemon/secret.ts";
import { explained } from "../../src/control-plane/open-store.ts";
import { migrateStore } from "../../src/control-plane/storage/migrate-store.ts";
import { logOf } from "../agent/agent-under-test.ts";
import { outpostSource } from "../support/built-program.ts";
import { freePort } from "../support/free-ports.ts";
import { startPostgres } from "../support/postgres.ts";
import { OutpostProcess, until } from "../support/processes.ts";
import { noOwnMounts, withOwnFolder } from "../support/restricted.ts";
import { call } from "./call.ts";
import { firstOwner, joined, password, signIn } from "./console/people.ts";
import { turnOn } from "./console/second-factor.ts";
import { controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { FakeAgent } from "./fake-agent.ts";

const server = await startPostgres();
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});
const pepper = "p".repeat(32);
const encryptionKey = "e0".repeat(32);
type Env = Readonly<Record<string, string>>;

function folder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "outpost-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

async function outpost(
  words: string,
  env: Env,
  through: readonly string[] = [],
): Promise<{ readonly code: number | string; readonly stdout: string; readonly stderr: string }> {
  await using process = new OutpostProcess(words.split(" "), env, "/", through);
  const code = await process.exit(90_000);
  return { code, stdout: process.stdout, stderr: process.stderr };
}

async function controlPlane(env: Env): Promise<OutpostProcess & { readonly address: string }> {
  const process = new OutpostProcess(["control-plane"], { PORT: "0", ...env }, "/");
  const { address } = await process.logged("control plane is ready");
  return Object.assign(process, { address: String(address) });
}

const stores: readonly { readonly name: string; readonly env: (dataDir: string) => Promise<Env> }[] = [
  { name: "SQLite", env: async (dataDir) => ({ DATA_DIR: dataDir }) },
  ...(server === undefined
    ? []
    : [
        {
          name: "PostgreSQL",
          env: async (dataDir: string) => {
            const url = await server.database(`test_${randomUUID().replaceAll("-", "")}`);
            const file = join(dataDir, "url");
            writeFileSync(file, `${url}\n`, { mode: 0o600 });
            return { DATA_DIR: join(dataDir, "unused"), DATABASE_URL_FILE: file, KEY_PEPPER: pepper, ENCRYPTION_KEY: encryptionKey };
          },
        },
      ]),
];

const refusal = (sentence: RegExp) => ({ code: 2, stdout: "", stderr: expect.stringMatching(sentence) as unknown });

describe("words that no command has", () => {
  it.each([
    ["keys create --role BOSS", /--role: there is no role BOSS; roles: OWNER, /],
    ["keys create --expires-days soon", /--expires-days: must be a whole number from 1 to 9999, received soon/],
    [
      "keys create --networks 10.0.0.0/99",
      /--networks: must be an address or a network in CIDR form such as 10.0.0.0\/8, received "10.0.0.0\/99"/,
    ],
    ["keys create --scopes checks:all", /--scopes: must be resource:action; resources: \*, accounts, /],
    ["keys make", /usage:\n {2}outpost keys create/],
    ["keys revoke", /usage:\n/],
    ["migrate all", /outpost migrate takes no words/],
    ["migrate --distributed", /outpost migrate --distributed needs DATABASE_URL, the coordinator of a Citus cluster/],
    ["accounts", /usage:\n {2}outpost accounts create <name>\n/],
    ["accounts create", /usage:\n/],
    ["accounts create one two", /usage:\n/],
    ["accounts list all", /usage:\n/],
    ["accounts delete", /usage:\n/],
    ["accounts create ", /The name of an account must have 1 to 255 characters/],
    [`accounts create ${"x".repeat(256)}`, /The name of an account must have 1 to 255 characters/],
    ["accounts delete nonsense", /There is no account nonsense; outpost accounts list shows those there are/],
    ["people", /usage:\n {2}outpost people reset-second-factor <e-mail address>\n/],
    ["people reset-second-factor", /usage:\n/],
    ["people reset-second-factor a@example.com b@example.com", /usage:\n/],
    ["people reset-second-factor nobody@example.com", /Nobody has the address nobody@example.com/],
  ])("%s: 2 and a sentence", { timeout: 120_000 }, async (words, sentence) => {
    using dir = folder();
    expect(await outpost(words, { DATA_DIR: dir.path })).toEqual(refusal(sentence));
  });
});

describe.each(stores)("commands on $name", ({ env: envOf }) => {
  it("say what to do where no control plane ran yet", { timeout: 120_000 }, async () => {
    using dir = folder();
    const env = await envOf(dir.path);
    for (const words of ["keys create", "location-key --create berlin", "accounts create Shop"]) {
      const { code, stdout, stderr } = await outpost(words, env);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("This store has no account yet: start the control plane on it once");
    }
  });

  it("make keys beside a running control plane, which takes them at once", { timeout: 90_000 }, async () => {
    using dir = folder();
    const env = await envOf(dir.path);
    await using plane = await controlPlane(env);
    const owner = await outpost("keys create --role OWNER", env);
    expect(owner).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sv_[0-9a-f]{32}\n$/) as unknown });
    expect(owner.stderr).toMatch(/^An API key of the account Main \(\S+\) with the role OWNER/);
    const location = await outpost("location-key --create berlin", env);
    expect(location).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pl_[0-9a-f]{32}\n$/) as unknown });
    const again = await outpost("location-key berlin --create", env);
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect((await FakeAgent.open(plane.address, location.stdout.trim())).session.location).toEqual({ id: "berlin", name: "berlin" });
    const listed = await call(plane.address, "GET", "/v1/private-locations", { key: owner.stdout.trim() });
    expect(listed.body).toMatchObject([{ slugName: "berlin" }]);
    const reader = await outpost("keys create --expires-days 30 --networks 127.0.0.0/8 --scopes checks:read", env);
    expect((await call(plane.address, "GET", "/v1/checks", { key: reader.stdout.trim() })).status).toBe(200);
    const refused = await call(plane.address, "DELETE", `/v1/private-locations/${randomUUID()}`, { key: reader.stdout.trim() });
    expect(refused.status).toBe(403);
  });

  it("list and revoke keys, and leave their changes in the audit log", { timeout: 90_000 }, async () => {
    using dir = folder();
    const env = await envOf(dir.path);
    await using plane = await controlPlane(env);
    const made = await outpost("keys create --role ADMIN --name Deployments", env);
    const key = made.stdout.trim();
    const table = await outpost("keys list", env);
    expect(table.stdout).toMatch(
      /^ID +KEY +ROLE +KIND +CREATED +LAST USED +EXPIRES +LIMITS +NAME\n\S+ .* First key\n\S+ +\S+ +ADMIN .* Deployments\n$/,
    );
    const listed = (await outpost("keys list --json", env)).stdout.trim().split("\n");
    const keys = listed.map((line) => JSON.parse(line) as { readonly id: string; readonly role: string });
    expect(keys).toMatchObject([{ role: "OWNER" }, { name: "Deployments", role: "ADMIN", maskedKey: `...${key.slice(-4)}` }]);
    const [owner, admin] = keys.map(({ id }) => id);
    expect(await outpost(`keys revoke ${owner}`, env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("last OWNER key") as unknown,
    });
    const { body: log } = await call(plane.address, "GET", "/v1/audit-log", { key });
    expect(log.entries).toMatchObject([{ operation: "createApiKey", resourceId: admin, actor: { type: "command-line" }, method: null }]);
    const { body: other } = await call(plane.address, "POST", "/v1/api-keys", { key, body: { name: "Watcher", role: "ADMIN" } });
    expect(await outpost(`keys revoke ${admin}`, env)).toMatchObject({ code: 0, stderr: expect.stringMatching(/is revoked/) as unknown });
    await until("the control plane drops the key", async () => (await call(plane.address, "GET", "/v1/checks", { key })).status === 401);
    const { body: after } = await call(plane.address, "GET", "/v1/audit-log?operation=deleteApiKey", { key: other.rawKey });
    expect(after.entries).toMatchObject([{ resourceId: admin, actor: { type: "command-line" } }]);
  });

  it("make, list and delete accounts, but not the first one", { timeout: 120_000 }, async () => {
    using dir = folder();
    const env = await envOf(dir.path);
    await using plane = await controlPlane(env);
    const owner = (await outpost("keys create --role OWNER", env)).stdout.trim();
    const made = await outpost("accounts create Shop", env);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sv_[0-9a-f]{32}\n$/) as unknown });
    const shop = /^The account Shop \((\S+)\) is made\. .* OWNER key/.exec(made.stderr)?.[1] ?? "";
    const key = made.stdout.trim();
    const { body: own } = await call(plane.address, "GET", "/v1/accounts", { key });
    expect(own).toMatchObject([{ id: shop, name: "Shop" }]);
    const listed = await outpost("accounts list", env);
    expect(listed).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^\S+ {2}Main\n\S+ {2}Shop\n$/) as unknown });
    const [first = "", second = ""] = listed.stdout.split("\n").map((line) => line.split(" ")[0] ?? "");
    expect(second).toBe(shop);
    expect(await outpost(`accounts delete ${first}`, env)).toEqual(
      refusal(/The first account runs the installation; it cannot be deleted/),
    );
    const deleted = await outpost(`accounts delete ${shop.toUpperCase()}`, env);
    expect(deleted).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining(`The account Shop (${shop}) is deleted`) as unknown,
    });
    await until("the control plane drops its key", async () => (await call(plane.address, "GET", "/v1/checks", { key })).status === 401);
    expect((await outpost("accounts list", env)).stdout).toBe(`${first}  Main\n`);
    expect(await outpost(`accounts delete ${shop}`, env)).toEqual(refusal(/There is no account/));
    const { body: log } = await call(plane.address, "GET", "/v1/audit-log?limit=2", { key: owner });
    expect(log.entries).toMatchObject(
      ["deleteAccount", "createAccount"].map((operation) => ({ operation, resourceId: shop, actor: { type: "command-line" } })),
    );
  });

  it("turn off the second factor of somebody who lost it, and say so in the audit log", { timeout: 120_000 }, async () => {
    using dir = folder();
    const env = await envOf(dir.path);
    await using plane = await controlPlaneUnderTest(env);
    const email = "bob@example.com";
    await turnOn(plane, await joined(plane, await firstOwner(plane), email, "READ_ONLY"));
    const ledTo = async () => (await signIn(plane, { email, password })).page.location;
    expect(await ledTo()).toBe("/sign-in/second-factor");
    const reset = () => outpost(`people reset-second-factor ${email}`, env);
    expect(await reset()).toEqual({
      code: 0,
      stdout: "",
      stderr: `The second factor of ${email} is off; the password alone signs in.\n`,
    });
    expect(await ledTo()).toBe("/");
    expect(await reset()).toEqual({ code: 0, stdout: "", stderr: `${email} has no second factor.\n` });
    const { body } = await plane.call("GET", "/v1/audit-log?operation=resetSecondFactor");
    expect(body.entries).toMatchObject([{ fields: ["secondFactor"], actor: { type: "command-line" } }]);
  });

  it.each([
    ["location-key --create not/a/slug", /not\/a\/slug: the name of a private location must have 1 to 30 letters/],
    ["location-key rome", /There is no location rome; .*outpost location-key --create/],
  ])("%s: 2 and a sentence", { timeout: 120_000 }, async (words, sentence) => {
    using dir = folder();
    expect(await outpost(words, await envOf(dir.path))).toEqual(refusal(sentence));
  });

  it("migrate once, by whoever is first", { timeout: 120_000 }, async () => {
    using dir = folder();
    const env = await envOf(dir.path);
    const first = await outpost("migrate", env);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Schema version 0 → \d+; applied: 1, 2, 3/) as unknown });
    const second = await outpost("migrate", env);
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Schema version \d+ is there already; nothing to do\.\n$/) as unknown,
    });
    await using _plane = await controlPlane(env);
    expect(await outpost("migrate", env)).toMatchObject({ code: 0, stdout: second.stdout });
  });

  it("know a pepper that the keys were not made with", { timeout: 120_000 }, async () => {
    using dir = folder();
    const { KEY_PEPPER: _none, ...env } = await envOf(dir.path);
    const first = await outpost("keys create", { ...env, KEY_PEPPER: pepper });
    expect(first.code).toBe(2); // no account yet, but the mark is made
    const file = join(dir.path, "pepper-file");
    writeFileSync(file, "q".repeat(32), { mode: 0o600 });
    for (const words of ["control-plane", "keys create"]) {
      const { code, stderr } = await outpost(words, { ...env, KEY_PEPPER_FILE: file, PORT: "0" });
      expect(stderr).toMatch(/KEY_PEPPER is not the one that the keys of this store were made with: .*--new-pepper/);
      expect(code).toBe(2);
    }
    await outpost("keys create --new-pepper", { ...env, KEY_PEPPER_FILE: file });
    await using _plane = await controlPlane({ ...env, KEY_PEPPER_FILE: file });
  });

  it("replace the encryption key by a start with both, and begin anew after it was lost (E-09)", { timeout: 120_000 }, async () => {
    using dir = folder();
    const { ENCRYPTION_KEY: _own, ...env } = await envOf(dir.path);
    const [first, second, third] = ["a1", "b2", "c3"].map((pair) => pair.repeat(32));
    const started = async (keys: Env, line = "control plane is ready") => {
      await using plane = await controlPlane({ ...env, ...keys });
      return (await plane.logged(line)).msg === line;
    };
    const accountIsMade = "first start: the account and its key are in this file";
    const refused = (keys: Env) => outpost("control-plane", { ...env, PORT: "0", ...keys });
    expect(await started({ ENCRYPTION_KEY: first ?? "" }, accountIsMade)).toBe(true);
    expect(await refused({ ENCRYPTION_KEY: second ?? "" })).toEqual(refusal(/ENCRYPTION_KEY is not the one that .*keys reset-encryption/));
    expect(await started({ ENCRYPTION_KEY: second ?? "", ENCRYPTION_KEY_PREVIOUS: `${third},${first}` })).toBe(true);
    expect(await refused({ ENCRYPTION_KEY: first ?? "" })).toMatchObject({ code: 2 });
    expect(await started({ ENCRYPTION_KEY: second ?? "" })).toBe(true);
    const reset = await outpost("keys reset-encryption", { ...env, ENCRYPTION_KEY: third ?? "" });
    expect(reset).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("restart it now") as unknown });
    expect(await started({ ENCRYPTION_KEY: third ?? "" })).toBe(true);
    expect(`${reset.stderr}`).not.toContain("c3c3");
  });
});

describe.skipIf(server === undefined)("PostgreSQL", () => {
  it("is migrated by one of two that start at once, and the other finds nothing to do", { timeout: 120_000 }, async () => {
    const DATABASE_URL = (await server?.database("migrated_twice")) ?? "";
    const both = await Promise.all([outpost("migrate", { DATABASE_URL }), outpost("migrate", { DATABASE_URL })]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.filter(({ stdout }) => stdout.includes("applied"))).toHaveLength(1);
  });

  it("gets one account from control planes that start at once, also without a folder to write", { timeout: 90_000 }, async () => {
    const DATABASE_URL = (await server?.database("started_twice")) ?? "";
    const env = { DATABASE_URL, KEY_PEPPER: pepper, ENCRYPTION_KEY: encryptionKey, DATA_DIR: "/proc/nowhere" };
    await outpost("migrate", env);
    const planes = await Promise.all([controlPlane(env), controlPlane(env), controlPlane(env)]);
    await using _planes = { [Symbol.asyncDispose]: async () => void (await Promise.all(planes.map((one) => one[Symbol.asyncDispose]()))) };
    const notes = () => planes.flatMap((one) => one.logLines().filter(({ msg }) => msg.startsWith("first start")));
    await until("the note of the first start", () => notes().length > 0);
    expect(notes()).toMatchObject([
      { level: "warn", msg: expect.stringContaining("make one with: outpost keys create --role OWNER") as unknown },
    ]);
    const accounts = await Promise.all(planes.map(async () => (await outpost("keys create", env)).stderr.match(/\((\S+)\)/)?.[1]));
    expect(new Set(accounts).size).toBe(1);
  });

  it("is waited for at the start, and served when it comes", { timeout: 90_000 }, async () => {
    await using own = await startPostgres({ own: true });
    const env = { DATABASE_URL: (await own?.database("late")) ?? "", KEY_PEPPER: pepper, ENCRYPTION_KEY: encryptionKey };
    await own?.stop();
    using dir = folder();
    await using plane = new OutpostProcess(["control-plane"], { ...env, PORT: "0", DATA_DIR: dir.path }, "/");
    const line = await plane.logged("the database does not respond; retrying");
    expect(String(line["reason"])).toMatch(/^DATABASE_URL: the database at 127\.0\.0\.1:\d+ refuses connections; start it/);
    await own?.start();
    await plane.logged("control plane is ready");
    expect(plane.logLines().filter(({ msg }) => msg.startsWith("the database does not respond"))).toHaveLength(1);
  });

  it.each([
    ["a database that is not there", "/nowhere", /has no database of this name; .*\(3D000\)/],
    ["a user that is not there", "//nobody:hunter2@", /refuses this user or its password; .*\(28/],
  ])("%s: 2 at once, without the password", { timeout: 120_000 }, async (_title, change, sentence) => {
    const good = (await server?.database("refusing")) ?? "";
    const DATABASE_URL = change.startsWith("//") ? good.replace(/\/\/[^@]*@/, change) : good.replace(/\/refusing/, change);
    const { code, stderr } = await outpost("migrate", { DATABASE_URL });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toContain("hunter2");
    expect(code).toBe(2);
  });
});

describe("a control plane that cannot start as told", () => {
  const unreached = "postgres://outpost:hunter2@127.0.0.1:9/x";
  const refused = "DATABASE_URL: the database at 127.0.0.1:9 refuses connections; start it, or correct host and port (ECONNREFUSED)";

  it("ends with 4 where the database does not answer, and names its address", { timeout: 120_000 }, async () => {
    const { code, stderr } = await outpost("keys create", { DATABASE_URL: unreached, KEY_PEPPER: pepper });
    expect(stderr).toBe(`${refused}\n`);
    expect(code).toBe(4);
  });

  it("tries for as long as a start waits, with one line", async () => {
    const databaseUrl = new Secret(unreached);
    const { log, lines } = logOf();
    const place = { databaseUrl: unreached, dataDir: "unused", nowMs: Date.now() };
    let tries = 0;
    const open = (): Promise<unknown> => {
      tries += 1;
      return migrateStore(place);
    };
    await expect(explained({ databaseUrl }, open, log, 2_000)).rejects.toMatchObject({ message: refused, exitCode: 4 });
    expect(lines).toMatchObject([{ reason: refused, waitSeconds: 2, msg: "the database does not respond; retrying" }]);
    expect(tries).toBeGreaterThan(1);
  });

  it("names a database that is newer", { timeout: 120_000 }, async () => {
    using dir = folder();
    await outpost("migrate", { DATA_DIR: dir.path });
    const db = new DatabaseSync(join(dir.path, "outpost.db"));
    db.exec("insert into schema_version (version, applied_at) values (999, 0)");
    db.close();
    for (const words of ["control-plane", "migrate"]) {
      const { code, stderr } = await outpost(words, { DATA_DIR: dir.path, PORT: "0" });
      expect(stderr).toMatch(/schema version 999, and this Outpost knows only \d+: start a newer Outpost/);
      expect(code).toBe(2);
    }
  });

  it("says that several on one folder need PostgreSQL", { timeout: 120_000 }, async () => {
    using dir = folder();
    await using _plane = await controlPlane({ DATA_DIR: dir.path });
    const { code, stderr } = await outpost("control-plane", { DATA_DIR: dir.path, PORT: "0" });
    expect(stderr).toMatch(
      /another Outpost uses this data folder .*: stop it, or set DATABASE_URL, as several control planes need PostgreSQL/,
    );
    expect(code).toBe(2);
  });

  it("names a taken port", { timeout: 120_000 }, async () => {
    using dir = folder();
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const PORT = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await outpost("control-plane", { DATA_DIR: dir.path, PORT });
    taken.close();
    expect(stderr).toContain(`PORT: port ${PORT} of 127.0.0.1 is taken by another program`);
    expect(code).toBe(2);
  });

  it.each<[string, (path: string) => Env, RegExp]>([
    [
      "two peppers",
      (path) => ({ KEY_PEPPER: pepper, KEY_PEPPER_FILE: secret(path, pepper) }),
      /KEY_PEPPER_FILE: and KEY_PEPPER are both set; keep one/,
    ],
    [
      "two databases",
      (path) => ({ DATABASE_URL: unreached, DATABASE_URL_FILE: secret(path, unreached) }),
      /DATABASE_URL_FILE: and DATABASE_URL are both set/,
    ],
    [
      "a pepper file open to all",
      (path) => ({ KEY_PEPPER_FILE: secret(path, pepper, 0o604) }),
      /KEY_PEPPER_FILE: (\S+) is open to every user of this machine \(mode 0604\); run: chmod 600 \1/,
    ],
    [
      "a short pepper in a file",
      (path) => ({ KEY_PEPPER_FILE: secret(path, "hunter2") }),
      /KEY_PEPPER_FILE: must be at least 32 characters/,
    ],
    [
      "an encryption key of another length",
      (path) => ({ ENCRYPTION_KEY_FILE: secret(path, "hunter2") }),
      /ENCRYPTION_KEY_FILE: must be 32 bytes, as 64 hexadecimal digits or as base64/,
    ],
    [
      "an encryption key twice, and a list of which one is none",
      (path) => ({
        ENCRYPTION_KEY: encryptionKey,
        ENCRYPTION_KEY_FILE: secret(path, encryptionKey),
        ENCRYPTION_KEY_PREVIOUS: `${encryptionKey},hunter2`,
      }),
      /ENCRYPTION_KEY_PREVIOUS: must be 32 bytes.*several are separated by commas/,
    ],
    [
      "a file without a database",
      (path) => ({ DATABASE_URL_FILE: secret(path, "hunter2") }),
      /DATABASE_URL_FILE: must begin with postgres:\/\//,
    ],
    ["no such file", () => ({ DATABASE_URL_FILE: "/nowhere/url" }), /DATABASE_URL_FILE: \/nowhere\/url cannot be read \(ENOENT\)/],
    [
      "a URL that is none",
      () => ({ DATABASE_URL: "postgres://user:hunter2%zz@host/x" }),
      /DATABASE_URL: must be postgres:\/\/user:password@host:port\/name; in user and password write @ as %40, \/ as %2F/,
    ],
  ])("%s", { timeout: 120_000 }, async (_title, env, sentence) => {
    using dir = folder();
    const { code, stderr } = await outpost("control-plane", { DATA_DIR: dir.path, PORT: "0", ...env(join(dir.path, "secret")) });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/hunter2|pppp|\n +at /);
    expect(code).toBe(2);
  });

  function secret(path: string, text: string, mode = 0o600): string {
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }
});

describe.skipIf(noOwnMounts !== null)("in a container", () => {
  it("a data folder that cannot be written is named", { timeout: 120_000 }, async () => {
    using dir = folder();
    chmodSync(dir.path, 0o755);
    const own = join(dir.path, "own");
    mkdirSync(own);
    const { code, stderr } = await outpost("control-plane", { DATA_DIR: own, PORT: "0" }, withOwnFolder(own, "ro", ":"));
    expect(stderr).toMatch(/DATA_DIR: \S+ cannot be used \(EROFS\); choose a folder that this user can write/);
    expect(code).toBe(2);
  });

  it("a full disk is told as such, at the first start and at a later one, and as what passes", { timeout: 120_000 }, async () => {
    using dir = folder();
    chmodSync(dir.path, 0o755);
    const [own, kept] = [join(dir.path, "own"), join(dir.path, "kept")];
    mkdirSync(own);
    const fill = 'dd if=/dev/zero of="$D/ballast" bs=4k 2>/dev/null || chmod 777 "$D"';
    const options = "size=16m,mode=777";
    const made = await outpost("migrate", { DATA_DIR: kept });
    expect(made.code).toBe(0);
    for (const before of [":", `cp -r ${kept}/. "$D" && chmod -R a+rwX "$D"/*`]) {
      const { code, stderr } = await outpost(
        "control-plane",
        { DATA_DIR: own, PORT: "0" },
        withOwnFolder(own, options, `${before}; ${fill}`),
      );
      expect([code, JSON.parse(stderr.trim().split("\n").at(-1) ?? "")]).toMatchObject([
        4,
        { level: "error", name: "control-plane", exitCode: 4, msg: "DATA_DIR: its disk is full: free some space, and start again" },
      ]);
    }
  });

  it("a secret that the engine mounted is taken, whatever its mode says", { timeout: 120_000 }, async () => {
    using dir = folder();
    const mounts = 'mkdir -p /run/secrets && mount -t tmpfs tmpfs /run/secrets && umask 0 && echo "$0" > /run/secrets/pepper && exec "$@"';
    const existed = existsSync("/run/secrets");
    const through = ["unshare", "--mount", "sh", "-c", mounts, pepper];
    const { stderr } = await outpost("keys create", { DATA_DIR: dir.path, KEY_PEPPER_FILE: "/run/secrets/pepper" }, through);
    if (!existed) rmSync("/run/secrets", { recursive: true });
    expect(stderr).toContain("This store has no account yet");
    expect(existsSync(join(dir.path, "pepper"))).toBe(false);
  });
});
if (noOwnMounts !== null) process.stdout.write(`tests with mounts of their own are skipped: ${noOwnMounts}\n`);

describe("outpost healthcheck", () => {
  it.each(["127.0.0.1", "::1", "0.0.0.0", "::"])(
    "finds a control plane on %s, and says when it is gone",
    { timeout: 60_000 },
    async (HOST) => {
      using dir = folder();
      const env = { DATA_DIR: dir.path, HOST, PORT: String(await freePort()) };
      await using plane = await controlPlane(env);
      expect(await outpost("healthcheck", env)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^healthy: http:\S+\/health answers 200\n$/) as unknown,
      });
      expect(await outpost("healthcheck --ready", env)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^healthy: http:\S+\/-\/readiness answers 200\n$/) as unknown,
      });
      await plane.kill();
      expect(await outpost("healthcheck", env)).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^not healthy: .*refuses connections\n$/) as unknown,
      });
    },
  );

  it.each([
    ["healthcheck other", {}, "name what to ask, agent or control-plane, or give --url"],
    ["healthcheck", { PORT: "0" }, "PORT is 0"],
    ["healthcheck agent", { AGENT_HEALTH_PORT: "x" }, "AGENT_HEALTH_PORT is no port"],
    ["healthcheck --url nonsense", {}, "--url must be an http or https URL"],
  ])("%s with %j: 1 and a line", { timeout: 120_000 }, async (words, env, line) => {
    const { code, stdout, stderr } = await outpost(words, env);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/^not healthy: [^\n]+\n$/);
    expect(stdout).toContain(line);
  });

  it("gives up after three seconds, and takes no proxy", { timeout: 120_000 }, async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9" };
    const { code, stdout } = await outpost(`healthcheck --url ${url}`, env);
    silent.close();
    expect([code, stdout]).toEqual([1, `not healthy: ${url} did not answer within 3 s\n`]);
  });

  it("loads no schemas, no HTTP client and no web server", { timeout: 120_000 }, async () => {
    using dir = folder();
    const seen = join(dir.path, "seen");
    const hook = join(dir.path, "hook.mjs");
    writeFileSync(
      hook,
      `import { registerHooks } from "node:module"; import { appendFileSync } from "node:fs";
      registerHooks({ load: (url, context, next) => { appendFileSync(${JSON.stringify(seen)}, url + "\\n"); return next(url, context); } });`,
    );
    spawnSync(process.execPath, [...outpostSource, "healthcheck"], { env: { PORT: "9", NODE_OPTIONS: `--import=${hook}` } });
    const modules = readFileSync(seen, "utf8").trim().split("\n");
    expect(modules.some((url) => url.endsWith("src/healthcheck-main.ts"))).toBe(true);
    expect(modules.filter((url) => url.includes("/node_modules/") && !url.includes("/dotenv/"))).toEqual([]);
    expect(modules.filter((url) => url.includes("/src/")).length).toBeLessThan(15);
  });
});
