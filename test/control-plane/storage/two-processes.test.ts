import { describe, expect, it } from "vitest";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { AlertScene } from "./alert-scene.ts";
import { agent, allTypes, check, lease, reaping, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const dayMs = 86_400_000;

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
