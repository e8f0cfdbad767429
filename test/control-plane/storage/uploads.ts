import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { isDistributed } from "../../../src/control-plane/storage/citus/citus-statements.ts";
import { openPostgres } from "../../../src/control-plane/storage/dialects/postgres.ts";
import { postgresEngine } from "../../../src/control-plane/storage/dialects/postgres-engine.ts";
import { connectSqlite, sqliteEngine } from "../../../src/control-plane/storage/dialects/sqlite-engine.ts";
import type { Engine } from "../../../src/control-plane/storage/engine.ts";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { AnalyticsQuery, LeasedJobRow, LocationRow, Storage } from "../../../src/control-plane/storage/storage.ts";
import { differences, type KnownResult, obviousRows } from "./analytics-reference.ts";
import { agent, lease, report, type Scene, type StorePlace, scene, t0 } from "./fixture.ts";

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** One run that the test lets an agent report: where, when it starts, and what came out. */
export interface Run {
  readonly place: number;
  readonly atMs: number;
  readonly responseTimeMs: number;
  readonly statusCode: number | null;
  readonly outcome: "passed" | "degraded" | "failed" | "errors" | "cancelled" | "agentSide";
  readonly attempts: number;
}

/** A store with one check at two locations, and everything that was reported of it. */
export class Uploads implements AsyncDisposable {
  readonly known: KnownResult[] = [];
  readonly storage: Storage;
  readonly of: Scene & { readonly locations: readonly LocationRow[] };
  /** By process: with PostgreSQL another one may take the uploads. */
  readonly stores: readonly Storage[];

  constructor(of: Scene & { readonly locations: readonly LocationRow[] }, stores: readonly Storage[]) {
    this.of = of;
    this.storage = of.storage;
    this.stores = stores;
  }

  /** Leases before any of them is reported, so that what is pruned meanwhile meets late reports. */
  async lease(runs: readonly Run[]): Promise<readonly (readonly [Run, LeasedJobRow])[]> {
    const { storage, check: checked, locations } = this.of;
    const leased: (readonly [Run, LeasedJobRow])[] = [];
    for (const [place, ofPlace] of Map.groupBy(runs, (run) => run.place)) {
      const at = locations[place];
      if (!at) throw new Error("no such location");
      const starts = ofPlace.map((run) => ({
        accountId: checked.accountId,
        checkId: checked.id,
        runAtMs: run.atMs,
        source: "TRIGGER_API",
        locationIds: [at.id],
      }));
      await storage.schedule.startRuns(starts);
      const by = await agent(storage, at);
      const jobs = await lease(storage, by, t0 + 100 * dayMs, 10_000);
      for (const run of ofPlace) {
        const job = jobs.find((one) => one.runAtMs === run.atMs && !leased.some(([, taken]) => taken.no === one.no));
        if (job) leased.push([run, job]);
      }
    }
    return leased;
  }

  async report(leased: readonly (readonly [Run, LeasedJobRow])[], nowMs = t0 + 100 * dayMs): Promise<void> {
    for (const [place, ofPlace] of Map.groupBy(leased, ([run]) => run.place)) {
      const at = this.of.locations[place];
      if (!at) throw new Error("no such location");
      const reports = ofPlace.flatMap(([run, job]) => reportsOf(run, job).map((one) => [run, one] as const));
      const store = this.stores[place % this.stores.length] ?? this.storage;
      const answers = await store.results.ingest(
        await agent(store, at),
        reports.map(([, one]) => one),
        nowMs,
      );
      for (const [index, [, one]] of reports.entries()) {
        if (answers[index]?.outcome === "accepted") this.known.push(knownOf(one, at.code));
      }
    }
  }

  async upload(runs: readonly Run[]): Promise<void> {
    await this.report(await this.lease(runs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.stores) await store.close();
  }

  async differences(query: Omit<AnalyticsQuery, "checkId">, rollupsOnlyBefore = 0): Promise<readonly string[]> {
    const rows = await this.storage.analytics.analyze({ ...query, checkId: this.of.check.id });
    const exactly = (bucket: number): boolean => {
      const [from = 0, to = 0] = [query.edgesMs[bucket], query.edgesMs[bucket + 1]];
      return to - from < hourMs && Math.floor(from / hourMs) >= rollupsOnlyBefore;
    };
    return differences(rows, obviousRows(this.known, query, rollupsOnlyBefore), exactly);
  }
}

function reportsOf(run: Run, job: LeasedJobRow): readonly AttemptReport[] {
  return Array.from({ length: run.attempts }, (_, index) => {
    const isLast = index === run.attempts - 1;
    const startedAt = run.atMs + index * 400.25;
    return report(job, {
      attempt: index + 1,
      resultType: isLast ? "FINAL" : "ATTEMPT",
      startedAt,
      stoppedAt: startedAt + 10,
      responseTimeMs: run.responseTimeMs,
      statusCode: isLast ? run.statusCode : 503,
      hasFailures: !isLast || run.outcome === "failed",
      hasErrors: isLast && (run.outcome === "errors" || run.outcome === "agentSide"),
      isDegraded: isLast && (run.outcome === "degraded" || run.outcome === "errors"), // of both, only the failure counts
      isCancelled: isLast && run.outcome === "cancelled",
      agentSide: isLast && run.outcome === "agentSide",
      metrics: { wait: run.responseTimeMs / 4, tls: run.place === 0 ? null : -run.responseTimeMs, download: 0 },
      detail: null,
    });
  });
}

function knownOf(sent: AttemptReport, locationCode: string): KnownResult {
  const { startedAt, statusCode, isCancelled, agentSide, isDegraded, hasFailures, hasErrors, metrics, responseTimeMs } = sent;
  const counts = !(isCancelled || agentSide);
  const stored = (value: number | null | undefined): number | null => (value == null ? null : Math.round(value * 1_000) / 1_000);
  return {
    startedAtMs: Math.round(startedAt * 1_000) / 1_000,
    locationCode,
    statusCode,
    failed: hasFailures || hasErrors,
    degraded: isDegraded && !(hasFailures || hasErrors),
    kind: !counts ? "counts nowhere" : sent.resultType === "FINAL" ? "run" : "retry",
    metrics: {
      responseTime: stored(responseTimeMs),
      m1: stored(metrics["wait"]),
      m4: stored(metrics["tls"]),
      m6: stored(metrics["download"]),
    },
  };
}

export function run(change: Partial<Run> = {}): Run {
  return { place: 0, atMs: t0, responseTimeMs: 100, statusCode: 200, outcome: "passed", attempts: 1, ...change };
}

/** To be closed before the place goes. @param processes that have it open; with SQLite it is always one */
export async function uploadsAt(place: StorePlace, processes = 1): Promise<Uploads> {
  const open = (): Promise<Storage> => openStorage({ ...place, nowMs: t0, maxConnections: 4 });
  const of = await scene(await open(), ["berlin", "paris"]);
  await of.storage.jobs.cancel(of.session.no, t0);
  return new Uploads(of, place.databaseUrl === undefined || processes === 1 ? [of.storage] : [of.storage, await open()]);
}

/** The engine of a store, beside the store: to look at its tables, and to come between two steps of what works on them. */
export async function engineAt({ dataDir, databaseUrl }: StorePlace): Promise<Engine> {
  if (databaseUrl !== undefined) {
    const db = openPostgres(databaseUrl, 4);
    return postgresEngine(db, { id: 1, body: new Uint8Array(0) }, (await isDistributed(db)) ? "citus" : "postgres");
  }
  const path = join(dataDir, "outpost.db");
  appendFileSync(path, ""); // the one that only reads does not make it
  return sqliteEngine({
    writer: connectSqlite(path, false),
    reader: connectSqlite(path, true),
    log: null,
    dictionary: 1,
    release: () => undefined,
  });
}
