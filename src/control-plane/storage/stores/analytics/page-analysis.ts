import { sql } from "kysely";
import { wholeRun } from "#domain/page-figures.ts";
import type { CountingDistribution } from "#domain/statistics/distribution.ts";
import { ExactValues } from "#domain/statistics/exact-values.ts";
import { Sketch } from "#domain/statistics/sketch.ts";
import type { AnalyticsRow, PageColumn, PageQuery } from "../../analytics-store.ts";
import type { Engine } from "../../engine.ts";
import type { LocationCodes } from "../location-codes.ts";
import { flag } from "../results/result-rows.ts";
import { hourMs, hoursOfDay } from "./periods.ts";
import { bucketAt, cellOf, count, type RawResult } from "./raw-results.ts";
import { type Group, TallyBook } from "./tally-book.ts";

/** One statement reads no more. */
const sliceMs = hoursOfDay * hourMs;

type PageRow = RawResult & { readonly page: number };

/** See `AnalyticsStore.analyzePages`. */
export async function analyzePages(engine: Engine, codes: LocationCodes, query: PageQuery): Promise<readonly AnalyticsRow[]> {
  const { edgesMs, groupBy, metrics, outcome } = query;
  const exact = new TallyBook<CountingDistribution>(metrics, () => new ExactValues());
  const sketched = new TallyBook<CountingDistribution>(metrics, () => new Sketch());
  const toMs = edgesMs.at(-1) ?? 0;
  for (let fromMs = await firstMs(engine, query); fromMs < toMs; fromMs += sliceMs) {
    const rows = await readPages(engine, query, fromMs, Math.min(toMs, fromMs + sliceMs));
    const codeOf = groupBy === "location" ? await codes.of(rows.map((row) => row.location_id)) : [];
    for (const [index, row] of rows.entries()) {
      if (outcome !== null && cellOf(row).failed !== (outcome === "failure")) continue;
      const bucket = bucketAt(edgesMs, row.started_at_us / 1_000);
      const book = (edgesMs[bucket + 1] ?? 0) - (edgesMs[bucket] ?? 0) <= hourMs ? exact : sketched;
      const group: Group = groupBy === "page" ? row.page : (codeOf[index] ?? null);
      count(book.tallyOf(bucket, group), row, metrics);
    }
  }
  return [...exact.entries(), ...sketched.entries()]
    .map(({ bucket, group, tally }) => ({ bucket, group, ...tally.figures(metrics) }))
    .toSorted((a, b) => a.bucket - b.bucket);
}

/** Where the window's first page lies: a window may begin long before anything was kept. */
async function firstMs(engine: Engine, { checkId, edgesMs }: PageQuery): Promise<number> {
  const [fromMs = 0] = edgesMs;
  const first = await engine.reads
    .selectFrom("page_figures")
    .select("started_at_us")
    .where("check_id", "=", checkId)
    .where("started_at_us", ">=", fromMs * 1_000)
    .orderBy("started_at_us")
    .limit(1)
    .executeTakeFirst();
  return first === undefined ? Number.POSITIVE_INFINITY : Math.floor(first.started_at_us / 1_000);
}

/** By the keys of both tables. Times stand for both, so that PostgreSQL leaves out the days of both. */
function readPages(engine: Engine, query: PageQuery, fromMs: number, toMs: number): Promise<PageRow[]> {
  const ofRun = ["check_id", "started_at_us", "type", "location_id", "status", "flags", "rt_us"] as const;
  return engine.reads
    .selectFrom("page_figures as p")
    .innerJoin("results as r", (join) =>
      join.onRef("r.check_id", "=", "p.check_id").onRef("r.started_at_us", "=", "p.started_at_us").onRef("r.id", "=", "p.id"),
    )
    .select([...ofRun.map((name) => `r.${name}` as const), "p.page", ...query.metrics.filter(isOwn).map((name) => `p.${name}` as const)])
    .where("p.check_id", "=", query.checkId)
    .where("p.started_at_us", ">=", fromMs * 1_000)
    .where("p.started_at_us", "<", toMs * 1_000)
    .where("r.started_at_us", ">=", fromMs * 1_000)
    .where("r.started_at_us", "<", toMs * 1_000)
    .where("p.page", query.groupBy === "page" ? ">" : "=", wholeRun)
    .where(sql<number>`r.flags & ${sql.lit(flag.cancelled | flag.agentSide)}`, "=", 0)
    .execute();
}

function isOwn(column: PageColumn): column is Exclude<PageColumn, "responseTime"> {
  return column !== "responseTime";
}
