import { mergeRollups, PeriodFigures, type RollupBytes } from "../../src/control-plane/storage/stores/analytics/rollup-rows.ts";
import { resultsOfMinute, type SeededRow } from "./seeded-results.ts";

/** Where a check of a history runs, and how often. */
export interface Place {
  readonly checkNo: number;
  readonly checkId: number;
  readonly slot: number;
  readonly locationId: number;
  readonly everyMinutes: number;
}

/** Checks at four locations each minute. */
export const busyChecks = 10;
const templates = 4_096;
const variants = 64;
/** Far from the sessions that the store numbers itself, and in 2026, so that numbers stay small. */
const [firstSession, firstMinute, checksOfSite] = [100_000_000, 29_450_000, 65_536];

/** The first checks run each minute at four locations, all others at one, so often that there are about so many results. */
export function placesOf(checkIds: readonly number[], locationIds: readonly number[], results: number, days: number): readonly Place[] {
  const minutes = days * 1_440;
  const ofOthers = (results - busyChecks * 4 * minutes) / Math.max(1, checkIds.length - busyChecks);
  const every = Math.max(1, Math.round(minutes / ofOthers));
  return checkIds.flatMap((checkId, checkNo) =>
    (checkNo < busyChecks ? [0, 1, 2, 3] : [checkNo % 4]).map((at, slot) => ({
      checkNo,
      checkId,
      slot,
      locationId: locationIds[at] ?? 0,
      everyMinutes: checkNo < busyChecks ? 1 : every,
    })),
  );
}

const minute = "(m.minute + $hour * 60)";
const id = `((${firstSession} + (${minute} - ${firstMinute}) * ${checksOfSite} + p.check_no) * 16384 + p.slot * 64 + 1)`;

/** Columns of `results` with what each is; `$hour` stands for the hour since the epoch. */
export const resultColumns: readonly (readonly [name: string, expression: string])[] = [
  ["check_id", "p.check_id"],
  ["started_at_us", `(${minute} * 60000 + (p.check_no * 97) % 50000 + (m.minute * 7 + p.slot * 11) % 900) * 1000`],
  ["id", id],
  ["type", "0"],
  ["location_id", "p.location_id"],
  ...["status", "flags", "rt_us", "m1", "m2", "m3", "m4", "m5", "m6"].map((name) => [name, `t.${name}`] as const),
  ["dur_us", "t.rt_us + 1000"],
  ["run_at", `${minute} * 60000`],
  ["created_at", `${minute} * 60000 + 51000`],
  ["queued_ms", "12"],
  ["loop_us", "400"],
  // As wide as a digest is.
  ["digest", `(${id} * 31) % 281474976710656`],
];

/** Up to eight of a minute lie together, under the number of the first. */
export const detailColumn = `min(${id}) over (partition by m.minute, p.no / 8)`;

/** Statements that make and fill what the history is made from, for this connection alone. */
export function historyTables(places: readonly Place[], isPostgres: boolean): readonly string[] {
  const [int, bytes] = isPostgres ? ["bigint", "bytea"] : ["integer", "blob"];
  const rows = samples();
  const checks = new Map(places.map((place) => [place.checkNo, place]));
  const metrics = ["rt", "m1", "m2", "m3", "m4", "m5", "m6"];
  return [
    `create temp table bench_minutes (minute ${int} primary key)`,
    ...valuesInto(
      "bench_minutes",
      Array.from({ length: 60 }, (_, no) => [no]),
    ),
    `create temp table bench_places (no ${int} primary key, check_no ${int}, check_id ${int}, slot ${int}, location_id ${int}, every ${int})`,
    ...valuesInto(
      "bench_places",
      places.map((place, no) => [no, place.checkNo, place.checkId, place.slot, place.locationId, place.everyMinutes]),
    ),
    `create temp table bench_checks (no ${int} primary key, id ${int}, kind ${int})`,
    ...valuesInto(
      "bench_checks",
      [...checks].map(([no, place]) => [no, place.checkId, kindOf(no)]),
    ),
    `create temp table bench_templates (no ${int} primary key, status ${int}, flags ${int}, rt_us ${int}, m1 ${int}, m2 ${int}, m3 ${int}, m4 ${int}, m5 ${int}, m6 ${int})`,
    ...valuesInto(
      "bench_templates",
      rows.map((row, no) => [no, row.status, row.flags, ...row.timesUs]),
    ),
    `create temp table bench_rollups (of_table text, kind ${int}, variant ${int}, cells ${bytes}, ${metrics.map((name) => `${name} ${bytes}`).join(", ")})`,
    ...valuesInto("bench_rollups", rollups(places, rows, isPostgres)),
    "create index bench_rollup on bench_rollups (of_table, kind, variant)",
    ...(isPostgres ? ["analyze bench_places", "analyze bench_templates", "analyze bench_checks", "analyze bench_rollups"] : []),
  ];
}

/** 0 for a busy check; for others by their location. */
function kindOf(checkNo: number): number {
  return checkNo < busyChecks ? 0 : 1 + (checkNo % 4);
}

/** Results that ended, as a site has them. */
function samples(): readonly SeededRow[] {
  const rows: SeededRow[] = [];
  for (let at = firstMinute; rows.length < templates; at += 1)
    rows.push(...[...resultsOfMinute(at, 1_000)].filter(({ type }) => type === 0));
  return rows.slice(0, templates);
}

function* valuesInto(table: string, rows: Iterable<readonly (number | string)[]>): Generator<string> {
  const all = [...rows].map((row) => `(${row.join(", ")})`);
  for (let first = 0; first < all.length; first += 500) yield `insert into ${table} values ${all.slice(first, first + 500).join(", ")}`;
}

/** Hours of each kind of check, and days made of them, as the product writes them. */
function* rollups(places: readonly Place[], rows: readonly SeededRow[], isPostgres: boolean): Generator<readonly (number | string)[]> {
  const literal = (value: Uint8Array): string =>
    isPostgres ? `'\\x${Buffer.from(value).toString("hex")}'` : `x'${Buffer.from(value).toString("hex")}'`;
  const row = (table: string, kind: number, variant: number, { cells, metrics }: RollupBytes): readonly (number | string)[] => [
    `'${table}'`,
    kind,
    variant,
    literal(cells),
    ...metrics.map(literal),
  ];
  for (let kind = 0; kind <= 4; kind += 1) {
    const ofKind = places.filter((place) => kindOf(place.checkNo) === kind);
    const example = ofKind.filter((place) => place.checkNo === ofKind[0]?.checkNo);
    if (example.length === 0) continue;
    const hours = Array.from({ length: variants }, (_, variant) => hourOf(example, rows, kind * 1_009 + variant * 61));
    for (const [variant, bytes] of hours.entries()) yield row("rollup_hours", kind, variant, bytes);
    for (let variant = 0; variant < variants; variant += 1) {
      const ofDay = Array.from({ length: 24 }, (_, no) => hours[(variant + no * 5) % variants]).filter((bytes) => bytes !== undefined);
      yield row("rollup_days", kind, variant, dayOf(ofDay, false));
      yield row("rollup_day_totals", kind, variant, dayOf(ofDay, true));
    }
  }
}

function hourOf(places: readonly Place[], rows: readonly SeededRow[], first: number): RollupBytes {
  const figures = new PeriodFigures();
  let at = first;
  for (const place of places) {
    for (let run = 0; run < Math.max(1, Math.floor(60 / place.everyMinutes)); run += 1) {
      const row = rows[(at += 1) % rows.length];
      if (row === undefined) continue;
      const tally = figures.tallyOf({ locationId: place.locationId, status: row.status, failed: row.flags > 0, degraded: false });
      tally.runs += 1;
      if (row.flags === 0) tally.passed += 1;
      for (const [metric, value] of row.timesUs.entries()) tally.metrics[metric]?.add(value);
    }
  }
  return figures.encode();
}

function dayOf(hours: readonly RollupBytes[], isTotal: boolean): RollupBytes {
  const figures = new PeriodFigures();
  for (const hour of hours) mergeRollups(hour, (cell) => figures.tallyOf(isTotal ? { ...cell, locationId: 0, status: 0 } : cell));
  return figures.encode();
}
