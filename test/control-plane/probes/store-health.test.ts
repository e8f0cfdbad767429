import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqliteDamage } from "../../../src/control-plane/storage/dialects/sqlite-damage.ts";
import { freePort } from "../../support/free-ports.ts";
import { copyMigratedStore } from "../../support/migrated-store.ts";
import { OutpostProcess, until } from "../../support/processes.ts";
import { noOwnMounts, withOwnFolder } from "../../support/restricted.ts";
import { controlPlaneUnderTest } from "../control-plane-under-test.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "outpost-health-"));
  chmodSync(path, 0o755);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function ask(port: number, path: string) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  if (answer === undefined) return undefined;
  return { code: answer.status, ...((await answer.json()) as { status: string; works: Record<string, Record<string, string>> }) };
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Overwrites the file from its middle on, as a bad disk does. */
function damage(path: string): void {
  const file = openSync(path, "r+");
  const { size } = statSync(path);
  writeSync(file, Buffer.alloc(64 * 1024, 0xa5), 0, 64 * 1024, Math.floor(size / 2 / 8_192) * 8_192);
  closeSync(file);
}

describe.skipIf(noOwnMounts !== null)("a control plane whose disk is full (S-07)", () => {
  it("is not ready and says why, and is ready once there is room again", { timeout: 90_000 }, async () => {
    const at = folder();
    const own = join(at, "own");
    mkdirSync(own);
    const port = await freePort();
    const env = { DATA_DIR: join(own, "data"), PORT: String(port) };
    await using plane = new OutpostProcess(["control-plane"], env, at, withOwnFolder(own, "size=24m,mode=777", ":"));
    await plane.logged("control plane is ready");
    expect(await ask(port, "/-/readiness")).toMatchObject({ code: 200, status: "ok" });

    const ballast = join(`/proc/${plane.pid}/root`, own, "ballast");
    const file = openSync(ballast, "w");
    const block = Buffer.alloc(4_096);
    for (let isFull = false; !isFull; ) {
      try {
        isFull = writeSync(file, block) < block.length;
      } catch {
        isFull = true;
      }
    }
    closeSync(file);
    const refused = await until("a control plane that is not ready", async () => {
      const said = await ask(port, "/-/readiness");
      return said?.code === 503 && said;
    });
    expect(refused.works["writing"]).toMatchObject({ status: "failing", reason: expect.stringMatching(/no space left|cannot be/) });
    expect(refused.works["reading"]).toMatchObject({ status: "ok" });
    expect(await ask(port, "/-/liveness")).toMatchObject({ code: 200 });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('\noutpost_work_ok{work="writing"} 0\n');

    rmSync(ballast);
    await until("a control plane that is ready again", async () => (await ask(port, "/-/readiness"))?.code === 200);
    await plane.logged("it works again");
  });
});
if (noOwnMounts !== null) process.stdout.write(`tests of a control plane on a full disk are skipped: ${noOwnMounts}\n`);

describe("a SQLite database with a damaged page", () => {
  it("refuses to start, and says what to do", { timeout: 120_000 }, async () => {
    const at = folder();
    await copyMigratedStore(at);
    expect(await sqliteDamage(join(at, "outpost.db"))).toBeNull();
    damage(join(at, "outpost.db"));
    await using plane = new OutpostProcess(["control-plane"], { DATA_DIR: at, PORT: "0" }, "/");
    expect(await plane.exit()).toBe(2);
    expect(plane.stderr).toMatch(
      /outpost\.db is damaged \(.+\): stop Outpost, keep a copy of the file, and restore a backup, or what can be read: sqlite3/,
    );
  });

  it("is looked for no longer than until the control plane ends, however large the file", async () => {
    const path = join(folder(), "locked.db");
    const db = new DatabaseSync(path);
    db.exec("create table rows (id integer); begin exclusive"); // as long as this is open, the look waits for it
    const stopping = new AbortController();
    const looking = sqliteDamage(path, stopping.signal);
    const looks = () => readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(path));
    await until("a process that looks", async () => looks().length > 0);
    stopping.abort();
    expect(await looking).toBeNull();
    await until("no process that looks", async () => looks().length === 0);
    db.close();
  });

  it("is found while it is used, too", async () => {
    await using plane = await controlPlaneUnderTest();
    const { signal } = new AbortController();
    expect(await plane.context.storage.findDamage(signal)).toBeNull();
    damage(join(plane.dataDir, "outpost.db"));
    expect(await plane.context.storage.findDamage(signal)).toMatch(/outpost\.db is damaged/);
  });
});
