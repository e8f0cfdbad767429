import type { Alert, AlertEvent, AlertState, AlertStep, CheckAlerting } from "#domain/alerting/alert-state.ts";
import { isCalm, isSameButForPasses, nextAlertState, noAlertState } from "#domain/alerting/alert-state.ts";
import { isOld, type LocationState } from "#domain/alerting/location-states.ts";
import type { Observation, Standing } from "#domain/alerting/observation.ts";
import { heldUntilMs } from "#domain/maintenance-effects.ts";
import type { AlertStateStore } from "../../alerting-stores.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { Signals } from "../../signals/signals.ts";
import { newestRuns, type RunFacts, writeAlerts } from "./alert-rows.ts";
import { type AlertingCheck, type AlertingTime, alertingChecks, nowhere } from "./alerting-checks.ts";
import { lookAgainForCauses } from "./episode-rows.ts";
import { type NewAlert } from "./new-alert.ts";
import { type Unheard, unheard } from "./silences.ts";

/** A run that ended and says something of its target, or a ping of a heartbeat, or that none came. */
export interface ObservedRun extends RunFacts, Omit<Observation, "atMs" | keyof RunFacts> {
  /** The same by the installation's clock, where it is known better than by what that clock is ahead of the wall clock now. */
  readonly onWaitClock?: Pick<Observation, "startedAtMs" | "stoppedAtMs">;
}

interface Told {
  /** How many alerts came of the runs; whoever commits signals it. */
  readonly alerts: number;
  /** Whether a run was too old to count, by its result, where its check had a state to hold it against. */
  readonly wasOld: ReadonlyMap<number, boolean>;
}

interface StoredState {
  readonly state: AlertState;
  readonly nextDueMs: number | null;
}

export function alertStateStore(engine: Engine, signals: Signals): AlertStateStore {
  return {
    async tick(nowMs, limit) {
      const { due, alerts } = await tick(engine, nowMs, limit);
      signals.sendAlerts(alerts);
      return due;
    },
  };
}

/**
 * What runs make of the alerts of their checks, in the transaction that stores the runs. Checks that pass, as they did before, cost one
 * look-up together and write nothing.
 *
 * Call it after `writeStatuses`: whoever writes of the same check waits there, so that a check without a row is nobody else's either.
 */
export async function writeObservedRuns(engine: Engine, trx: Trx, observed: readonly ObservedRun[], nowMs: number): Promise<Told> {
  if (observed.length === 0) return nothingTold;
  const time = { nowMs, aheadMs: engine.clock.waitMs(nowMs) - nowMs };
  const runs = observed.map((run) => onWaitClock(run, time));
  const byCheck = Map.groupBy(runs, (run) => run.checkId);
  const stored = await lockStates(engine, trx, [...byCheck.keys()]);
  const failing = runs.filter(({ verdict }) => verdict !== "passing");
  const ids = [...new Set([...stored.keys(), ...failing.map(({ checkId }) => checkId)])];
  if (ids.length === 0) return nothingTold;
  const states = await withUnwrittenPasses(engine, trx, stored, failing, { runs, ...time });
  const wasOld = new Map<number, boolean>();
  const alerts = await writeSteps(engine, trx, ids, runs, { ...time, ...timeOfRuns(observed, nowMs) }, (check) => {
    const events = (byCheck.get(check.id) ?? []).toSorted((a, b) => a.startedAtMs - b.startedAtMs || a.resultId - b.resultId);
    const before = states.get(check.id) ?? unwritten;
    const steps = stepsOf(
      check,
      before,
      events.map((run): AlertEvent => ({ kind: "run", run: { ...run, atMs: nowMs + time.aheadMs } })),
      time,
    );
    for (const [resultId, isOld] of steps.wasOld) wasOld.set(resultId, isOld);
    return steps;
  });
  return { alerts, wasOld };
}

const nothingTold: Told = { alerts: 0, wasOld: new Map() };

async function tick(engine: Engine, nowMs: number, limit: number): Promise<{ readonly due: number; readonly alerts: number }> {
  const waitMs = engine.clock.waitMs(nowMs);
  const time = { nowMs, aheadMs: waitMs - nowMs };
  const due = await engine.reads
    .selectFrom("alert_states")
    .select("check_id")
    .where("next_due_ms", "<=", waitMs)
    .limit(1)
    .executeTakeFirst();
  if (!due) return { due: 0, alerts: 0 };
  return engine.transaction(async (trx) => {
    const rows = await engine
      .skipLocked(trx.selectFrom("alert_states").selectAll().where("next_due_ms", "<=", waitMs).orderBy("next_due_ms").limit(limit))
      .execute();
    const states = new Map(rows.map((row) => [row.check_id, storedOf(row)]));
    const nobody = await unheard(trx);
    const alerts = await writeSteps(engine, trx, [...states.keys()], [], { ...time, fromMs: nowMs, toMs: nowMs }, (check) =>
      stepsOf(quietWhere(nobody, check), states.get(check.id) ?? unwritten, [{ kind: "tick", atMs: waitMs }], time),
    );
    return { due: rows.length, alerts };
  });
}

/** Time tells nothing of a check of which nobody hears: that was told, and what is known of it is old. Its next run goes on from there. */
function quietWhere({ locations, checks }: Unheard, check: AlertingCheck): AlertingCheck {
  const { locationIds } = check.alerting;
  const isUnheard = checks.has(check.id) || (locationIds.length > 0 && locationIds.every((id) => locations.has(id)));
  return isUnheard ? { ...check, alerting: { ...check.alerting, muted: true } } : check;
}

/** This moment: what is told of alerts is on the wall clock, what is known and waited for on the installation's, ahead by so much. */
interface BothClocks {
  readonly nowMs: number;
  readonly aheadMs: number;
}

/** So that a run is newer than the one before it whatever the wall clock did in between. */
function onWaitClock({ onWaitClock: known, ...run }: ObservedRun, { aheadMs }: BothClocks): ObservedRun {
  return { ...run, ...(known ?? { startedAtMs: run.startedAtMs + aheadMs, stoppedAtMs: run.stoppedAtMs + aheadMs }) };
}

function asTold(alert: Alert, { aheadMs }: BothClocks): Alert {
  return {
    ...alert,
    atMs: alert.atMs - aheadMs,
    startedAtMs: alert.startedAtMs - aheadMs,
    sinceMs: alert.sinceMs - aheadMs,
  };
}

const unwritten: StoredState = { state: noAlertState, nextDueMs: null };

function storedOf({ state, next_due_ms: nextDueMs }: { readonly state: string; readonly next_due_ms: number | null }): StoredState {
  return { state: JSON.parse(state) as AlertState, nextDueMs };
}

async function lockStates(engine: Engine, trx: Trx, checkIds: readonly number[]): Promise<ReadonlyMap<number, StoredState>> {
  const rows = await engine
    .lockRows(trx.selectFrom("alert_states").selectAll().where(engine.isAny("check_id", checkIds)).orderBy("check_id"))
    .execute();
  return new Map(rows.map((row) => [row.check_id, storedOf(row)]));
}

/**
 * States with the passes that were never written into them, as far as they matter: a failure that is uploaded late must not turn back a
 * location that passed since.
 */
async function withUnwrittenPasses(
  engine: Engine,
  trx: Trx,
  stored: ReadonlyMap<number, StoredState>,
  failing: readonly ObservedRun[],
  { runs: written, nowMs, aheadMs }: BothClocks & { readonly runs: readonly ObservedRun[] },
): Promise<ReadonlyMap<number, StoredState>> {
  const passes = (run: { readonly checkId: number; readonly locationId: number }): boolean =>
    (stored.get(run.checkId)?.state.locations[run.locationId]?.verdict ?? "passing") === "passing";
  const first = failing.filter((run) => run.locationId !== nowhere && passes(run));
  if (first.length === 0) return stored;
  const ids = [...new Set(first.map(({ checkId }) => checkId))];
  const afterUs = Math.min(...first.map(({ startedAtMs }) => Math.round((startedAtMs - aheadMs) * 1_000)));
  const firstHere = new Map<string, number>();
  for (const run of first) firstHere.set(placeOf(run), Math.min(run.resultId, firstHere.get(placeOf(run)) ?? run.resultId));
  const states = new Map(stored);
  for (const run of await newestRuns(
    engine,
    trx,
    ids,
    { afterUs, untilUs: nowMs * 1_000 },
    written.map(({ resultId }) => resultId),
  )) {
    // Dates of before the wall clock was set back come again: the newer of two runs is also of the later job.
    if (!passes(run) || run.resultId < (firstHere.get(placeOf(run)) ?? 0)) continue;
    const { state, nextDueMs } = states.get(run.checkId) ?? unwritten;
    states.set(run.checkId, { state: withPass(state, run.locationId, run.startedAtUs / 1_000 + aheadMs, run.resultId), nextDueMs });
  }
  return states;
}

function placeOf({ checkId, locationId }: { readonly checkId: number; readonly locationId: number }): string {
  return `${checkId} ${locationId}`;
}

function withPass(state: AlertState, locationId: number, startedAtMs: number, resultId: number): AlertState {
  const before = state.locations[locationId];
  if (before !== undefined && before.startedAtMs >= startedAtMs) return state;
  const passed: LocationState = { verdict: "passing", runs: 0, sinceMs: startedAtMs, startedAtMs, resultId, failedRuns: 0, agents: [] };
  return { ...state, locations: { ...state.locations, [locationId]: { ...passed, ...before, startedAtMs, resultId } } };
}

interface Steps extends Omit<AlertStep, "alerts"> {
  readonly alerts: readonly NewAlert[];
  readonly isChanged: boolean;
  /** Other locations fail than before. */
  readonly isElsewhere: boolean;
  readonly wasOld: Told["wasOld"];
}

function stepsOf(check: AlertingCheck, before: StoredState, events: readonly AlertEvent[], time: BothClocks): Steps {
  let { state, nextDueMs } = before;
  const alerts: NewAlert[] = [];
  const wasOld = new Map<number, boolean>();
  for (const event of events) {
    if (event.kind === "run" && state.locations[event.run.locationId] !== undefined)
      wasOld.set(event.run.resultId, isOld(state, event.run));
    const step = nextAlertState(state, event, { ...check.alerting, silencedUntilMs: silencedUntilMs(check, event, time) });
    ({ state, nextDueMs } = step);
    alerts.push(...step.alerts.map((alert) => ({ check, alert: asTold(alert, time) })));
  }
  const isChanged = nextDueMs !== before.nextDueMs || !isSameButForPasses(before.state, state);
  return { state, nextDueMs, alerts, wasOld, isChanged, isElsewhere: isChanged && failingPlaces(before.state) !== failingPlaces(state) };
}

/**
 * A run that began in a window and is heard of after its end is left to the next tick: what ended inside, too, must not come up because both
 * were uploaded late.
 */
function silencedUntilMs({ silences, tags }: AlertingCheck, event: AlertEvent, { aheadMs }: BothClocks): CheckAlerting["silencedUntilMs"] {
  const heldFrom = (atMs: number): number | null => {
    const untilMs = heldUntilMs(silences, tags, atMs - aheadMs);
    return untilMs === null ? null : untilMs + aheadMs;
  };
  if (event.kind === "tick") return heldFrom(event.atMs);
  const { atMs, startedAtMs } = event.run;
  return heldFrom(atMs) ?? (heldFrom(startedAtMs) === null ? null : atMs + 1);
}

/** How long windows are looked for that were over when a run was heard of. */
const longestUploadMs = 7 * 86_400_000;

function timeOfRuns(runs: readonly ObservedRun[], nowMs: number): AlertingTime {
  const first = runs.reduce((least, { startedAtMs }) => Math.min(least, startedAtMs), nowMs);
  return { fromMs: Math.max(first, nowMs - longestUploadMs), toMs: nowMs };
}

function failingPlaces({ locations }: AlertState): string {
  const failing = Object.entries(locations).filter(([, { verdict }]) => verdict === "failing");
  return failing
    .map(([id]) => id)
    .toSorted()
    .join();
}

function placesThat({ locations }: AlertState, standing: Standing): number {
  return Object.values(locations).filter(({ verdict }) => verdict === standing).length;
}

async function writeSteps(
  engine: Engine,
  trx: Trx,
  checkIds: readonly number[],
  facts: readonly RunFacts[],
  time: AlertingTime & BothClocks,
  stepsOfCheck: (check: AlertingCheck) => Steps,
): Promise<number> {
  const checks = [...(await alertingChecks(engine, trx, checkIds, time)).values()];
  const all = checks.map((check) => ({ id: check.id, ...stepsOfCheck(check) })).toSorted((a, b) => a.id - b.id);
  const changed = all.filter(({ isChanged }) => isChanged);
  const calm = changed.filter(({ state }) => isCalm(state)).map(({ id }) => id);
  await engine.insertMany(
    trx,
    "alert_states",
    { check_id: "int8", state: "text", next_due_ms: "int8", failing: "int8", degraded: "int8" },
    changed
      .filter(({ state }) => !isCalm(state))
      .map(({ id, state, nextDueMs }) => [
        id,
        JSON.stringify(state),
        nextDueMs,
        placesThat(state, "failing"),
        placesThat(state, "degraded"),
      ]),
    "on conflict (check_id) do update set state = excluded.state, next_due_ms = excluded.next_due_ms, failing = excluded.failing, degraded = excluded.degraded",
  );
  if (calm.length > 0) await trx.deleteFrom("alert_states").where(engine.isAny("check_id", calm)).execute();
  const alerts = all.flatMap((one) => one.alerts);
  await writeAlerts(engine, trx, alerts, facts);
  const elsewhere = changed.filter(({ isElsewhere }) => isElsewhere).map(({ id }) => id);
  await lookAgainForCauses(engine, trx, elsewhere, time.nowMs + time.aheadMs);
  return alerts.length;
}
