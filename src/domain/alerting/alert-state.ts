import type { CheckAlertType } from "#contract/check-alerts.ts";
import { untilRecovery } from "./alert-rules.ts";
import {
  agentsOf,
  enoughLocations,
  failedRunsOf,
  type Knowledge,
  newestLocation,
  type Places,
  standingOf,
  withoutStrangers,
  withRun,
} from "./location-states.ts";
import { isAtLeast, type Observation, type Standing } from "./observation.ts";

/*
 * What is to be told of a check, from what its runs said and what was told before (behaviour 2.7). The state is small JSON that is kept
 * from one event to the next, so a restart neither forgets a failure nor tells of it twice.
 *
 * What is known and what was told are two things. While a check is muted, is silenced or does not run, the first moves on and the second
 * stays; afterwards, at the next event, one alert makes up for the difference, if there still is one.
 */
export interface AlertState extends Knowledge {
  /** Start of the run with which the check as a whole stopped passing; null while it passes. */
  readonly sinceMs: number | null;
  /** What those who follow the check believe; null: it is well. */
  readonly told: Told | null;
}

interface Told {
  readonly standing: Exclude<Standing, "passing">;
  /** Of the alert. */
  readonly atMs: number;
  readonly reminders: number;
  /** Of the alert or the last reminder. */
  readonly lastMs: number;
}

export interface CheckAlerting extends Places {
  readonly muted: boolean;
  /** Nothing is told before: a maintenance window. */
  readonly silencedUntilMs: number | null;
  /** Nobody is reminded before: people acknowledged or snoozed it. */
  readonly remindFromMs?: number | null;
}

/** A run ended, or time went by and settings may be others. */
export type AlertEvent = { readonly kind: "run"; readonly run: Observation } | { readonly kind: "tick"; readonly atMs: number };

export interface Alert {
  readonly type: CheckAlertType;
  readonly atMs: number;
  /** The run that it tells of. */
  readonly locationId: number;
  readonly resultId: number;
  readonly startedAtMs: number;
  /** When the check stopped passing, and how many runs did not pass since. */
  readonly sinceMs: number;
  readonly failedRuns: number;
  /** 1, 2, …; 0: it is no reminder. */
  readonly reminder: number;
}

export interface AlertStep {
  readonly state: AlertState;
  readonly alerts: readonly Alert[];
  /** When a tick has something to do; null: never. */
  readonly nextDueMs: number | null;
}

export const noAlertState: AlertState = { locations: {}, runs: 0, sinceMs: null, told: null };

/** A failure that nobody else confirms is told after so many further runs that failed in a row: there may be nobody else. */
const unconfirmedRuns = 3;

/** What an event makes of the state, and what is to be told. It makes no difference when the same run comes again, or an older one. */
export function nextAlertState(before: AlertState, event: AlertEvent, check: CheckAlerting): AlertStep {
  const atMs = event.kind === "run" ? event.run.atMs : event.atMs;
  const here = withoutStrangers(before, check);
  const learnt = event.kind === "run" ? withRun(here, event.run, check) : here;
  if (learnt === undefined) return { state: before, alerts: [], nextDueMs: nextDueMs(here, check, atMs) };
  const state = withBeginning(learnt, event, check);
  const type = isSilent(check, atMs) ? null : dueAlert(state, event, check);
  const alert = type === null ? null : alertOf(type, state, before, event);
  const after = alert === null ? state : { ...state, told: toldBy(alert, state.told) };
  return { state: after, alerts: alert === null ? [] : [alert], nextDueMs: nextDueMs(after, check, atMs) };
}

/** The check passes and everybody knows: nothing is lost when the state is forgotten. */
export function isCalm({ locations, told }: AlertState): boolean {
  return told === null && Object.values(locations).every(({ verdict }) => verdict === "passing");
}

/** Nothing happened between these two but passes at locations that passed before. */
export function isSameButForPasses(before: AlertState, after: AlertState): boolean {
  return textOfFailures(before) === textOfFailures(after);
}

function textOfFailures(state: AlertState): string {
  return JSON.stringify({ ...state, locations: Object.entries(state.locations).filter(([, { verdict }]) => verdict !== "passing") });
}

function withBeginning(state: AlertState, event: AlertEvent, check: CheckAlerting): AlertState {
  const standing = standingOf(state, check);
  if (standing === null || standing === "passing") return { ...state, sinceMs: null };
  return { ...state, sinceMs: state.sinceMs ?? (event.kind === "run" ? event.run.startedAtMs : event.atMs) };
}

function isSilent({ activated, muted, silencedUntilMs }: CheckAlerting, atMs: number): boolean {
  return !activated || muted || (silencedUntilMs !== null && atMs < silencedUntilMs);
}

function dueAlert(state: AlertState, event: AlertEvent, check: CheckAlerting): CheckAlertType | null {
  const standing = standingOf(state, check);
  if (standing === null) return null;
  const { told } = state;
  if (told === null) return firstAlert(state, standing, event, check);
  if (standing !== told.standing) return changes[told.standing][standing];
  const remindAtMs = reminderDueMs(state, check);
  if (event.kind === "run" || remindAtMs === null || event.atMs < remindAtMs) return null;
  return standing === "failing" ? "ALERT_FAILURE_REMAIN" : "ALERT_DEGRADED_REMAIN";
}

/** From what was told to how it stands, at once. */
const changes = {
  degraded: { passing: "ALERT_DEGRADED_RECOVERY", degraded: null, failing: "ALERT_DEGRADED_FAILURE" },
  failing: { passing: "ALERT_RECOVERY", degraded: "ALERT_FAILURE_DEGRADED", failing: null },
} as const satisfies Record<Told["standing"], Record<Standing, CheckAlertType | null>>;

function firstAlert(state: AlertState, standing: Standing, event: AlertEvent, check: CheckAlerting): CheckAlertType | null {
  if (standing === "passing" || !isConfirmed(state, check) || !isOverThreshold(state, standing, event, check)) return null;
  return standing === "failing" ? "ALERT_FAILURE" : "ALERT_DEGRADED";
}

/** A run is judged by its own time: one that was uploaded late must not look as if it had failed until now. */
function isOverThreshold(state: AlertState, level: Standing, event: AlertEvent, check: CheckAlerting): boolean {
  const { escalation } = check.rules;
  if (escalation.by === "time") {
    const judgedAtMs = event.kind === "run" ? event.run.stoppedAtMs : event.atMs;
    return judgedAtMs - (state.sinceMs ?? judgedAtMs) >= escalation.failingMs;
  }
  const over = Object.values(state.locations).filter(({ verdict, runs }) => isAtLeast(verdict, level) && runs >= escalation.failedRuns);
  // Locations in turn: runs in a row are those of the check, too.
  return over.length >= enoughLocations(check) || (!check.runParallel && state.runs >= escalation.failedRuns);
}

function isConfirmed(state: AlertState, { rules: { confirmation, escalation } }: CheckAlerting): boolean {
  if (confirmation !== "SECOND_AGENT" || agentsOf(state).length !== 1) return true;
  return failedRunsOf(state) >= (escalation.by === "runs" ? escalation.failedRuns : 1) + unconfirmedRuns;
}

function reminderDueMs({ told }: AlertState, { rules: { reminders }, remindFromMs }: CheckAlerting): number | null {
  if (told === null) return null;
  const isOver = reminders.amount < untilRecovery && told.reminders >= reminders.amount;
  return isOver ? null : Math.max(told.lastMs + reminders.intervalMs, remindFromMs ?? Number.NEGATIVE_INFINITY);
}

function alertOf(type: CheckAlertType, state: AlertState, before: AlertState, event: AlertEvent): Alert {
  const isReminder = type === "ALERT_FAILURE_REMAIN" || type === "ALERT_DEGRADED_REMAIN";
  const run = runBehind(state, event);
  return {
    ...run,
    type,
    sinceMs: state.sinceMs ?? before.sinceMs ?? run.startedAtMs,
    failedRuns: Math.max(failedRunsOf(state), failedRunsOf(before)),
    reminder: isReminder ? (state.told?.reminders ?? 0) + 1 : 0,
  };
}

/** Time is told of by the newest run that did not pass, or did. */
function runBehind(state: AlertState, event: AlertEvent): Pick<Alert, "atMs" | "locationId" | "resultId" | "startedAtMs"> {
  if (event.kind === "run") {
    const { atMs, locationId, resultId, startedAtMs } = event.run;
    return { atMs, locationId, resultId, startedAtMs };
  }
  const newest = newestLocation(state, "degraded") ?? newestLocation(state, "passing");
  if (newest === undefined) throw new Error("nothing is told of a check of which nothing is known");
  const [locationId, { resultId, startedAtMs }] = newest;
  return { atMs: event.atMs, locationId, resultId, startedAtMs };
}

function toldBy({ type, atMs, reminder }: Alert, before: Told | null): Told | null {
  if (reminder > 0 && before !== null) return { ...before, reminders: reminder, lastMs: atMs };
  const standing = toldStanding[type];
  return standing === undefined ? null : { standing, atMs, reminders: 0, lastMs: atMs };
}

const toldStanding: Partial<Record<CheckAlertType, Told["standing"]>> = {
  ALERT_FAILURE: "failing",
  ALERT_DEGRADED_FAILURE: "failing",
  ALERT_DEGRADED: "degraded",
  ALERT_FAILURE_DEGRADED: "degraded",
};

function nextDueMs(state: AlertState, check: CheckAlerting, atMs: number): number | null {
  if (!check.activated || check.muted) return null;
  const { silencedUntilMs } = check;
  if (silencedUntilMs !== null && atMs < silencedUntilMs) return isCalm(state) ? null : silencedUntilMs;
  const standing = standingOf(state, check);
  if (state.told !== null) return standing === state.told.standing ? reminderDueMs(state, check) : null;
  const { escalation } = check.rules;
  return escalation.by === "time" && state.sinceMs !== null && isConfirmed(state, check)
    ? Math.ceil(state.sinceMs + escalation.failingMs)
    : null;
}
