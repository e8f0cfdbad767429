import { describe, expect, it } from "vitest";
import type { TimelineQuery } from "../../../src/control-plane/storage/storage.ts";
import { check, t0, useEngines } from "./fixture.ts";
import { dayMs, hourMs, run, type Uploads, uploadsAt } from "./uploads.ts";

const engines = await useEngines();
const edgesMs = [...Array.from({ length: 50 }, (_, index) => t0 + index * hourMs), t0 + 49 * hourMs + hourMs / 2];
const query: Omit<TimelineQuery, "checkIds"> = { edgesMs, metrics: ["responseTime", "m1"] };

/** What the store tells of one check, asked bucket by bucket. */
async function asked({ storage, of }: Uploads, edges: readonly number[]) {
  const rows = await storage.analytics.analyze({ ...query, edgesMs: edges, checkId: of.check.id, groupBy: null, outcome: null });
  return edges.slice(1).map((_, bucket) => figuresOf(rows.find((row) => row.bucket === bucket)));
}

function figuresOf(
  figures: Awaited<ReturnType<Uploads["storage"]["analytics"]["analyze"]>>[number] | Timeline["total"] | null | undefined,
) {
  if (!figures) return null;
  const { runs, passed, degraded, retries, metrics } = figures;
  return { runs, passed, degraded, retries, metrics: [...metrics].map(([name, { count, sum, max }]) => [name, count, sum, max]) };
}
type Timeline = NonNullable<ReturnType<Awaited<ReturnType<Uploads["storage"]["analytics"]["timelines"]>>["get"]>>;

describe.each(engines.names)("timelines on %s", (engine) => {
  it("tell of many checks at once what each tells alone, from results and from rollups", async () => {
    await using all = await uploadsAt(await engines.place(engine));
    const { storage, of } = all;
    const silent = await check(storage, of.check.accountId, []);
    await all.upload(
      Array.from({ length: 110 }, (_, index) =>
        run({
          place: index % 2,
          atMs: t0 + index * 25 * 60_000 + index + (index < 60 ? 0 : 2 * hourMs),
          responseTimeMs: 100 + index,
          outcome: (["failed", "passed", "degraded"] as const)[index % 7] ?? (index % 11 === 0 ? "cancelled" : "passed"),
          attempts: index % 5 === 0 ? 2 : 1,
        }),
      ),
    );
    const told = async () => {
      const timelines = await storage.analytics.timelines({ ...query, checkIds: [of.check.id, silent.id, of.check.id] });
      expect([...timelines.keys()]).toEqual([of.check.id]);
      const timeline = timelines.get(of.check.id);
      return { total: figuresOf(timeline?.total), buckets: timeline?.buckets.map(figuresOf) };
    };
    const expected = { total: (await asked(all, [t0, edgesMs.at(-1) ?? 0]))[0], buckets: await asked(all, edgesMs) };
    expect(expected.buckets).toContain(null);
    expect(expected.total?.degraded).toBe(16);
    expect(await told()).toEqual(expected);
    await storage.analytics.compact(t0 + 30 * hourMs, 12);
    expect(await told()).toEqual(expected);
    while (await storage.analytics.compact(t0 + 9 * dayMs, 40));
    expect(await told()).toEqual(expected);
  });

  it("are empty where nothing is asked for", async () => {
    await using all = await uploadsAt(await engines.place(engine));
    const { analytics } = all.storage;
    expect((await analytics.timelines({ ...query, checkIds: [] })).size).toBe(0);
    expect((await analytics.timelines({ ...query, edgesMs: [t0], checkIds: [all.of.check.id] })).size).toBe(0);
  });
});
