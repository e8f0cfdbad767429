import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type PlaywrightTest, playwrightTestStatuses } from "#contract/checks/playwright-run.ts";
import type { TestOutcome } from "#domain/test-outcomes.ts";
import type { BulkColumns, Engine } from "../../engine.ts";
import { attemptOfResult, jobOfResult } from "../../numbers.ts";
import type { Trx } from "../../schema.ts";
import type { SuiteRunStore } from "../../suite-run-store.ts";
import type { LocationCodes } from "../location-codes.ts";

/** The tests of one result that is to be written. */
export interface NewSuiteRun {
  readonly checkId: number;
  readonly startedAtUs: number;
  readonly id: number;
  readonly locationId: number;
  readonly runAtMs: number;
  readonly tests: Uint8Array;
  /** Beside the one that the result itself has. */
  readonly errorGroups: readonly number[];
}

const columns: BulkColumns = {
  check_id: "int8",
  started_at_us: "int8",
  id: "int8",
  location_id: "int8",
  run_at: "int8",
  error_groups: "text",
  body: "bytea",
};

/** Positions are stored: only ever append to `playwrightTestStatuses`. */
type PackedTest = readonly [title: string, line: number | null, status: number, durationMs: number];
type PackedFile = readonly [project: string | null, file: string, tests: readonly PackedTest[]];

/** 1,000 tests are some 10 KB. Null where there are none. */
export function packedTests(tests: readonly TestOutcome[]): Uint8Array | null {
  if (tests.length === 0) return null;
  const files = Map.groupBy(tests, ({ project, file }) => JSON.stringify([project, file]));
  const packed = [...files.values()].flatMap(([first, ...others]): PackedFile[] => {
    if (first === undefined) return [];
    const of = [first, ...others].map((test): PackedTest => {
      return [test.title, test.line, playwrightTestStatuses.indexOf(test.status), Math.round(test.durationMs)];
    });
    return [[first.project, first.file, of]];
  });
  return deflateRawSync(JSON.stringify(packed), { level: 4 });
}

function testsIn(body: Uint8Array): readonly TestOutcome[] {
  const files = JSON.parse(inflateRawSync(body).toString()) as readonly PackedFile[]; // we packed it
  return files.flatMap(([project, file, tests]) =>
    tests.map(([title, line, status, durationMs]) => ({ project, file, title, line, status: statusAt(status), durationMs })),
  );
}

/** Of a version that knows more, none that passed. */
function statusAt(place: number): PlaywrightTest["status"] {
  return playwrightTestStatuses[place] ?? "interrupted";
}

export async function writeSuiteRuns(engine: Engine, trx: Trx, written: readonly NewSuiteRun[]): Promise<void> {
  if (written.length === 0) return;
  const sorted = written.toSorted((a, b) => a.checkId - b.checkId || a.startedAtUs - b.startedAtUs || a.id - b.id);
  const rows = sorted.map(({ checkId, startedAtUs, id, locationId, runAtMs, errorGroups, tests }) => {
    return [checkId, startedAtUs, id, locationId, runAtMs, errorGroups.length === 0 ? null : JSON.stringify(errorGroups), tests];
  });
  await engine.insertMany(trx, "suite_runs", columns, rows);
}

/** Numbers of error groups by result, beside the one that the result itself has. */
export async function otherErrorGroups(
  engine: Engine,
  results: readonly { readonly check_id: number; readonly id: number }[],
  fromUs: number,
  toUs: number,
): Promise<ReadonlyMap<number, readonly number[]>> {
  if (results.length === 0) return new Map();
  const rows = await engine.reads
    .selectFrom("suite_runs")
    .select(["id", "error_groups"])
    .where(engine.isAny("check_id", [...new Set(results.map((row) => row.check_id))]))
    .where("started_at_us", ">=", fromUs)
    .where("started_at_us", "<=", toUs)
    .where(
      engine.isAny(
        "id",
        results.map((row) => row.id),
      ),
    )
    .execute();
  return new Map(rows.map((row) => [row.id, JSON.parse(row.error_groups ?? "[]") as readonly number[]]));
}

export function suiteRunStore(engine: Engine, codes: LocationCodes): SuiteRunStore {
  return {
    async latest({ checkId, locationCode, limit }) {
      const columnsOfRun = ["id", "started_at_us", "location_id", "run_at", "body"] as const;
      let found = engine.reads.selectFrom("suite_runs").select(columnsOfRun).where("check_id", "=", checkId);
      if (locationCode !== undefined) found = found.where(engine.isAny("location_id", await codes.withCode(locationCode)));
      const rows = await found.orderBy("started_at_us", "desc").orderBy("id", "desc").limit(limit).execute();
      const places = await codes.of(rows.map((row) => row.location_id));
      return rows.map((row, index) => {
        const of = { jobNo: jobOfResult(row.id), attempt: attemptOfResult(row.id), runAtMs: row.run_at };
        return { ...of, startedAtMs: Math.floor(row.started_at_us / 1_000), location: places[index] ?? "", tests: testsIn(row.body) };
      });
    },
  };
}
