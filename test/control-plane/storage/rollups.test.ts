import { CompiledQuery, sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../../src/control-plane/storage/engine.ts";
import { migrations } from "../../../src/control-plane/storage/migrations/index.ts";
import type { Tables } from "../../../src/control-plane/storage/schema.ts";
import type { AnalyticsQuery } from "../../../src/control-plane/storage/storage.ts";
import { compactHours } from "../../../src/control-plane/storage/stores/analytics/compaction.ts";
import { hourOf, periodId } from "../../../src/control-plane/storage/stores/analytics/periods.ts";
import { writeResults } from "../../../src/control-plane/storage/stores/results/result-writer.ts";
import { agent, type EngineName, leaseOne, location, reaping, report, start, t0, useEngines } from "./fixture.ts";
import { dayMs, engineAt, hourMs, run, type Uploads, uploadsAt } from "./uploads.ts";

const engines = await useEngines();
const later = t0 + 50 * dayMs;
const wholeDays: Omit<AnalyticsQuery, "checkId"> = {
  edgesMs: [t0 - dayMs, t0 + 10 * dayMs],
  groupBy: null,
  outcome: null,
  metrics: ["responseTime", "m1"],
};

async function compactAll({ storage }: Uploads): Promise<void> {
  while (await storage.analytics.compact(later, 40));
}

async function withEngine(engine: EngineName, work: (all: Uploads, beside: Engine) => Promise<void>): Promise<void> {
  const place = await engines.place(engine);
  await using all = await uploadsAt(place);
  const beside = await engineAt(place);
  await work(all, beside).finally(() => beside.close());
}

async function countOf(beside: Engine, table: keyof Tables): Promise<number> {
  const { n } = await beside.reads
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

describe.each(engines.names)("rollups on %s", (engine) => {
  it("count FINAL results that ran to their end, and failed attempts only as retries", async () => {
    await using all = await uploadsAt(await engines.place(engine));
    const { storage, of } = all;
    await all.upload([
      run({ responseTimeMs: 10 }),
      run({ atMs: t0 + 1, responseTimeMs: 20, outcome: "degraded" }),
      run({ atMs: t0 + 2, responseTimeMs: 30, outcome: "failed", attempts: 3 }),
      run({ atMs: t0 + 3, responseTimeMs: 40, outcome: "errors", statusCode: null }),
      run({ atMs: t0 + 4, responseTimeMs: 1_000, outcome: "cancelled" }),
      run({ atMs: t0 + 5, responseTimeMs: 1_000, outcome: "agentSide" }),
    ]);
    // One run that nobody makes, and one whose agent goes away.
    await start(storage, of.check, [of.berlin.id], t0 + 6);
    const job = await leaseOne(storage, await agent(storage, of.berlin), t0 + 7);
    await storage.jobs.extend(job.no, [], t0 + 7, 1_000);
    await storage.jobs.reap(t0 + 60_000, reaping);
    await storage.jobs.reap(t0 + dayMs, reaping);
    const figures = async () =>
      (await storage.analytics.analyze({ ...wholeDays, checkId: of.check.id })).map(({ runs, passed, degraded, retries, metrics }) => {
        return { runs, passed, degraded, retries, sum: metrics.get("responseTime")?.sum };
      });
    expect(await figures()).toEqual([{ runs: 4, passed: 2, degraded: 1, retries: 2, sum: 100 }]);
    await compactAll(all);
    expect(await figures()).toEqual([{ runs: 4, passed: 2, degraded: 1, retries: 2, sum: 100 }]);
  });

  it("are read instead of results where they are up to date, whole days before hours", async () => {
    await withEngine(engine, async (all, beside) => {
      await all.upload(Array.from({ length: 30 }, (_, index) => run({ atMs: t0 + index * 2 * hourMs, responseTimeMs: index + 1 })));
      await compactAll(all);
      expect([await countOf(beside, "rollup_hours"), await countOf(beside, "rollup_days")]).toEqual([30, 3]);
      expect([await countOf(beside, "dirty_hours"), await countOf(beside, "dirty_days")]).toEqual([0, 0]);
      await beside.db.deleteFrom("results").execute();
      expect(await all.differences(wholeDays)).toEqual([]);
      await beside.db.deleteFrom("rollup_hours").where("id", ">", 0).execute();
      const [left] = await all.storage.analytics.analyze({ ...wholeDays, checkId: all.of.check.id });
      expect(left?.runs).toBe(30);
    });
  });

  it("leave an hour that has not ended to its results", async () => {
    await withEngine(engine, async (all, beside) => {
      await all.upload([run({ atMs: t0 - 1 }), run({ atMs: t0 + 1 })]);
      while (await all.storage.analytics.compact(t0 + hourMs - 1, 40));
      expect([await countOf(beside, "rollup_hours"), await countOf(beside, "dirty_hours")]).toEqual([1, 1]);
      expect(await all.differences(wholeDays)).toEqual([]);
    });
  });

  it("stay out of date when a result arrives between reading the hour and writing its rollup", async () => {
    await withEngine(engine, async (all, beside) => {
      await all.upload([run(), run({ atMs: t0 + 5 * hourMs })]);
      const leased = await all.lease([run({ atMs: t0 + 1_000, responseTimeMs: 900 })]);
      let late: Promise<void> | undefined;
      const interrupted: Engine = {
        ...beside,
        async transaction(work) {
          await (late ??= all.report(leased));
          return beside.transaction(work);
        },
      };
      await compactHours(interrupted, hourOf(later * 1_000), 40);
      // The other hour is done, this one is not; and no answer misses the late result.
      expect([await countOf(beside, "rollup_hours"), await countOf(beside, "dirty_hours")]).toEqual([1, 1]);
      expect(await all.differences(wholeDays)).toEqual([]);
      await compactAll(all);
      expect(await countOf(beside, "dirty_hours")).toBe(0);
      expect(await all.differences(wholeDays)).toEqual([]);
    });
  });

  // SQLite has one: there, nothing is not committed yet.
  const writers = engine === "postgres" ? [2] : [];
  it.each(writers)("stay out of date when a batch of another of %i writers is not committed yet", async () => {
    await withEngine(engine, async (all, beside) => {
      await all.upload([run()]);
      const [known] = await beside.reads.selectFrom("results").selectAll().execute();
      if (!known) throw new Error("no result");
      let computed: Promise<boolean> | undefined;
      await beside.transaction(async (trx) => {
        const result = { ...resultLike(all, known.started_at_us + 1_000), id: known.id + 1 };
        await writeResults(beside, trx, { results: [result], details: [], replaced: [] });
        // It reads without the result, and waits for this transaction before it takes the hour off the list.
        computed = compactHours(beside, hourOf(later * 1_000), 40);
        await untilSomebodyWaits(beside);
      });
      await computed;
      expect(await countOf(beside, "dirty_hours")).toBe(1);
      const [row] = await all.storage.analytics.analyze({ ...wholeDays, checkId: all.of.check.id });
      expect(row?.runs).toBe(2);
    });
  });

  it("come out right where uploads and computing of two processes meet", async () => {
    await using all = await uploadsAt(await engines.place(engine), 2);
    const runs = Array.from({ length: 240 }, (_, index) =>
      run({ place: index % 2, atMs: t0 + ((index * 7_919) % 2_880) * 60_000, responseTimeMs: 1 + index, attempts: 1 + (index % 2) }),
    );
    const leased = await all.lease(runs);
    const uploading = Promise.all(
      Array.from({ length: 24 }, async (_, lane) => all.report(leased.filter((_one, index) => index % 24 === lane))),
    );
    let isDone = false;
    const computing = all.stores.map(async (store) => {
      while (!isDone) await store.analytics.compact(later, 15);
    });
    await uploading;
    isDone = true;
    await Promise.all(computing);
    expect(all.known).toHaveLength(360);
    expect(await all.differences(wholeDays)).toEqual([]);
    await compactAll(all);
    expect(await all.differences(wholeDays)).toEqual([]);
  });

  it("tell what results told after those are gone, by whole hours", async () => {
    await withEngine(engine, async (all, beside) => {
      await all.upload(
        Array.from({ length: 40 }, (_, index) => run({ atMs: t0 + index * 3 * hourMs + 100_000, responseTimeMs: index + 1 })),
      );
      while ((await all.storage.results.prune(t0 + 3 * dayMs + 1_800_000, 1_000)).more);
      const kept = await beside.reads.selectFrom("results").select("started_at_us").orderBy("started_at_us").execute();
      const oldest = engine === "sqlite" ? t0 + 3 * dayMs + 100_000 : t0 + 2.5 * dayMs + 100_000;
      expect(kept[0]?.started_at_us).toBe(oldest * 1_000);
      const boundary = Math.floor((t0 + 3 * dayMs) / hourMs);
      expect(await all.differences(wholeDays, boundary)).toEqual([]);
      // A window that begins within an hour whose results are gone begins with the next one.
      for (const fromMs of [t0 + 50_000, t0 + 150_000]) {
        const [row] = await all.storage.analytics.analyze({ ...wholeDays, checkId: all.of.check.id, edgesMs: [fromMs, t0 + 5 * hourMs] });
        expect(row?.runs).toBe(1);
      }
      await compactAll(all);
      expect(await all.differences(wholeDays, boundary)).toEqual([]);
    });
  });

  it("go when they are older than they are kept, and with their check", async () => {
    await withEngine(engine, async (all, beside) => {
      await all.upload(Array.from({ length: 40 }, (_, index) => run({ atMs: t0 + index * 3 * hourMs })));
      await compactAll(all);
      const { analytics, checks, results } = all.storage;
      let turns = 1;
      for (; await analytics.pruneRollups(t0 + 2 * dayMs, 5); turns += 1);
      expect(turns).toBe(4);
      expect([await countOf(beside, "rollup_hours"), await countOf(beside, "rollup_days")]).toEqual([24, 4]);
      await all.upload([run({ atMs: t0 + 4 * dayMs })]);
      await checks.remove(all.of.account.id, all.of.check.uuid, later);
      await compactAll(all);
      for (let more = true; more; ) ({ more } = await results.prune(t0 - dayMs, 7));
      for (const table of ["rollup_hours", "rollup_days", "rollup_day_totals", "dirty_hours", "dirty_days", "results"] as const) {
        expect([table, await countOf(beside, table)]).toEqual([table, 0]);
      }
      expect(await all.storage.analytics.analyze({ ...wholeDays, checkId: all.of.check.id })).toEqual([]);
    });
  });

  it("keep results longer than their details, where details shall go earlier", async () => {
    await withEngine(engine, async (all, beside) => {
      const { storage, of } = all;
      for (const day of [0, 2, 4]) {
        await start(storage, of.check, [of.berlin.id], t0 + day * dayMs);
        const by = await agent(storage, of.berlin, t0 + day * dayMs);
        await storage.results.ingest(by, [report(await leaseOne(storage, by, t0 + day * dayMs))], t0 + day * dayMs + 1_000);
      }
      while ((await storage.results.prune(t0 - dayMs, 1_000, t0 + 3 * dayMs)).more);
      expect([await countOf(beside, "results"), await countOf(beside, "result_details")]).toEqual([3, 1]);
      const { items } = await storage.results.list({ checkId: of.check.id, limit: 9, resultTypes: ["FINAL"], withDetails: true });
      expect(items.map(({ detailJson }) => detailJson !== null)).toEqual([true, false, false]);
    });
  });

  it("keep every session, result and detail of the last day that is kept, and none of the day before", async () => {
    await withEngine(engine, async (all, beside) => {
      const { storage, of } = all;
      const firstMs = Math.ceil(t0 / dayMs + 3) * dayMs;
      for (const atMs of [firstMs - 1_000, firstMs]) {
        await start(storage, of.check, [of.berlin.id], atMs);
        const job = await leaseOne(storage, await agent(storage, of.berlin, atMs), atMs);
        await storage.results.ingest(of.agent, [report(job, { startedAt: atMs, stoppedAt: atMs })], atMs + 1_000);
      }
      const stored = () => Promise.all((["sessions", "results", "result_details"] as const).map((table) => countOf(beside, table)));
      while ((await storage.results.prune(t0 - dayMs, 1_000, firstMs)).more);
      expect(await stored()).toEqual([3, 2, 1]); // one session is the scene's
      while ((await storage.results.prune(firstMs, 1_000)).more);
      expect(await stored()).toEqual([1, 1, 1]);
    });
  });

  it("bring a removed location and its successor together, and order groups with none first", async () => {
    await withEngine(engine, async (all, beside) => {
      const { storage, of } = all;
      const twin = await location(storage, of.account.id, "twin");
      await beside.db.updateTable("locations").set({ code: "berlin", removed_at: t0 }).where("id", "=", twin.id).execute();
      await all.upload([run({ statusCode: 503 }), run({ place: 1, atMs: t0 + 1, statusCode: null }), run({ atMs: t0 + 2 })]);
      await beside.db.updateTable("results").set({ location_id: twin.id }).where("status", "=", 503).execute();
      const groups = async (groupBy: "location" | "statusCode") =>
        (await storage.analytics.analyze({ ...wholeDays, checkId: of.check.id, groupBy })).map(({ group, runs }) => [group, runs]);
      for (const turn of ["from results", "from rollups"]) {
        expect([turn, await groups("location")]).toEqual([
          turn,
          [
            ["berlin", 2],
            ["paris", 1],
          ],
        ]);
        expect(await groups("statusCode")).toEqual([
          [null, 1],
          [200, 1],
          [503, 1],
        ]);
        await compactAll(all);
      }
    });
  });

  it("are computed of what an earlier version stored", async ({ skip }) => {
    if (engine === "citus") return skip("a history is distributed at the newest version");
    const place = await engines.emptyPlace(engine);
    const beside = await engineAt(place);
    const [hour, nowMs] = [hourOf(t0 * 1_000), t0];
    const earlier = migrations.filter(({ version }) => version < 6).flatMap((one) => one.statements(engine));
    for (const statement of ["create table schema_version (version integer primary key, applied_at bigint not null)", ...earlier]) {
      await beside.db.executeQuery(CompiledQuery.raw(statement));
    }
    await beside.db.insertInto("schema_version").values({ version: 5, applied_at: nowMs }).execute();
    await beside.db.executeQuery(CompiledQuery.raw(`insert into rollup_dirty (check_id, hour) values (1, ${hour}), (3, ${hour - 1})`));
    const { storage } = await uploadsAt(place);
    const dirty = await beside.reads.selectFrom("dirty_hours").select("id").orderBy("id").execute();
    expect(dirty.map(({ id }) => id)).toEqual([periodId(1, hour), periodId(3, hour - 1)]);
    await storage.close();
    await beside.close();
  });

  it("summarize checks as analysis does, and leave out those without results", async () => {
    await using all = await uploadsAt(await engines.place(engine));
    const { storage, of } = all;
    await all.upload(Array.from({ length: 60 }, (_, index) => run({ atMs: t0 + index * hourMs, responseTimeMs: 1 + index * index })));
    for (const turn of ["from results", "from rollups"]) {
      for (const [fromMs, toMs] of [
        [t0, t0 + 1],
        [t0 + 1, t0 + 30 * hourMs + 5],
        [t0 - dayMs, t0 + 9 * dayMs],
        [t0 + 5, t0 + 5],
      ] as const) {
        const metrics = ["responseTime", "m6"] as const;
        const summary = await storage.analytics.summarize({ checkIds: [of.check.id, of.check.id, 999_999], fromMs, toMs, metrics });
        const [row] = await storage.analytics.analyze({ ...wholeDays, checkId: of.check.id, edgesMs: [fromMs, toMs], metrics });
        const tell = (figures: typeof row) =>
          figures && [figures.runs, figures.passed, figures.metrics.get("responseTime")?.quantile(0.95), figures.metrics.get("m6")?.sum];
        expect([turn, [...summary.keys()]]).toEqual([turn, row ? [of.check.id] : []]);
        expect(tell(summary.get(of.check.id) as typeof row)).toEqual(tell(row));
      }
      await compactAll(all);
    }
  });
});

function resultLike({ of }: Uploads, startedAtUs: number) {
  return {
    checkId: of.check.id,
    startedAtUs,
    type: "FINAL" as const,
    locationId: of.berlin.id,
    status: 200,
    flags: 0,
    responseTimeUs: 5_000,
    durationUs: 5_000,
    metrics: [],
    runAtMs: t0,
    createdAtMs: t0,
    queuedMs: 0,
    loopDelayUs: 0,
    digest: 7,
    errorGroup: null,
  };
}

/** Until PostgreSQL lets a connection of this database wait for a lock that another one holds. */
async function untilSomebodyWaits(beside: Engine): Promise<void> {
  for (let waiting = 0; waiting === 0; ) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(beside.reads);
    waiting = rows[0]?.n ?? 0;
  }
}
