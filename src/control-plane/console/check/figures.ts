import { type AnalyticsSeries, checkAnalytics } from "#contract/analytics.ts";
import { analyticsPathOf } from "#contract/analytics-metrics.ts";
import { bucketEdges, bucketsOf, type TimeWindow } from "#domain/time-range.ts";
import { accountTimeZone } from "../../kinds/account-time-zone.ts";
import type { Ask } from "../ask.ts";
import type { CheckRead, Measures } from "../check-types/check-type.ts";
import { checkTypesInConsole } from "../check-types/index.ts";
import { phaseName } from "../result/phases.ts";
import type { Visit } from "../visit.ts";
import { bucketMinutes, tellsPhases } from "./bucket-width.ts";

/** One value for each bucket; null where nothing was measured. */
export type Values = readonly (number | null)[];

/** What a check measured; percent and milliseconds, null without runs. */
interface Measured {
  readonly availability: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** A location: as results have it, and as people call it. */
interface Place {
  readonly code: string;
  readonly name: string;
}

/** What a location measured over time. */
export interface PlaceLines extends Place {
  readonly availability: Values;
  readonly p50: Values;
  readonly p95: Values;
  readonly p99: Values;
  /** Of each figure that only this type of check has. */
  readonly others: readonly Values[];
}

/** What a check measured over a range. */
export interface Figures {
  readonly measures: Measures;
  /** Phases would take too long to bring together. */
  readonly hasMorePhases: boolean;
  readonly whole: Measured;
  /** Of each location over the whole range. */
  readonly places: readonly (Measured & Place)[];
  /** Where buckets begin, and where the last one ends. */
  readonly edgesMs: readonly number[];
  /** Over time, of the locations that are shown. */
  readonly lines: readonly PlaceLines[];
  /** Milliseconds, on average of these locations. */
  readonly phases: readonly { readonly name: string; readonly values: Values }[];
}

/** Lines of more cannot be told apart. */
export const placesAtMost = 6;
/** As many as an answer has. */
const bucketsOfPage = 100;

export interface FiguresAsked {
  readonly check: CheckRead;
  readonly range: TimeWindow;
  /** Locations to show; empty: the first of all. */
  readonly chosen: readonly string[];
}

/** Null for types that have no such figures. */
export async function figuresOf(ask: Ask, visit: Visit, { check, range, chosen }: FiguresAsked): Promise<Figures | null> {
  const path = analyticsPathOf(check.checkType);
  if (path === undefined || path === "heartbeat-checks") return null;
  const { measures: all } = checkTypesInConsole[check.checkType];
  if (all === null) return null;
  const placeCount = placesOf(check).length;
  const width = bucketMinutes(range, { frequency: frequencyOf(check), places: placeCount });
  const measures = { ...all, phases: tellsPhases(range, placeCount, width) ? all.phases : [] };
  const window = { from: String(range.fromMs), to: String(range.toMs), limit: String(bucketsOfPage) };
  const question = (query: object) => ask(visit, checkAnalytics[path], { params: { id: check.id }, query: { ...window, ...query } });
  const metrics = ["availability", ...["p50", "p95", "p99"].map((suffix) => `${measures.time}_${suffix}`)];
  const ofLines = [...metrics, ...measures.others.map(({ metric }) => metric)];
  const ofPhases = measures.phases.flatMap((metric) => [`${metric}_sum`, `${metric}_avg`]);
  const edgesMs = edgesOf(range, width, accountTimeZone(visit.account));
  const pages = Array.from({ length: Math.ceil((edgesMs.length - 1) / bucketsOfPage) }, (_, index) => String(index + 1));
  const overTime = (names: readonly string[], grouping: object) =>
    Promise.all(pages.map((page) => question({ metrics: names.join(","), ...grouping, aggregationInterval: String(width), page })));
  const byPlace = { groupBy: "runLocation" };
  const isOfAll = ofPhases.length > 0 && areOfAll(chosen, placeCount, width);
  const [whole, places, buckets, phasesOfAll] = await Promise.all([
    question({ metrics: metrics.join(",") }),
    question({ metrics: metrics.join(","), ...byPlace }),
    overTime(isOfAll ? ofLines : [...ofLines, ...ofPhases], byPlace),
    isOfAll ? overTime(ofPhases, {}) : [],
  ]);
  const measured = measuredBy(measures);
  const codes = places.series.map(codeOf);
  const shown = (chosen.length === 0 ? codes : codes.filter((code) => chosen.includes(code))).slice(0, placesAtMost);
  const count = edgesMs.length - 1;
  const placeOf = (code: string): Place => ({ code, name: visit.placeName(code) });
  const rows = shown.map((code) => ({ ...placeOf(code), rows: rowsOverTime(buckets, code, count) }));
  const phaseRows = isOfAll ? [rowsOverTime(phasesOfAll, "", count)] : rows.map((place) => place.rows);
  return {
    measures,
    hasMorePhases: all.phases.length > measures.phases.length,
    whole: measured(rowsOf(whole.series[0])[0]),
    places: places.series.map((series) => ({ ...placeOf(codeOf(series)), ...measured(rowsOf(series)[0]) })),
    edgesMs,
    lines: rows.map((place) => linesOf(place, measures)),
    phases: phasesOverTime(phaseRows, measures, count),
  };
}

/**
 * Whether phases are asked for apart: where all locations are shown, their hours are brought together as they are read, which is a quarter of
 * the work. What is narrower comes from results, and they are read only once.
 */
function areOfAll(chosen: readonly string[], placeCount: number, width: number): boolean {
  return chosen.length === 0 && placeCount <= placesAtMost && width >= 60;
}

/** Where a check is to run: data center locations, then private ones. */
export function placesOf(check: CheckRead): readonly string[] {
  const { locations, privateLocations } = check as {
    readonly locations?: readonly string[] | null;
    readonly privateLocations?: readonly string[] | null;
  };
  return [...(locations ?? []), ...(privateLocations ?? [])];
}

/** Minutes; 0: it is never due, or more often. */
export function frequencyOf(check: CheckRead): number {
  return "frequency" in check && typeof check.frequency === "number" ? check.frequency : 0;
}

function edgesOf(window: TimeWindow, width: number, timeZone: string): readonly number[] {
  const buckets = bucketsOf(window, width, timeZone);
  return bucketEdges(buckets, window, 0, buckets.count);
}

type Row = Readonly<Record<string, unknown>>;

function measuredBy({ time }: Measures): (row: Row | undefined) => Measured {
  return (row) => ({
    availability: numberOf(row?.["availability"]),
    p50: numberOf(row?.[`${time}_p50`]),
    p95: numberOf(row?.[`${time}_p95`]),
    p99: numberOf(row?.[`${time}_p99`]),
  });
}

/** A page in which a location has no results does not name it. */
function rowsOverTime(pages: readonly { readonly series: readonly AnalyticsSeries[] }[], code: string, count: number): readonly Row[] {
  return pages.flatMap(({ series }, index) => {
    const rows = rowsOf(series.find((one) => codeOf(one) === code));
    const length = Math.min(bucketsOfPage, count - index * bucketsOfPage);
    return Array.from({ length }, (_, bucket) => rows[bucket] ?? {});
  });
}

interface PlaceRows extends Place {
  readonly rows: readonly Row[];
}

function linesOf({ code, name, rows }: PlaceRows, measures: Measures): PlaceLines {
  const measured = rows.map(measuredBy(measures));
  return {
    code,
    name,
    availability: measured.map(({ availability }) => availability),
    p50: measured.map(({ p50 }) => p50),
    p95: measured.map(({ p95 }) => p95),
    p99: measured.map(({ p99 }) => p99),
    others: measures.others.map(({ metric }) => rows.map((row) => numberOf(row[metric]))),
  };
}

/** Averages over the runs of all these locations, or of rows that already are of all: what all of them took, by how many there were. */
function phasesOverTime(places: readonly (readonly Row[])[], { phases }: Measures, count: number): Figures["phases"] {
  const buckets = Array.from({ length: count }, (_, bucket) => places.map((rows): Row => rows[bucket] ?? {}));
  const runs = buckets.map((rows) => rows.reduce((sum, row) => sum + runsOf(row, phases), 0));
  return phases.map((metric) => ({
    name: phaseName(metric),
    values: buckets.map((rows, bucket) => {
      const ms = rows.reduce((sum, row) => sum + (numberOf(row[`${metric}_sum`]) ?? 0), 0);
      const of = runs[bucket] ?? 0;
      return of === 0 ? null : ms / of;
    }),
  }));
}

/** All phases of a run are told together, so any of them that took time tells how many runs there were. */
function runsOf(row: Row, phases: Measures["phases"]): number {
  const counts = phases.map((metric) => {
    const average = numberOf(row[`${metric}_avg`]) ?? 0;
    return average === 0 ? 0 : Math.round((numberOf(row[`${metric}_sum`]) ?? 0) / average);
  });
  return Math.max(0, ...counts);
}

function rowsOf(series: AnalyticsSeries | undefined): readonly Row[] {
  const { data = [] } = series ?? {};
  return Array.isArray(data) ? data : [data];
}

function codeOf(series: AnalyticsSeries): string {
  const { runLocation } = series;
  return typeof runLocation === "string" ? runLocation : "";
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
