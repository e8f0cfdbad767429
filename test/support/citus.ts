import { chmodSync, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { toolsFolder } from "./chart-tools.ts";
import { quick, startServer, type TestPostgres, unprivilegedUser } from "./postgres.ts";

/** A coordinator and two workers on loopback, each a PostgreSQL of its own. */
export interface TestCitus extends Pick<TestPostgres, "database" | "urlOf" | typeof Symbol.asyncDispose> {
  /** Of all three. */
  drop(name: string): Promise<void>;
  /** Makes a template of one, which nobody can use any more: Citus itself would stay in it, and keep it from being copied. */
  freeze(name: string): Promise<void>;
  /** These two of a cluster that this process started for itself: to be stopped and started. */
  readonly coordinator?: TestPostgres | undefined;
  readonly workers: readonly TestPostgres[];
}

const folderVariable = "OUTPOST_TEST_CITUS_FOLDER";

/** Vitest's `globalSetup`: the first file that asks starts the one cluster of a run, and it ends with the run. */
export function setup(): void {
  process.env[folderVariable] ??= mkdtempSync(join(tmpdir(), "outpost-citus-"));
}

export function teardown(): void {
  const folder = process.env[folderVariable] ?? "";
  for (const file of globSync(join(folder, "*/data/postmaster.pid")))
    process.kill(Number.parseInt(readFileSync(file, "utf8"), 10), "SIGQUIT");
  rmSync(folder, { recursive: true, force: true });
}

/** The program's folder as `.ci/citus` left it; why it is not there is printed. */
export function builtCitus(): string | undefined {
  if (process.env["OUTPOST_TEST_ENGINES"] === "sqlite") return undefined;
  const versions = readFileSync(join(import.meta.dirname, "../../.ci/citus.versions"), "utf8");
  const folder = join(toolsFolder(), `citus-${/^CITUS=(\S+)$/m.exec(versions)?.[1]}`);
  const isThere = existsSync(folder);
  if (isThere && unprivilegedUser() !== undefined) return folder;
  const reason = isThere
    ? "no unprivileged user to run its servers as"
    : `${folder} is not there. Run .ci/citus (needs its source) to build it`;
  process.stdout.write(`Citus tests are skipped: ${reason}.\n`);
  return undefined;
}

/** The run's cluster, or one of its own, which takes some seconds. Undefined, with the reason on standard output, where Citus is not built. */
export async function startCitus(options: { readonly own?: boolean; readonly shards?: number } = {}): Promise<TestCitus | undefined> {
  const built = builtCitus();
  if (built === undefined) return undefined;
  const shared = options.own === true ? undefined : process.env[folderVariable];
  if (shared !== undefined) return clusterAt(await urlsOf(shared, built), []);
  const folder = mkdtempSync(join(tmpdir(), "outpost-citus-"));
  const servers = await startServers(built, folder, options.shards);
  const cluster = clusterAt(
    servers.map((server) => server.urlOf("postgres")),
    servers.slice(1),
  );
  return {
    ...cluster,
    coordinator: servers[0],
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whoever makes the folder of servers starts them; others wait for the file that names them. */
async function urlsOf(folder: string, built: string): Promise<readonly string[]> {
  const file = join(folder, "urls.json");
  if (makes(join(folder, "starting"))) {
    const servers = await startServers(built, folder);
    writeFileSync(`${file}.new`, JSON.stringify(servers.map((server) => server.urlOf("postgres"))));
    renameSync(`${file}.new`, file);
  }
  for (let tries = 0; !existsSync(file); tries += 1) {
    if (tries > 600) throw new Error("the Citus cluster of this run did not start within a minute");
    await wait(100);
  }
  return JSON.parse(readFileSync(file, "utf8")) as readonly string[]; // written above
}

function makes(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const settings = [
  ...quick,
  "shared_preload_libraries=citus",
  "citus.node_conninfo=sslmode=disable",
  "citus.recover_2pc_interval=1s",
  "max_connections=200",
  "max_worker_processes=100", // one at least for each database
  "max_prepared_transactions=200",
];

/** Tables come by the day and the shard, so tests have few shards. From a copy that an unprivileged user can read: the folder of tools is in somebody's home. */
async function startServers(built: string, folder: string, shards = 4): Promise<readonly TestPostgres[]> {
  const user = unprivilegedUser();
  if (user === undefined) throw new Error("no unprivileged user to run PostgreSQL as");
  chmodSync(folder, 0o755);
  const program = join(folder, "program");
  cpSync(built, program, { recursive: true });
  const [bin = ""] = globSync(join(program, "usr/lib/postgresql/*/bin"));
  return Promise.all(
    ["coordinator", "worker-1", "worker-2"].map((name) =>
      startServer(bin, user, join(folder, name), [...settings, `citus.shard_count=${shards}`]),
    ),
  );
}

function clusterAt(urls: readonly string[], workers: readonly TestPostgres[]): TestCitus {
  const [coordinator = "", ...others] = urls;
  const onAll = (work: (client: pg.Client, url: string) => Promise<unknown>, database = "postgres") =>
    Promise.all(urls.map((url) => withClient(at(url, database), (client) => work(client, url))));
  return {
    urlOf: (name) => at(coordinator, name),
    workers,
    async database(name, template) {
      await onAll((client) => client.query(`create database "${name}" ${template === undefined ? "" : `template "${template}"`}`));
      if (template !== undefined) return at(coordinator, name); // what it knows of the others came with it
      await onAll((client) => client.query("create extension citus"), name);
      await withClient(at(coordinator, name), async (client) => {
        for (const { hostname, port } of others.map((url) => new URL(url)))
          await client.query("select citus_add_node($1, $2)", [hostname, port]);
      });
      return at(coordinator, name);
    },
    async freeze(name) {
      await onAll(async (client) => {
        await client.query(`alter database "${name}" with is_template true allow_connections false`);
        await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
      });
    },
    drop: async (name) => void (await onAll((client) => dropOn(client, name))),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** What Citus itself does there, on a slow machine, does not end at once. */
async function dropOn(client: pg.Client, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return void (await client.query(`drop database if exists "${name}" with (force)`));
    } catch (error) {
      if (tries === 3 || !(error instanceof pg.DatabaseError && error.code === "55006")) throw error;
    }
  }
}

function at(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
