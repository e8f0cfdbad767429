import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../../test/support/free-ports.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { setUpControlPlane } from "../control-plane.ts";
import { askPostgres, askSqlite, type Row } from "../fill-store.ts";
import { type Child, outpost, untilOk } from "../processes.ts";
import { type Load, type Pipeline, pidOf, type Runs } from "./measured-site.ts";

interface Store {
  readonly databaseUrl?: string;
  readonly ask: (text: string) => Promise<readonly Row[]>;
  readonly sizeOf: string;
  readonly processes: Pipeline["processes"];
  readonly stop: () => Promise<void>;
}

/** The whole product: a control plane, an agent at each location, and the database's server. */
export async function outpostSite(engine: "sqlite" | "postgres", load: Load): Promise<Pipeline> {
  const dataDir = mkdtempSync(join(tmpdir(), "outpost-bench-"));
  const store = engine === "sqlite" ? sqliteStore(join(dataDir, "outpost.db")) : await postgresStore();
  const database: Record<string, string> = store.databaseUrl === undefined ? {} : { DATABASE_URL: store.databaseUrl };
  const { locationKeys } = await setUpControlPlane(dataDir, {
    ...load,
    checks: load.checks + load.stored,
    env: database,
    change: (number) => ({
      ...(number >= load.checks && { frequency: 1440, frequencyOffset: 1 + (number % 24) }),
      ...(number < load.checks && load.periodSeconds === 60 && { frequency: 1, frequencyOffset: 1 + (number % 10) }),
      privateLocations: [load.locations[number % load.locations.length] ?? ""],
      request: { method: "GET", url: `${load.url}?check=${number}`, assertions: [...bodyMatched] },
    }),
  });
  const port = await freePort();
  const controlPlane = outpost("control-plane", { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: "WARN", ...database });
  await untilOk(`http://127.0.0.1:${port}/-/readiness`);
  const agents: Child[] = [];
  for (const [index, key] of locationKeys.entries()) {
    const health = await freePort();
    agents.push(
      outpost("agent", {
        API_KEY: key,
        API_URL: `http://127.0.0.1:${port}`,
        AGENT_HEALTH_PORT: String(health),
        DATA_DIR: join(dataDir, `agent-${index}`),
        JOB_CONCURRENCY: String(load.seats ?? 100),
        LOG_LEVEL: "WARN",
      }),
    );
    await untilOk(`http://127.0.0.1:${health}/-/readiness`);
  }
  return {
    processes: {
      prober: () => agents.map(({ pid }) => pid),
      scheduler: pidOf(controlPlane),
      ...store.processes,
    },
    settled: () => settled(store),
    diskBytes: async () => Number((await store.ask(store.sizeOf))[0]?.["size"]),
    runs: (fromMs, toMs) => runsIn(store, fromMs, toMs),
    async [Symbol.asyncDispose]() {
      for (const agent of agents) await agent[Symbol.asyncDispose]();
      await controlPlane[Symbol.asyncDispose]();
      await store.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** As much as the others judge. */
export const bodyMatched = [
  { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
  { source: "TEXT_BODY", comparison: "CONTAINS", target: "nginx" },
] as const;

/** The checks were made before the control plane started, so that it begins with all of them due. */
export async function settled({ ask }: Pick<Store, "ask">): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    await pause(3_000);
    const [row] = await ask("select min(due_at) as oldest, (select max(no) from sessions) as runs from jobs");
    const oldest = row?.["oldest"] ?? Date.now();
    if (Number(row?.["runs"] ?? 0) > 0 && Date.now() - Number(oldest) < 1_000) return;
  }
  throw new Error("the backlog of the start is not gone after fifteen minutes");
}

export async function runsIn({ ask }: Pick<Store, "ask">, fromMs: number, toMs: number): Promise<Runs> {
  const rows = await ask(`select queued_ms from results where type = 0 and created_at >= ${fromMs} and created_at < ${toMs}`);
  const [told] = await ask(`select count(*) as slots, count(distinct check_id * 1000000000000 + run_at - ${fromMs}) as once,
    sum(missed) as missed from sessions where run_at >= ${fromMs} and run_at < ${toMs}`);
  const [slots, once, missed] = [told?.["slots"], told?.["once"], told?.["missed"]].map(Number);
  return {
    count: rows.length,
    lagsMs: rows.map((row) => Number(row["queued_ms"])),
    missed: missed ?? Number.NaN,
    doubled: (slots ?? Number.NaN) - (once ?? Number.NaN),
  };
}

function sqliteStore(path: string): Store {
  const sizeOf = "select page_count * page_size as size from pragma_page_count(), pragma_page_size()";
  return { ask: async (text) => askSqlite(path, text), sizeOf, processes: {}, stop: async () => undefined };
}

export async function postgresStore(): Promise<Store> {
  const server = await startPostgres({ own: true, lasting: true });
  if (server === undefined) throw new Error("no PostgreSQL to measure with");
  const databaseUrl = await server.database("outpost");
  return {
    databaseUrl,
    ask: (text) => askPostgres(databaseUrl, text),
    sizeOf: "select pg_database_size('outpost') as size",
    processes: { database: () => processesOf(server) },
    stop: () => server[Symbol.asyncDispose](),
  };
}

/** The server and its children: a process for each connection and for each of its own works. */
function processesOf(server: TestPostgres): readonly number[] {
  const parent = server.pid();
  const isChild = (pid: string): boolean => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]) === parent;
    } catch {
      return false; // it ended meanwhile
    }
  };
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isChild(name));
  return [...(parent === undefined ? [] : [parent]), ...children.map(Number)];
}
