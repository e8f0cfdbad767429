import type { Selectable } from "kysely";
import { AppError, hasCode } from "#domain/app-error.ts";
import { alertDueMs, type HeartbeatEvent, type HeartbeatTimer, heartbeatStates, withTimes } from "#domain/heartbeat.ts";
import type { BulkValue, Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import type { HeartbeatSettings, PingToken } from "../storage.ts";
import { type ObservedRun, writeObservedRuns } from "./alerting/alert-states.ts";
import { nowhere } from "./alerting/alerting-checks.ts";
import { writeStatuses } from "./check-statuses.ts";

/** The timer of one check. */
export interface StoredTimer extends HeartbeatTimer {
  readonly checkId: number;
}

/** What happened to one check. */
export interface NewHeartbeatEvent extends HeartbeatEvent {
  readonly checkId: number;
  readonly source: string | null;
  readonly userAgent: string | null;
}

type TimerRow = Pick<Selectable<Tables["heartbeats"]>, "check_id" | "period_ms" | "grace_ms" | "started_at" | "failing">;

const timerColumns = { check_id: "int8", started_at: "int8", due_at: "int8", failing: "int8" } as const;
const eventColumns = { check_id: "int8", at_ms: "int8", state: "int8", source: "text", user_agent: "text" } as const;

export function timerOf(row: TimerRow): StoredTimer {
  return {
    checkId: row.check_id,
    periodMs: row.period_ms,
    graceMs: row.grace_ms,
    startedAtMs: row.started_at,
    isFailing: row.failing === 1,
  };
}

/** Sorted by check, as everybody who writes several: PostgreSQL would deadlock otherwise. */
export async function writeTimers(engine: Engine, trx: Trx, timers: readonly StoredTimer[]): Promise<void> {
  const rows = timers.toSorted((a, b) => a.checkId - b.checkId).map((timer) => [timer.checkId, ...startOf(timer)]);
  await engine.updateMany(trx, "heartbeats", 1, timerColumns, rows);
}

function startOf(timer: HeartbeatTimer): readonly BulkValue[] {
  return [timer.startedAtMs, alertDueMs(timer), Number(timer.isFailing)];
}

/** Events, and the status of each check after its last one. They ran nowhere: location 0. */
export async function writeEvents(engine: Engine, trx: Trx, events: readonly NewHeartbeatEvent[], nowMs: number): Promise<number> {
  await engine.insertMany(
    trx,
    "heartbeat_events",
    eventColumns,
    events.map(({ checkId, atMs, state, source, userAgent }) => [checkId, atMs, heartbeatStates.indexOf(state), source, userAgent]),
  );
  const outcomes = events.map(({ checkId, atMs, state }) => ({
    checkId,
    startedAtUs: atMs * 1_000,
    runAtMs: atMs,
    locationId: nowhere,
    responseTimeMs: 0,
    hasFailures: state === "FAILING",
    hasErrors: false,
    isDegraded: false,
    sslDaysRemaining: null,
  }));
  if (outcomes.length === 0) return 0;
  await writeStatuses(engine, trx, outcomes, nowMs);
  return (await writeObservedRuns(engine, trx, events.map(observedRun), nowMs)).alerts;
}

/** A ping passes, a miss fails. Both may carry one time: then the ping came after. */
function observedRun({ checkId, atMs, state }: NewHeartbeatEvent): ObservedRun {
  const isMiss = state === "FAILING";
  return {
    checkId,
    locationId: nowhere,
    agentId: null,
    resultId: isMiss ? 0 : 1,
    verdict: isMiss ? "failing" : "passing",
    startedAtMs: atMs,
    stoppedAtMs: atMs,
    runAtMs: atMs,
    responseTimeMs: 0,
    statusCode: null,
    statusText: null,
    scriptEnd: null,
    errorMessage: isMiss ? "NO_PING: no ping came within period and grace" : null,
    errorGroup: null,
  };
}

/** @throws {AppError} conflict when another heartbeat has the token */
export async function createHeartbeat(trx: Trx, checkId: number, { token, periodMs, graceMs }: HeartbeatSettings): Promise<void> {
  if (token === null) throw new Error(`the heartbeat ${checkId} is made without a token`);
  await assertNotOpen(trx, token);
  const values = { check_id: checkId, token: token.hash, period_ms: periodMs, grace_ms: graceMs, failing: 0 };
  await trx.insertInto("heartbeats").values(values).execute().catch(rethrowTaken);
}

/** Deactivating forgets everything but the events. @throws {AppError} conflict when another heartbeat has the token */
export async function updateHeartbeat(
  engine: Engine,
  trx: Trx,
  checkId: number,
  settings: HeartbeatSettings & { readonly activated: boolean },
  nowMs: number,
): Promise<void> {
  const row = await engine.lockRows(trx.selectFrom("heartbeats").selectAll().where("check_id", "=", checkId)).executeTakeFirst();
  if (!row) return;
  const timer = withTimes(timerOf(row), settings, engine.clock.waitMs(nowMs));
  const { token, periodMs, graceMs, activated } = settings;
  // One that lies open stays so until it is hashed with the others: a process of the release before looks for it.
  const moved = token !== null && token.open !== row.token && token.hash !== row.token ? token : null;
  if (moved !== null) await assertNotOpen(trx, moved);
  const times = { period_ms: periodMs, grace_ms: graceMs, started_at: timer.startedAtMs, due_at: alertDueMs(timer) };
  await trx
    .updateTable("heartbeats")
    .set({ ...times, ...(moved !== null && { token: moved.hash }) })
    .where("check_id", "=", checkId)
    .execute()
    .catch(rethrowTaken);
  if (!activated) await forgetTimers(engine, trx, [checkId]);
}

/** Timers of checks that no longer run, and their statuses. Ids of other checks change nothing. */
export async function forgetTimers(engine: Engine, trx: Trx, checkIds: readonly number[]): Promise<void> {
  if (checkIds.length === 0) return;
  const reset = await trx
    .updateTable("heartbeats")
    .set({ started_at: null, due_at: null, failing: 0 })
    .where(engine.isAny("check_id", checkIds))
    .returning("check_id")
    .execute();
  const ids = reset.map((row) => row.check_id);
  if (ids.length > 0) await trx.deleteFrom("check_statuses").where(engine.isAny("check_id", ids)).execute();
}

/** Where the row of an earlier release has the token, the hashes alone do not collide. */
async function assertNotOpen(trx: Trx, { open }: PingToken): Promise<void> {
  if (open === null) return;
  const taken = await trx.selectFrom("heartbeats").select("check_id").where("token", "=", open).executeTakeFirst();
  if (taken) throw tokenTaken();
}

function rethrowTaken(cause: unknown): never {
  throw hasCode(cause, "conflict") ? tokenTaken(cause) : cause;
}

function tokenTaken(cause?: unknown): AppError {
  const message = "is the token of another heartbeat; leave it out to get a new one";
  return new AppError("conflict", `"heartbeat.pingToken" ${message}`, {
    cause,
    attributes: { issues: [{ path: "heartbeat.pingToken", message }] },
  });
}
