import { describe, expect, it } from "vitest";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { uuidFrom } from "#domain/ids.ts";
import { resultUuid } from "../../../src/control-plane/kinds/ids.ts";
import { allTypes, check, lease, report, type Scene, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

/** Runs of the scene's check that started at these milliseconds after `t0`, each reported. */
async function ran(
  { storage, check: of, agent: by, berlin }: Scene,
  offsets: readonly number[],
  change: (index: number) => Partial<AttemptReport> = () => ({}),
): Promise<void> {
  await storage.schedule.startRuns(
    offsets.map(() => ({ accountId: of.accountId, checkId: of.id, runAtMs: t0, source: "TRIGGER_API", locationIds: [berlin.id] })),
  );
  const jobs = await lease(storage, by, t0, 1_000);
  const fresh = jobs.slice(-offsets.length);
  await storage.results.ingest(
    by,
    fresh.map((job, index) =>
      report(job, { startedAt: t0 + (offsets[index] ?? 0), stoppedAt: t0 + (offsets[index] ?? 0), ...change(index) }),
    ),
    t0 + 1e9,
  );
}

describe.each(engines.names)("lists of results on %s", (engine) => {
  it("come newest first, page by page, each result once, although new ones arrive and many share an instant", async () => {
    const one = await scene(await engines.open(engine));
    const { storage, check: of } = one;
    await ran(one, [10, 20, 20, 20, 20, 20, 30]);
    const filter = { checkId: of.id, limit: 2, resultTypes: allTypes, withDetails: false };
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: readonly { startedAtMs: number; jobNo: number }[]; nextCursor: string | null } = await storage.results.list(
        cursor === null ? filter : { ...filter, cursor },
      );
      seen.push(...page.items.map((row) => row.jobNo));
      expect(page.items.length).toBeGreaterThan(0);
      if (cursor === null) await ran(one, [40, 50]);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(7);
    expect(new Set(seen).size).toBe(7);
    expect((await storage.results.list(filter)).items.map((row) => row.startedAtMs - t0)).toEqual([50, 40]);
  });

  it("have each result's own detail, although they are stored together, also around midnight", async () => {
    const one = await scene(await engines.open(engine));
    const offsets = Array.from({ length: 30 }, (_, index) => 43_199_990 + index);
    await ran(one, offsets, (index) => ({ errorMessage: `error ${index}` }));
    const { items } = await one.storage.results.list({ checkId: one.check.id, limit: 40, resultTypes: allTypes, withDetails: true });
    expect(items.map((row) => row.errorMessage)).toEqual(offsets.map((_, index) => `error ${index}`).toReversed());
    const [some] = items.slice(12);
    if (some === undefined) throw new Error("no result");
    expect(await one.storage.results.byId(one.check.id, resultUuid(some))).toMatchObject({ errorMessage: some.errorMessage });
  });

  it("keep the details that were stored together with those of a check that is gone", async () => {
    const one = await scene(await engines.open(engine));
    const { storage, account, agent: by, check: goes, berlin } = one;
    const stays = await check(storage, account.id, [berlin.id], { name: "stays" });
    await start(storage, stays, [berlin.id], t0);
    const reports = (await lease(storage, by, t0, 10)).map((job) => report(job, { errorMessage: job.check.uuid }));
    expect(reports).toHaveLength(2);
    await storage.results.ingest(by, reports, t0 + 1_000);
    expect(await storage.checks.remove(account.id, goes.uuid, t0)).toBe(true);
    await storage.results.prune(t0 - 86_400_000, 1_000);
    const { items } = await storage.results.list({ checkId: stays.id, limit: 10, resultTypes: allTypes, withDetails: true });
    expect(items.map((row) => row.errorMessage)).toEqual([stays.uuid]);
  });

  it.each([
    { name: "from, inclusive", filter: { fromMs: t0 + 20 }, expected: [30, 20] },
    { name: "to, exclusive", filter: { toMs: t0 + 20 }, expected: [10] },
    { name: "fractions of a millisecond", filter: { fromMs: t0 + 19.999, toMs: t0 + 20.001 }, expected: [20] },
    { name: "failures", filter: { hasFailures: true }, expected: [20] },
    { name: "no failures", filter: { hasFailures: false }, expected: [30, 10] },
    { name: "its location", filter: { locationCode: "berlin" }, expected: [30, 20, 10] },
    { name: "another location", filter: { locationCode: "eu-west-1" }, expected: [] },
    { name: "type", filter: { resultTypes: ["ATTEMPT", "MISSED"] as const }, expected: [10] },
  ])("filter by $name", async ({ filter, expected }) => {
    const one = await scene(await engines.open(engine));
    await ran(one, [10, 20, 30], (index) => ({ hasFailures: index === 1, ...(index === 0 ? { resultType: "ATTEMPT" as const } : {}) }));
    const full = { checkId: one.check.id, limit: 10, resultTypes: allTypes, withDetails: true, ...filter };
    expect((await one.storage.results.list(full)).items.map((row) => row.startedAtMs - t0)).toEqual(expected);
    const page = await one.storage.results.page({ ...full, page: 1 });
    expect([page.items.map((row) => row.startedAtMs - t0), page.total]).toEqual([expected, expected.length]);
  });

  it("come in numbered pages with a total", async () => {
    const one = await scene(await engines.open(engine));
    await ran(one, [10, 20, 30]);
    const filter = { checkId: one.check.id, limit: 2, resultTypes: allTypes, withDetails: false };
    expect(await one.storage.results.page({ ...filter, page: 2 })).toMatchObject({ total: 3, items: [{ startedAtMs: t0 + 10 }] });
    expect(await one.storage.results.page({ ...filter, page: 3 })).toEqual({ total: 3, items: [] });
  });

  it("refuse a cursor that nobody gave out", async () => {
    const { storage, check: of } = await scene(await engines.open(engine));
    for (const cursor of ["", "x", "MTIz", Buffer.from("1.2.3").toString("base64url"), Buffer.from("-1.5").toString("base64url")]) {
      await expect(
        storage.results.list({ checkId: of.id, limit: 2, resultTypes: allTypes, withDetails: false, cursor }),
      ).rejects.toMatchObject({ code: "invalid_input" });
    }
  });

  it("find one result by its id, for its own check only", async () => {
    const one = await scene(await engines.open(engine));
    const { storage, check: of, account: owner } = one;
    await ran(one, [10]);
    const [row] = (await storage.results.list({ checkId: of.id, limit: 1, resultTypes: allTypes, withDetails: true })).items;
    if (!row) throw new Error("no result");
    const id = uuidFrom(3, row.runAtMs, row.jobNo * 64 + row.attempt);
    expect(await storage.results.byId(of.id, id)).toEqual(row);
    expect(await storage.results.byId((await check(storage, owner.id, [])).id, id)).toBeUndefined();
    expect(await storage.results.byId(of.id, uuidFrom(3, row.runAtMs, row.jobNo * 64 + 2))).toBeUndefined();
    expect(await storage.results.byId(of.id, "123e4567-e89b-42d3-a456-426614174000")).toBeUndefined();
  });

  it("lose what is older than retention, in steps, and what removed checks left", async () => {
    const one = await scene(await engines.open(engine));
    const { storage, check: of, account: owner } = one;
    const days = Array.from({ length: 4 }, (_, index) => index * 86_400_000 * 0.25);
    await ran(one, [...days, 2 * 86_400_000]);
    const left = async () =>
      (await storage.results.list({ checkId: of.id, limit: 100, resultTypes: allTypes, withDetails: true })).items.map(
        (row) => row.startedAtMs - t0,
      );
    let turns = 0;
    for (let more = true; more && turns < 20; turns += 1) ({ more } = await storage.results.prune(t0 + 1.5 * 86_400_000, 2));
    expect(await left()).toEqual([2 * 86_400_000]);
    expect(turns).toBeGreaterThan(1);
    await ran(one, [2 * 86_400_000 + 5]);
    expect(await left()).toHaveLength(2);
    await storage.checks.remove(owner.id, of.uuid, t0);
    await storage.results.prune(t0, 100);
    expect(await left()).toEqual([]);
  });

  it("lose what is older than retention of many checks together, and nothing newer", async () => {
    const one = await scene(await engines.open(engine));
    const { storage, account, agent: by, berlin } = one;
    const dayMs = 86_400_000;
    const all = [
      one.check,
      ...(await Promise.all(
        Array.from({ length: 6 }, (_, number) => check(storage, account.id, [berlin.id], { name: `check ${number}` })),
      )),
    ];
    for (const of of all) await ran({ ...one, check: of, agent: by }, [0, 1, 3 * dayMs]);
    const left = async (checkId: number) =>
      (await storage.results.list({ checkId, limit: 100, resultTypes: allTypes, withDetails: true })).items.map(
        (row) => row.startedAtMs - t0,
      );
    for (let more = true; more; ) ({ more } = await storage.results.prune(t0 + 2 * dayMs, 5));
    for (const of of all) expect(await left(of.id)).toEqual([3 * dayMs]);
  });
});
