import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "./free-ports.ts";

/** A PostgreSQL server for tests. */
export interface TestPostgres {
  /** Makes a database, an empty one or a copy of a template, and answers its URL. */
  database(name: string, template?: string): Promise<string>;
  /** Of one that is there. */
  urlOf(name: string): string;
  /** `immediate` is what a crash looks like to clients; `killed` ends each of its processes by SIGKILL. */
  stop(how?: "fast" | "immediate" | "killed"): Promise<void>;
  /** After `stop`, on the same port with the same data. */
  start(): Promise<void>;
  /** Of a private one. */
  readonly pid: () => number | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

const urlVariable = "OUTPOST_TEST_POSTGRES_URL";
let shared: TestPostgres | undefined;

/** Vitest's `globalSetup`: one server for all test files of a run. Without it each file starts its own. */
export async function setup(): Promise<void> {
  if (process.env[urlVariable]) return;
  shared = await startPostgres();
  if (shared) process.env[urlVariable] = await shared.database("postgres_tests");
}

export async function teardown(): Promise<void> {
  await shared?.[Symbol.asyncDispose]();
}

/**
 * The server at `OUTPOST_TEST_POSTGRES_URL`, or a private one from the binaries that Debian installs, in a temporary folder on a free
 * port (about a second). `own`: always a private one, to be stopped and started; with a `folder` it stays there for the next start, and `lasting` ones sync and clean up as installed ones do. Undefined,
 * with the reason on standard output, when there is neither; and where OUTPOST_TEST_ENGINES is `sqlite`.
 */
export async function startPostgres(
  options: { readonly own?: boolean; readonly folder?: string; readonly lasting?: boolean } = {},
): Promise<TestPostgres | undefined> {
  const url = options.own ? undefined : process.env[urlVariable];
  if (url)
    return {
      database: (name, template) => createDatabase(url, name, template),
      urlOf: (name) => urlOf(url, name),
      stop: async () => undefined,
      start: async () => undefined,
      pid: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
  if (process.env["OUTPOST_TEST_ENGINES"] === "sqlite") return undefined;
  const bin = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);
  const user = unprivilegedUser();
  if (!bin || !user) {
    process.stdout.write(
      `PostgreSQL tests are skipped: ${bin ? "no unprivileged user to run the server as" : "no binaries in /usr/lib/postgresql and no OUTPOST_TEST_POSTGRES_URL"}\n`,
    );
    return undefined;
  }
  return startServer(bin, user, options.folder, options.lasting === true ? [] : quick);
}

/** What is lost with the machine was a test's, and what is deleted goes with its database. */
export const quick: readonly string[] = ["fsync=off", "autovacuum=off"];

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. */
export function unprivilegedUser(): User | undefined {
  if (userInfo().uid !== 0) return userInfo();
  try {
    const id = (flag: string): number =>
      Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined;
  }
}

/** @param kept a folder that stays there */
export async function startServer(bin: string, user: User, kept: string | undefined, settings: readonly string[]): Promise<TestPostgres> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), "outpost-postgres-"));
  mkdirSync(folder, { recursive: true });
  chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const as = { uid: user.uid, gid: user.gid, cwd: folder };
  const initArgs = ["-D", data, "-U", "outpost", "-A", "trust", "-N", "--no-locale", "-E", "UTF8"];
  if (!existsSync(data)) execFileSync(join(bin, "initdb"), initArgs, { ...as, stdio: "ignore" });
  const port = await freePort();
  const all = ["shared_buffers=64MB", "max_connections=60", ...settings].flatMap((setting) => ["-c", setting]);
  const args = ["-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1", ...all];
  const url = `postgres://outpost@127.0.0.1:${port}/postgres`;
  let server = spawn(join(bin, "postgres"), args, { ...as, stdio: "ignore" });
  await untilReady(url);
  const stop = async (how: "fast" | "immediate" | "killed" = "fast"): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, "exit");
    if (how === "killed") killAll(server.pid ?? 0);
    else server.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await gone;
  };
  return {
    database: (name, template) => createDatabase(url, name, template),
    urlOf: (name) => urlOf(url, name),
    stop,
    pid: () => server.pid,
    async start() {
      if (existsSync(join(data, "postmaster.pid"))) rmSync(join(data, "postmaster.pid"));
      server = spawn(join(bin, "postgres"), args, { ...as, stdio: "ignore" });
      await untilReady(url);
    },
    async [Symbol.asyncDispose]() {
      await stop(kept === undefined ? "immediate" : "fast");
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server first, so that it starts nobody again. Those that it had end before another one uses its memory. */
function killAll(pid: number): void {
  const others = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  process.kill(pid, "SIGKILL");
  for (const other of others) {
    try {
      process.kill(other, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it has ended meanwhile
    }
  }
}

async function createDatabase(serverUrl: string, name: string, template = "template1"): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`drop database if exists "${name}" with (force)`);
    await client.query(`create database "${name}" template "${template}"`);
  } finally {
    await client.end();
  }
  return urlOf(serverUrl, name);
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, 50);
      await promise;
    }
  }
  throw new Error("PostgreSQL did not start within a minute");
}
