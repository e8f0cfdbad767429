import pg from "pg";
import { describe, expect, it } from "vitest";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { AlertScene } from "./alert-scene.ts";
import { agent, allTypes, check, definition, lease, minutely, reaping, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const dayMs = 86_400_000;
/** What a check has rows in for as long as it is there. */
const leftBehind = [
  "checks",
  "jobs",
  "check_statuses",
  "error_groups",
  "alert_states",
  "check_alerts",
  "alert_outbox",
  "alert_deliveries",
  "alert_notifications",
];

describe.skipIf(!engines.names.includes("postgres"))("two control planes on one PostgreSQL", () => {
  async function pair(): Promise<readonly [Storage, Storage]> {
    const place = await engines.place("postgres");
    return [await engines.open("postgres", place), await engines.open("postgres", place)];
  }

  it("store a report that reaches both once, also when it replaces MISSED", async () => {
    const [one, two] = await pair();
    const { check: of, berlin, agent: by, session, account: owner } = await scene(one);
    await one.schedule.startRuns(
      Array.from({ length: 19 }, () => ({
        accountId: owner.id,
        checkId: of.id,
        runAtMs: t0,
        source: "TRIGGER_API",
        locationIds: [berlin.id],
      })),
    );
    const jobs = await lease(one, by, t0, 100);
    await one.jobs.reap(t0 + 15_000, reaping);
    await one.jobs.reap(t0 + 400_000, reaping);
    const answers = await Promise.all(
      jobs.flatMap((job) => [one, two].map((storage) => storage.results.ingest(by, [report(job)], t0 + 500_000))),
    );
    expect(Map.groupBy(answers.flat(), (answer) => answer.outcome).get("accepted")).toHaveLength(20);
    expect(Map.groupBy(answers.flat(), (answer) => answer.outcome).get("duplicate")).toHaveLength(20);
    const { items } = await two.results.list({ checkId: of.id, limit: 100, resultTypes: allTypes, withDetails: false });
    expect(items.map((row) => row.resultType)).toEqual(Array.from({ length: 20 }, () => "FINAL"));
    expect((await two.sessions.byNo(owner.id, session.no))?.status).toBe("PASSED");
  });

  it("know what a check is called when the other one changed it", async () => {
    const [one, two] = await pair();
    const { check: of, berlin, account: owner } = await scene(one);
    for (const name of ["First", "Second"]) {
      const change = { definition: definition({ name }), locationIds: [berlin.id], schedule: minutely, nowMs: t0 };
      await one.checks.update(owner.id, of.uuid, change);
      expect(await two.checkIndex.ofAccount(owner.id)).toMatchObject([{ name }]);
    }
  });

  it("take results of the same checks at the same time without a deadlock", async () => {
    const [one, two] = await pair();
    const { berlin, account: owner } = await scene(one);
    const checks = await Promise.all(Array.from({ length: 10 }, () => check(one, owner.id, [berlin.id])));
    await one.schedule.startRuns(
      Array.from({ length: 400 }, (_, index) => {
        const of = checks[(index * 7) % checks.length];
        return { accountId: owner.id, checkId: of?.id ?? 0, runAtMs: t0 + 1, source: "TRIGGER_API", locationIds: [berlin.id] };
      }),
    );
    const by = await agent(one, berlin);
    const jobs = await lease(one, by, t0 + 1, 500);
    const batches = Array.from({ length: 20 }, (_, index) => jobs.filter((_job, at) => at % 20 === index).toReversed());
    const answers = await Promise.all(
      batches.map((batch, index) =>
        (index % 2 ? one : two).results.ingest(
          by,
          batch.map((job) => report(job)),
          t0 + 1_000,
        ),
      ),
    );
    expect(new Set(answers.flat().map((answer) => answer.outcome))).toEqual(new Set(["accepted"]));
  });

  it("hear of alerts that the other one stored, of each batch once, and of nothing else", async () => {
    const [one, two] = await pair();
    const of = await AlertScene.open(one);
    const check = await of.check();
    let heard = 0;
    one.signals.onAlerts(() => (heard += 1));
    const told = Promise.withResolvers<void>();
    two.signals.onAlerts(told.resolve);
    await of.runs(check, "PPF");
    await told.promise;
    expect(heard).toBe(1);
  });

  it("tell of a certificate and of a silent location once, whoever stores, looks and sends", async () => {
    const both = await pair();
    const of = await AlertScene.open(both[0]);
    const checks = await Promise.all(["a", "b", "c", "d", "e", "f"].map((name) => of.check({ name })));
    const channels = [];
    for (let count = 0; count < 3; count += 1) channels.push(await of.channel(checks, { sslExpiry: true, sslExpiryThreshold: 30 }));
    const reports = [];
    for (const check of checks) reports.push(await of.seen(check, 0, 4));
    await Promise.all(reports.map((report, index) => of.ingest([report], 0, 0, both[index % 2])));
    const looks = await Promise.all([...both, ...both].map((storage) => storage.silences.look(t0 + 900_000, t0)));
    expect(looks.reduce((sum, notices) => sum + notices, 0)).toBe(channels.length);
    const atOnce = await Promise.all([...both, ...both].map((storage) => of.told({}, storage)));
    // Who finds a channel in other hands comes again.
    const told = [...atOnce.flat(), ...(await of.told())];
    for (const { id } of channels) {
      const ofChannel = told.filter(({ channelId }) => channelId === id);
      expect(ofChannel.flatMap(({ alerts }) => alerts.map(({ alertType }) => alertType))).toEqual(["ALERT_SSL"]);
      expect(ofChannel.flatMap(({ notices }) => notices.map(({ kind }) => kind))).toEqual(["AGENTS_SILENT"]);
    }
  });

  it("take results and tell alerts of checks that are deleted at this moment, and nothing is left of them", {
    timeout: 120_000,
  }, async () => {
    const place = await engines.place("postgres");
    const both = [await engines.open("postgres", place), await engines.open("postgres", place)] as const;
    const of = await AlertScene.open(both[0]);
    const checks = await Promise.all(Array.from({ length: 24 }, (_, index) => of.check({ name: `check ${index}` })));
    await of.channel(checks, { sslExpiry: true, sslExpiryThreshold: 30 });
    const reports: AttemptReport[] = [];
    for (const check of checks)
      for (const outcome of ["F", "P", "F"] as const) {
        const seen = await of.seen(check, reports.length, 4, check.uuid);
        reports.push({ ...(await of.run(check, reports.length, outcome)), detail: seen.detail });
      }
    const batches = Array.from({ length: 12 }, (_, index) => reports.filter((_report, at) => at % 12 === index).toReversed());
    const side = (index: number): Storage => both[index % 2 ? 1 : 0];
    const work = batches.flatMap((batch, index) => [
      of.ingest(batch, 100, 0, side(index)).then((answers) => answers.map(({ outcome }) => outcome)),
      ...checks.filter((_check, at) => at % 12 === index).map(({ uuid }) => side(index + 1).checks.remove(of.owner.id, uuid, t0)),
      of.told({}, side(index)),
      of.tick(200, side(index)),
    ]);
    await Promise.all(work);
    await of.told();
    const client = new pg.Client({ connectionString: place.databaseUrl });
    await client.connect();
    for (const table of leftBehind)
      expect([table, (await client.query(`select count(*)::int as rows from ${table}`)).rows[0].rows]).toEqual([table, 0]);
    await client.end();
  });

  it("make the partition of a day that nobody prepared", async () => {
    const [one] = await pair();
    const { check: of, berlin, agent: by } = await scene(one);
    await lease(one, by);
    const later = t0 + 40 * dayMs;
    await start(one, of, [berlin.id], later);
    const [job] = await lease(one, by, later);
    expect(job).toBeDefined();
    const answers = job ? await one.results.ingest(by, [report(job)], later + 1_000) : [];
    expect(answers.map((answer) => answer.outcome)).toEqual(["accepted"]);
    await one.results.prune(t0 + 39 * dayMs, 100);
    const { items } = await one.results.list({ checkId: of.id, limit: 10, resultTypes: allTypes, withDetails: true });
    expect(items.map((row) => row.detailJson !== null)).toEqual([true]);
  });
});
