import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePrivateLocation } from "../../src/control-plane/accounts/setup.ts";
import { distribute } from "../../src/control-plane/storage/citus/distribute.ts";
import { openStorage } from "../../src/control-plane/storage/open-storage.ts";
import type { AccountRow, CheckRow, Storage } from "../../src/control-plane/storage/storage.ts";
import { startCitus } from "../../test/support/citus.ts";
import { freePort } from "../../test/support/free-ports.ts";
import { startPostgres, type TestPostgres } from "../../test/support/postgres.ts";
import { type SetUpSite, type SiteOptions, setUpControlPlane } from "./control-plane.ts";
import { fillHistory } from "./fill-history.ts";
import { askPostgres, askSqlite, type Filling, fillPostgres, fillSqlite, type Row } from "./fill-store.ts";
import { placesOf } from "./history-rows.ts";
import { type Child, outpost, untilOk } from "./processes.ts";
import { seededLocations } from "./seeded-results.ts";
import { apiDetail } from "./uploads.ts";

/** `citus`: a coordinator and two workers. */
export type EngineName = "sqlite" | "postgres" | "citus";

type Server = Pick<TestPostgres, "database" | "urlOf" | typeof Symbol.asyncDispose>;

/** A store with checks, in a temporary folder; PostgreSQL in a server of its own there. Gone when the block ends, unless it is kept. */
export class Site implements AsyncDisposable {
  readonly #dataDir: string;
  readonly #isKept: boolean;
  readonly #server: Server | undefined;
  readonly #isSpread: boolean;
  readonly #databaseUrl: string | undefined;
  apiKey = "";
  locationKey = "";
  /** One of each location, in their order. */
  locationKeys: readonly string[] = [];
  checkIds: readonly string[] = [];

  static async make(engine: EngineName, checks: number, more: Partial<SiteOptions> = {}): Promise<Site> {
    const server = await serverOf(engine);
    const site = new Site(mkdtempSync(join(tmpdir(), "outpost-bench-")), false, engine, server, await server?.database("bench"));
    Object.assign(site, await site.#setUp(checks, more));
    return site;
  }

  /** One that stays in the folder, and is found there by the next run. */
  static async keep(folder: string, engine: EngineName, checks: number, more: Partial<SiteOptions> = {}): Promise<Site> {
    const dataDir = join(folder, `${engine}-${checks}`);
    mkdirSync(dataDir, { recursive: true });
    const notes = join(dataDir, "site.json");
    const isNew = !existsSync(notes);
    const server = await serverOf(engine, join(dataDir, "postgres"));
    const site = new Site(dataDir, true, engine, server, isNew ? await server?.database("bench") : server?.urlOf("bench"));
    if (isNew) writeFileSync(notes, JSON.stringify(await site.#setUp(checks, more)));
    Object.assign(site, JSON.parse(readFileSync(notes, "utf8")));
    return site;
  }

  private constructor(dataDir: string, isKept: boolean, engine: EngineName, server: Server | undefined, databaseUrl: string | undefined) {
    this.#dataDir = dataDir;
    this.#isKept = isKept;
    this.#server = server;
    this.#isSpread = engine === "citus";
    this.#databaseUrl = databaseUrl;
  }

  #setUp(checks: number, more: Partial<SiteOptions>): Promise<SetUpSite> {
    return setUpControlPlane(this.#dataDir, { checks, url: "http://127.0.0.1:9/", activated: false, ...more, env: this.#place() });
  }

  /** The store itself, while no control plane has it. */
  async withStorage<T>(work: (storage: Storage, account: AccountRow, checks: readonly CheckRow[]) => Promise<T>): Promise<T> {
    const databaseUrl = this.#databaseUrl;
    const storage = await openStorage({
      dataDir: this.#dataDir,
      nowMs: Date.now(),
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
    try {
      const [account] = await storage.accounts.list();
      if (account === undefined) throw new Error("no account");
      const checks: CheckRow[] = [];
      for (let page = 1; ; page += 1) {
        const { items } = await storage.checks.list(account.id, { page, limit: 100 });
        checks.push(...items);
        if (items.length < 100) break;
      }
      return await work(
        storage,
        account,
        checks.toSorted((a, b) => a.id - b.id),
      );
    } finally {
      await storage.close();
    }
  }

  /** @param checkCount of the first so many checks @returns results written */
  async fill(fromMs: number, toMs: number, checkCount = Number.MAX_SAFE_INTEGER): Promise<number> {
    const filling = await this.withStorage((storage, account, checks) =>
      seededFilling(storage, account, { fromMs, toMs, checkIds: checks.slice(0, checkCount).map(({ id }) => id) }),
    );
    if (this.#databaseUrl === undefined) return fillSqlite(join(this.#dataDir, "outpost.db"), filling);
    const count = await fillPostgres(this.#databaseUrl, filling);
    await this.spread();
    return count;
  }

  /** Of a cluster: before it, all lies on the coordinator. */
  async spread(): Promise<void> {
    if (this.#isSpread) await distribute(this.#databaseUrl ?? "", (line) => process.stdout.write(`citus: ${line}\n`));
  }

  /** About so many results of all checks up to now, see `fill-history.ts`. Goes on where an earlier call stopped. */
  async fillHistory({ results, days }: { readonly results: number; readonly days: number }, tell: (text: string) => void): Promise<void> {
    const toMs = Math.floor(Date.now() / 60_000) * 60_000;
    const history = await this.withStorage(async (storage, account, checks) => {
      const checkIds = checks.map(({ id }) => id);
      const filling = await seededFilling(storage, account, { fromMs: toMs - days * 86_400_000, toMs, checkIds });
      return { ...filling, places: placesOf(checkIds, filling.locationIds, results, days) };
    });
    await fillHistory(this.#databaseUrl ?? join(this.#dataDir, "outpost.db"), history, tell);
  }

  /** Makes every hour's rollup out of date. */
  async markDirty(): Promise<void> {
    await this.ask("insert into dirty_hours (id, mark) select id, 1 from rollup_hours where true on conflict (id) do nothing");
  }

  /** What SQL answers. */
  async ask(text: string): Promise<readonly Row[]> {
    if (this.#databaseUrl === undefined) return askSqlite(join(this.#dataDir, "outpost.db"), text);
    return askPostgres(this.#databaseUrl, text);
  }

  /** Shows the checks to everybody; none becomes due. */
  async activate(): Promise<void> {
    await this.ask("update checks set activated = 1");
  }

  /** A control plane on this store, in a process of its own. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<{ readonly process: Child; readonly url: string }> {
    const port = await freePort();
    const lifted = ["STANDARD", "RESULTS", "ANALYTICS", "DASHBOARDS", "ALERT_NOTIFICATIONS", "LOCATION_METRICS"];
    const process = outpost("control-plane", {
      ...this.#place(),
      ...Object.fromEntries(lifted.map((name) => [`RATE_LIMIT_${name}`, "1000000/1"])),
      PORT: String(port),
      LOG_LEVEL: "WARN",
      WEBHOOK_EGRESS: "127.0.0.0/8",
      RESULTS_KEEP_DAYS: "60",
      LEASE_SECONDS: "600",
      QUEUE_WAIT_SECONDS: "3600",
      ...env,
    });
    const url = `http://127.0.0.1:${port}`;
    await untilOk(`${url}/-/readiness`);
    return { process, url };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    if (!this.#isKept) rmSync(this.#dataDir, { recursive: true, force: true });
  }

  #place(): Record<string, string> {
    return { DATA_DIR: this.#dataDir, ...(this.#databaseUrl !== undefined && { DATABASE_URL: this.#databaseUrl }) };
  }
}

async function serverOf(engine: EngineName, folder?: string): Promise<Server | undefined> {
  if (engine === "sqlite") return undefined;
  const server =
    engine === "citus"
      ? await startCitus({ own: true, shards: 32 })
      : await startPostgres({ own: true, ...(folder !== undefined && { folder }) });
  if (server === undefined) throw new Error(`no ${engine} here`);
  return server;
}

/** Seeded results of these checks at the seeded locations, which are made where they are missing. */
export async function seededFilling(
  storage: Storage,
  account: AccountRow,
  of: Pick<Filling, "fromMs" | "toMs" | "checkIds">,
): Promise<Filling> {
  const locationIds: number[] = [];
  for (const slugName of seededLocations) {
    const context = { storage, hashOf: (secret: string) => secret, nowMs: Date.now };
    locationIds.push((await ensurePrivateLocation(context, account, { slugName, name: slugName })).id);
  }
  const details = Array.from({ length: 500 }, (_, index) => apiDetail(100 + index, { wait: 0.1, dns: 1, tcp: 3, firstByte: 50 }));
  return { ...of, locationIds, details };
}
