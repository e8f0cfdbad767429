import { sql } from "kysely";
import { isPinged } from "#contract/checks/traits.ts";
import type { Engine } from "../engine.ts";
import type { Trx } from "../schema.ts";
import type { CheckStatusRow } from "../storage.ts";

/** What one FINAL says of its check. */
export interface FinalOutcome {
  readonly checkId: number;
  readonly startedAtUs: number;
  readonly runAtMs: number;
  readonly locationId: number;
  readonly responseTimeMs: number;
  readonly hasFailures: boolean;
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly sslDaysRemaining: number | null;
}

const columns = {
  check_id: "int8",
  has_failures: "int8",
  has_errors: "int8",
  is_degraded: "int8",
  longest_run_ms: "float8",
  shortest_run_ms: "float8",
  last_location: "int8",
  last_run_at: "int8",
  last_started_us: "int8",
  ssl_days_remaining: "float8",
  runs_passed: "int8",
  runs_degraded: "int8",
  runs_failed: "int8",
  runs_ms: "float8",
  created_at: "int8",
  updated_at: "int8",
} as const;

/** A run that started later than now did so before the wall clock was set back, and is old. */
const isNewer = "excluded.last_started_us >= check_statuses.last_started_us or check_statuses.last_started_us > excluded.updated_at * 1000";

const newer = (column: string): string => `${column} = case when ${isNewer} then excluded.${column} else check_statuses.${column} end`;

const grown = (column: string): string => `${column} = check_statuses.${column} + excluded.${column}`;

/** A late upload counts and widens the range of run times, but never turns the status back. */
const upsert = `on conflict (check_id) do update set
  ${["runs_passed", "runs_degraded", "runs_failed", "runs_ms"].map(grown).join(", ")},
  longest_run_ms = case when excluded.longest_run_ms > check_statuses.longest_run_ms then excluded.longest_run_ms else check_statuses.longest_run_ms end,
  shortest_run_ms = case when excluded.shortest_run_ms < check_statuses.shortest_run_ms then excluded.shortest_run_ms else check_statuses.shortest_run_ms end,
  ${["has_failures", "has_errors", "is_degraded", "last_location", "last_run_at", "updated_at"].map(newer).join(", ")},
  ssl_days_remaining = case when ${isNewer} then coalesce(excluded.ssl_days_remaining, check_statuses.ssl_days_remaining)
    else check_statuses.ssl_days_remaining end,
  last_started_us = case when ${isNewer} then excluded.last_started_us else check_statuses.last_started_us end`;

/** One row per check: the newest outcome and the widest range of the batch. */
export async function writeStatuses(engine: Engine, trx: Trx, outcomes: readonly FinalOutcome[], nowMs: number): Promise<void> {
  const byCheck = Map.groupBy(outcomes, (outcome) => outcome.checkId);
  const rows = [...byCheck.values()].map((ofCheck) => {
    const last = ofCheck.reduce((a, b) => (b.startedAtUs >= a.startedAtUs ? b : a));
    const times = ofCheck.map((outcome) => outcome.responseTimeMs);
    return [
      last.checkId,
      Number(last.hasFailures),
      Number(last.hasErrors),
      Number(last.isDegraded),
      Math.max(...times),
      Math.min(...times),
      last.locationId,
      last.runAtMs,
      last.startedAtUs,
      last.sslDaysRemaining,
      ofCheck.filter((outcome) => !hasFailed(outcome) && !outcome.isDegraded).length,
      ofCheck.filter((outcome) => !hasFailed(outcome) && outcome.isDegraded).length,
      ofCheck.filter(hasFailed).length,
      times.reduce((sum, ms) => sum + ms, 0),
      nowMs,
      nowMs,
    ] as const;
  });
  await engine.insertMany(
    trx,
    "check_statuses",
    columns,
    rows.toSorted((a, b) => a[0] - b[0]),
    upsert,
  );
}

function hasFailed({ hasFailures, hasErrors }: FinalOutcome): boolean {
  return hasFailures || hasErrors;
}

/** Statuses of an account's checks that have run, and of its heartbeats that were pinged. */
export async function statuses(engine: Engine, accountId: number): Promise<readonly CheckStatusRow[]> {
  return (await query(engine, accountId).orderBy("checks.id").execute()).map((row) => statusRow(engine, row));
}

export async function statusOf(engine: Engine, accountId: number, uuid: string): Promise<CheckStatusRow | undefined> {
  const row = await query(engine, accountId).where("checks.uuid", "=", uuid).executeTakeFirst();
  return row && statusRow(engine, row);
}

function query({ kind, reads }: Engine, accountId: number) {
  // Thousands of whole definitions are slow to hand over. PostgreSQL's functions of JSON fail at half a surrogate pair in any text.
  const named = kind === "sqlite" ? sql<string>`json_extract(checks.definition, '$.name')` : sql<string>`checks.definition`;
  return (
    reads
      .selectFrom("check_statuses")
      .innerJoin("checks", "checks.id", "check_statuses.check_id")
      .leftJoin("alert_states", "alert_states.check_id", "checks.id")
      // A heartbeat ran nowhere.
      .leftJoin("locations", "locations.id", "check_statuses.last_location")
      .selectAll("check_statuses")
      .select(["checks.uuid", "checks.type", named.as("named"), "locations.code", "alert_states.failing", "alert_states.degraded"])
      .where("checks.account_id", "=", accountId)
  );
}

type StatusQueryRow = Awaited<ReturnType<ReturnType<typeof query>["execute"]>>[number];

function statusRow({ kind }: Engine, row: StatusQueryRow): CheckStatusRow {
  const ran = !isPinged(row.type);
  return {
    checkUuid: row.uuid,
    name: kind === "sqlite" ? row.named : (JSON.parse(row.named) as { name: string }).name,
    hasFailures: row.has_failures === 1 || (row.failing ?? 0) > 0,
    hasErrors: row.has_errors === 1,
    isDegraded: row.is_degraded === 1 || (row.degraded ?? 0) > 0,
    longestRunMs: ran ? row.longest_run_ms : null,
    shortestRunMs: ran ? row.shortest_run_ms : null,
    lastRunLocation: row.code,
    lastCheckRunId: ran ? String(row.last_run_at) : null,
    sslDaysRemaining: row.ssl_days_remaining,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
