import { type Selectable, sql } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { BulkColumns } from "../../engine.ts";
import { attemptOfResult, jobOfResult, sessionOfJob } from "../../numbers.ts";
import type { ResultTable } from "../../schema.ts";
import type { MissedReason, ResultAssetRow, ResultRow, ResultType } from "../../storage.ts";

/** Positions are stored: only ever append. */
export const resultTypes = ["FINAL", "ATTEMPT", "MISSED"] as const satisfies readonly ResultType[];
const missedReasons = ["no_agent", "no_capacity", "expired", "agent_lost", "overlap"] as const satisfies readonly MissedReason[];
const firstReasonBit = 8;

/** Written out and not bound: else the engines do not use the indexes of missed runs, which hold these alone. */
export const isMissed = sql<boolean>`type = ${sql.lit(resultTypes.indexOf("MISSED"))}`;
export const isFinal = sql<boolean>`type = ${sql.lit(resultTypes.indexOf("FINAL"))}`;

/** Bits of `flags`. */
export const flag = { failures: 1, errors: 2, degraded: 4, cancelled: 8, overMax: 16, agentSide: 32, assets: 64, late: 128 } as const;

/** Digest of a lost attempt, which nobody reported: a report that comes after all takes its place. */
export const lostDigest = 0;

/** A result that is to be written; `metrics` in the order of the check type's table. */
export interface NewResult {
  readonly checkId: number;
  readonly startedAtUs: number;
  readonly id: number;
  readonly type: ResultType;
  readonly locationId: number;
  readonly status: number;
  readonly flags: number;
  readonly responseTimeUs: number;
  readonly durationUs: number;
  readonly metrics: readonly (number | null)[];
  readonly runAtMs: number;
  readonly createdAtMs: number;
  readonly queuedMs: number;
  readonly loopDelayUs: number;
  readonly digest: number;
  /** Of a final result that failed, see `failure-groups.ts`. */
  readonly errorGroup: number | null;
}

/** With the place of its detail, see `details/detail-packs.ts`. */
export interface PlacedResult extends NewResult {
  readonly detailPack: number | null;
}

export const resultColumns = {
  check_id: "int8",
  started_at_us: "int8",
  id: "int8",
  type: "int8",
  location_id: "int8",
  status: "int8",
  flags: "int8",
  rt_us: "int8",
  dur_us: "int8",
  m1: "int8",
  m2: "int8",
  m3: "int8",
  m4: "int8",
  m5: "int8",
  m6: "int8",
  run_at: "int8",
  created_at: "int8",
  queued_ms: "int8",
  loop_us: "int8",
  digest: "int8",
  error_group: "int8",
  detail_pack: "int8",
} as const satisfies BulkColumns;

/** Values in the order of `resultColumns`. */
export function valuesOf(result: PlacedResult): readonly (number | null)[] {
  const { metrics: m } = result;
  return [
    result.checkId,
    result.startedAtUs,
    result.id,
    resultTypes.indexOf(result.type),
    result.locationId,
    result.status,
    result.flags,
    result.responseTimeUs,
    result.durationUs,
    m[0] ?? null,
    m[1] ?? null,
    m[2] ?? null,
    m[3] ?? null,
    m[4] ?? null,
    m[5] ?? null,
    result.runAtMs,
    result.createdAtMs,
    result.queuedMs,
    result.loopDelayUs,
    result.digest,
    result.errorGroup,
    result.detailPack,
  ];
}

export function missedFlags(reason: MissedReason): number {
  return (missedReasons.indexOf(reason) + 1) << firstReasonBit;
}

export function missedReasonOf(flags: number): MissedReason | null {
  return missedReasons[(flags >> firstReasonBit) - 1] ?? null;
}

/** Durations as stored: whole microseconds that fit 32 bits (35 minutes). */
export function microseconds(ms: number): number {
  return Math.max(thousandths(ms), 0);
}

/** A time of a report, no longer than results hold one; its fraction stays. */
export function storedMs(ms: number): number {
  return Math.min(ms, 0x7fff_ffff / 1_000);
}

/** Metrics as stored, in 32 bits: days until expiry are negative once a certificate expired. */
export function thousandths(value: number): number {
  return Math.min(Math.max(Math.round(value * 1_000), -0x8000_0000), 0x7fff_ffff);
}

/** What a result's details hold, packed. */
export interface StoredDetail {
  readonly errorMessage: string | null;
  readonly detail: unknown;
}

/** How most of them are written: those of results that did not fail. */
const withoutError = Buffer.from('{"errorMessage":null,"detail":');

/** What was packed, its detail still JSON: lists hand it on as it is. */
export interface DetailParts {
  readonly errorMessage: string | null;
  readonly detailJson: Buffer | null;
}

/** @param json of a `StoredDetail`; undefined when there is none */
export function detailParts(json: Buffer | undefined): DetailParts {
  if (json === undefined) return { errorMessage: null, detailJson: null };
  const { length } = withoutError;
  if (json.subarray(0, length).equals(withoutError)) return { errorMessage: null, detailJson: json.subarray(length, -1) };
  const { errorMessage, detail } = JSON.parse(json.toString()) as StoredDetail;
  return { errorMessage, detailJson: detail === null ? null : Buffer.from(JSON.stringify(detail)) };
}

/** What stands beside a row of `results`. */
interface RowParts {
  readonly type: CheckTypeName;
  readonly locationCode: string;
  readonly stored: DetailParts;
  readonly assets: readonly ResultAssetRow[];
  /** Of a suite. */
  readonly otherErrorGroups: readonly number[];
}

export function resultRow(row: Selectable<ResultTable>, { type, locationCode, stored, assets, otherErrorGroups }: RowParts): ResultRow {
  const job = jobOfResult(row.id);
  const has = (bit: number): boolean => (row.flags & bit) !== 0;
  return {
    checkId: row.check_id,
    type,
    resultType: resultTypes[row.type] ?? "FINAL",
    jobNo: job,
    attempt: attemptOfResult(row.id),
    sessionNo: sessionOfJob(job),
    runAtMs: row.run_at,
    locationCode,
    startedAtMs: row.started_at_us / 1_000,
    stoppedAtMs: (row.started_at_us + row.dur_us) / 1_000,
    createdAtMs: row.created_at,
    responseTimeMs: row.rt_us / 1_000,
    statusCode: row.status === 0 ? null : row.status,
    hasFailures: has(flag.failures),
    hasErrors: has(flag.errors),
    isDegraded: has(flag.degraded),
    isCancelled: has(flag.cancelled),
    overMaxResponseTime: has(flag.overMax),
    agentSide: has(flag.agentSide),
    isLate: has(flag.late),
    missedReason: missedReasonOf(row.flags),
    queuedMs: row.queued_ms,
    loopDelayMs: row.loop_us / 1_000,
    errorGroupIds: row.error_group === null ? [] : [row.error_group, ...otherErrorGroups],
    errorMessage: stored.errorMessage,
    detailJson: stored.detailJson,
    assets,
  };
}
