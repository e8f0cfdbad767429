import { sql } from "kysely";
import { afterPing, afterTime, heartbeatStates } from "#domain/heartbeat.ts";
import type { Engine } from "../engine.ts";
import { GroupCommit } from "../group-commit.ts";
import type { HeartbeatCounts, HeartbeatEventRow, HeartbeatStore, HeartbeatWindow, NewPing } from "../heartbeat-store.ts";
import type { Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import { deleteEvents } from "./heartbeat-retention.ts";
import { forgetTimers, type NewHeartbeatEvent, type StoredTimer, timerOf, writeEvents, writeTimers } from "./heartbeat-rows.ts";

/** Pings of one transaction, whoever sent them. */
const pingsOfOneCommit = 1_000;
/** When a sweeper last said that it is alive, on the installation's clock as the timers are. */
const aliveMark = "heartbeats alive";

export function heartbeatStore(engine: Engine, signals: Signals): HeartbeatStore {
  const { reads } = engine;
  const pings = new GroupCommit<NewPing, void>(
    1,
    pingsOfOneCommit,
    () => 1,
    async (batch) => {
      signals.sendAlerts(await engine.transaction((trx) => writePings(engine, trx, batch)));
      return batch.map(() => undefined);
    },
  );
  return {
    async checkIdOf({ hash, open }) {
      const find = (tokens: readonly string[]) =>
        reads.selectFrom("heartbeats").select("check_id").where("token", "in", tokens).executeTakeFirst();
      // Both at once the second time: meanwhile it may have been hashed.
      const row = (await find([hash])) ?? (open === null ? undefined : await find([hash, open]));
      return row?.check_id;
    },
    ping: (ping) => pings.add(ping),
    async sweep(nowMs, limit) {
      const { due, alerts } = await sweep(engine, nowMs, limit);
      signals.sendAlerts(alerts);
      return due;
    },
    markAlive: (nowMs) => engine.transaction((trx) => writeMark(trx, engine.clock.waitMs(nowMs))),
    resume: (nowMs, toleratedMs) => engine.transaction((trx) => resume(engine, trx, engine.clock.waitMs(nowMs), toleratedMs)),
    async timer(checkId) {
      const row = await reads.selectFrom("heartbeats").selectAll().where("check_id", "=", checkId).executeTakeFirst();
      const timer = row && timerOf(row);
      return timer && { ...timer, startedAtMs: timer.startedAtMs === null ? null : engine.clock.shownMs(timer.startedAtMs) };
    },
    async events(checkId, { limit, ...window }) {
      const rows = await eventsIn(engine, [checkId], window)
        .selectAll()
        .orderBy("at_ms", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(eventRow);
    },
    async event(checkId, id) {
      const row = await reads
        .selectFrom("heartbeat_events")
        .selectAll()
        .where("id", "=", id)
        .where("check_id", "=", checkId)
        .executeTakeFirst();
      return row && eventRow(row);
    },
    availability: (checkIds, window) => availability(engine, checkIds, window),
    prune: (olderThanMs, limit) => deleteEvents(engine, olderThanMs, limit),
  };
}

const failing = heartbeatStates.indexOf("FAILING");

async function availability(engine: Engine, checkIds: readonly number[], window: HeartbeatWindow): Promise<readonly HeartbeatCounts[]> {
  const rows = await eventsIn(engine, checkIds, window)
    .select("check_id")
    .select((eb) => eb.fn.countAll<number>().as("events"))
    .select(sql<number>`sum(case when state = ${sql.lit(failing)} then 1 else 0 end)`.as("alerts"))
    .groupBy("check_id")
    .orderBy("check_id")
    .execute();
  return rows.map(({ check_id: checkId, events, alerts }) => ({ checkId, pings: Number(events) - Number(alerts), alerts: Number(alerts) }));
}

/** Pings of one heartbeat are taken one after another, in the order in which they came. @returns alerts */
async function writePings(engine: Engine, trx: Trx, pings: readonly NewPing[]): Promise<number> {
  const timers = new Map<number, StoredTimer>();
  const ids = [...new Set(pings.map(({ checkId }) => checkId))];
  const rows = await engine.lockRows(withActivation(trx).where(engine.isAny("check_id", ids)).orderBy("check_id")).execute();
  for (const row of rows) if (row.activated === 1) timers.set(row.check_id, timerOf(row));
  const events: NewHeartbeatEvent[] = [];
  // Of the timers' clock.
  const aheadMs = -engine.clock.shownMs(0);
  for (const { checkId, atMs, source, userAgent } of pings) {
    const timer = timers.get(checkId);
    if (timer === undefined) continue;
    const step = afterPing(timer, atMs + aheadMs);
    timers.set(checkId, step.timer);
    const byNobody = { checkId, source: null, userAgent: null };
    const sent = { source, userAgent };
    for (const event of step.events)
      events.push({ ...byNobody, ...(event.state !== "FAILING" && sent), state: event.state, atMs: event.atMs - aheadMs });
  }
  await writeTimers(engine, trx, [...timers.values()]);
  return writeEvents(engine, trx, events, Math.max(...pings.map(({ atMs }) => atMs)));
}

function withActivation(trx: Trx) {
  return trx
    .selectFrom("heartbeats")
    .selectAll()
    .select((eb) => eb.selectFrom("checks").select("activated").whereRef("checks.id", "=", "heartbeats.check_id").as("activated"));
}

async function sweep(engine: Engine, nowMs: number, limit: number): Promise<{ readonly due: number; readonly alerts: number }> {
  const { reads, clock } = engine;
  const waitMs = clock.waitMs(nowMs);
  const due = await reads.selectFrom("heartbeats").select("check_id").where("due_at", "<=", waitMs).limit(1).executeTakeFirst();
  if (!due) return { due: 0, alerts: 0 };
  return engine.transaction(async (trx) => {
    const rows = await engine.skipLocked(withActivation(trx).where("due_at", "<=", waitMs).orderBy("due_at").limit(limit)).execute();
    await forgetTimers(
      engine,
      trx,
      rows.filter((row) => row.activated !== 1).map((row) => row.check_id),
    );
    const steps = rows
      .filter((row) => row.activated === 1)
      .map(timerOf)
      .map((timer) => afterTime(timer, waitMs));
    await writeTimers(
      engine,
      trx,
      steps.map(({ timer }) => timer),
    );
    const events = steps.flatMap(({ timer, events: told }) =>
      told.map(({ state, atMs }) => ({ state, atMs: nowMs - (waitMs - atMs), checkId: timer.checkId, source: null, userAgent: null })),
    );
    return { due: rows.length, alerts: await writeEvents(engine, trx, events, nowMs) };
  });
}

async function writeMark(trx: Trx, waitMs: number): Promise<void> {
  const value = String(waitMs);
  await trx
    .insertInto("marks")
    .values({ name: aliveMark, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

/** The mark is locked, so that of two processes that start at once only one moves the timers. */
async function resume(engine: Engine, trx: Trx, waitMs: number, toleratedMs: number): Promise<number> {
  const row = await engine.lockRows(trx.selectFrom("marks").select("value").where("name", "=", aliveMark)).executeTakeFirst();
  const aliveMs = Number(row?.value ?? waitMs);
  await writeMark(trx, waitMs);
  const outageMs = waitMs - aliveMs;
  if (outageMs <= toleratedMs) return 0;
  await trx
    .updateTable("heartbeats")
    .set((eb) => ({ started_at: eb("started_at", "+", outageMs), due_at: eb("due_at", "+", outageMs) }))
    .where("due_at", ">", aliveMs)
    .execute();
  return outageMs;
}

function eventsIn(engine: Engine, checkIds: readonly number[], { fromMs, toMs, states }: HeartbeatWindow) {
  const events = engine.reads.selectFrom("heartbeat_events").where("at_ms", ">=", fromMs).where("at_ms", "<", toMs);
  const ofChecks =
    checkIds.length === 1 ? events.where("check_id", "=", checkIds[0] ?? 0) : events.where(engine.isAny("check_id", checkIds));
  if (states === undefined) return ofChecks;
  const positions = states.map((state) => heartbeatStates.indexOf(state));
  return ofChecks.where(engine.isAny("state", positions));
}

function eventRow(row: {
  readonly id: number;
  readonly check_id: number;
  readonly state: number;
  readonly at_ms: number;
  readonly source: string | null;
  readonly user_agent: string | null;
}): HeartbeatEventRow {
  return {
    id: row.id,
    checkId: row.check_id,
    state: heartbeatStates[row.state] ?? "RECEIVED",
    atMs: row.at_ms,
    source: row.source,
    userAgent: row.user_agent,
  };
}
