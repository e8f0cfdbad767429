import type { AlertEvent, CheckAlerting } from "#domain/alerting/alert-state.ts";
import type { Observation, Standing } from "#domain/alerting/observation.ts";

/** Something happened while a check had these settings. */
export interface Happened {
  readonly event: AlertEvent;
  readonly check: CheckAlerting;
}

interface Told {
  readonly type: string;
  readonly atMs: number;
}

/** A run that counts, and whether it was newer than all others when it came. */
interface Counted {
  readonly run: Observation;
  readonly isNewest: boolean;
}

const rank: Readonly<Record<Standing, number>> = { passing: 0, degraded: 1, failing: 2 };
const rankOf = ({ run }: Counted): number => rank[run.verdict ?? "passing"];

/**
 * What a check's followers must be told, worked out the slow way: after each event everything is counted again from all events so far.
 * It keeps nothing but lists of what happened and of what was told.
 */
export function obviousAlerts(all: readonly Happened[]): readonly string[] {
  const told: Told[] = [];
  const taken: Happened[] = [];
  const standings: { readonly rank: number | null; readonly sinceMs: number }[] = [];
  for (const one of all) {
    if (one.event.kind === "run" && !countsNow(taken, one)) continue;
    taken.push(one);
    const known = countedRuns(taken);
    const now = rankOfCheck(known, one.check);
    standings.push({ rank: now, sinceMs: one.event.kind === "run" ? one.event.run.startedAtMs : one.event.atMs });
    const beginning = standings.findLastIndex(({ rank: was }) => was === null || was === 0) + 1;
    const type = isQuiet(one) ? undefined : typeOf(one, known, now, standings[beginning]?.sinceMs ?? 0, told);
    if (type !== undefined) told.push({ type, atMs: timeOf(one.event) });
  }
  return told.map(({ type, atMs }) => `${atMs} ${type}`);
}

function timeOf(event: AlertEvent): number {
  return event.kind === "run" ? event.run.atMs : event.atMs;
}

function isQuiet({ event, check }: Happened): boolean {
  return !check.activated || check.muted || timeOf(event) < (check.silencedUntilMs ?? 0);
}

const isHere = (check: CheckAlerting, locationId: number): boolean => check.activated && check.locationIds.includes(locationId);
const isNewer = (a: Observation, b: Observation): boolean =>
  a.startedAtMs > b.startedAtMs || (a.startedAtMs === b.startedAtMs && a.resultId > b.resultId);

function countsNow(before: readonly Happened[], { event, check }: Happened): boolean {
  if (event.kind !== "run" || event.run.verdict === null || !isHere(check, event.run.locationId)) return false;
  const { run } = event;
  const same = countedRuns(before).filter((one) => one.run.locationId === run.locationId);
  const stillThere = same.filter(() => isHere(check, run.locationId));
  return stillThere.every((one) => isNewer(run, one.run));
}

/** All runs that count at the end of these events, in the order in which they came. */
function countedRuns(events: readonly Happened[]): readonly Counted[] {
  let counted: readonly Counted[] = [];
  for (const { event, check } of events) {
    const kept = counted.filter(({ run }) => isHere(check, run.locationId));
    const lostFailure = ofLocations(counted).some((runs) => lastRank(runs) > 0 && !kept.some((one) => runs.includes(one)));
    counted = lostFailure ? kept.map(({ run }) => ({ run, isNewest: false })) : kept;
    if (event.kind !== "run") continue;
    const isNewest = counted.every((one) => isNewer(event.run, one.run));
    counted = [...counted, { run: event.run, isNewest }];
  }
  return counted;
}

function ofLocations(known: readonly Counted[]): readonly (readonly Counted[])[] {
  return [...Map.groupBy(known, ({ run }) => run.locationId).values()];
}

const badAtTheEnd = (runs: readonly Counted[]): number => runs.length - 1 - runs.findLastIndex((one) => rankOf(one) === 0);
const lastRank = (runs: readonly Counted[]): number => runs.map(rankOf).at(-1) ?? 0;

function rankOfCheck(known: readonly Counted[], check: CheckAlerting): number | null {
  if (known.length === 0) return null;
  const needed = locationsNeeded(check);
  const ranks = ofLocations(known).map(lastRank);
  return [2, 1].find((level) => ranks.filter((one) => one >= level).length >= needed) ?? 0;
}

function locationsNeeded({ locationIds: { length }, runParallel, rules }: CheckAlerting): number {
  if (length === 1) return 1;
  const all = [1];
  if (rules.confirmation === "SECOND_LOCATION") all.push(2);
  if (runParallel && rules.failingShare !== null) all.push(Math.ceil((length * rules.failingShare) / 100));
  return Math.max(...all);
}

function typeOf(one: Happened, known: readonly Counted[], now: number | null, sinceMs: number, told: readonly Told[]): string | undefined {
  if (now === null) return undefined;
  const changes = told.filter(({ type }) => !type.endsWith("REMAIN"));
  const believed = believedAfter(changes.at(-1)?.type);
  if (believed === 0) return firstType(one, known, now, sinceMs);
  if (believed !== now) return changeTypes[`${believed}${now}`];
  const reminders = told.length - 1 - told.findLastIndex(({ type }) => !type.endsWith("REMAIN"));
  const { amount, intervalMs } = one.check.rules.reminders;
  const isDue =
    one.event.kind === "tick" && (amount === 100_000 || reminders < amount) && one.event.atMs >= (told.at(-1)?.atMs ?? 0) + intervalMs;
  return isDue ? (now === 2 ? "ALERT_FAILURE_REMAIN" : "ALERT_DEGRADED_REMAIN") : undefined;
}

function believedAfter(type = "ALERT_RECOVERY"): number {
  if (type.endsWith("RECOVERY")) return 0;
  return type.endsWith("FAILURE") ? 2 : 1;
}

const changeTypes: Readonly<Record<string, string>> = {
  "10": "ALERT_DEGRADED_RECOVERY",
  "12": "ALERT_DEGRADED_FAILURE",
  "20": "ALERT_RECOVERY",
  "21": "ALERT_FAILURE_DEGRADED",
};

function firstType({ event, check }: Happened, known: readonly Counted[], now: number, sinceMs: number): string | undefined {
  const { escalation, confirmation } = check.rules;
  const bad = currentSpell(known).filter((one) => rankOf(one) > 0);
  const agents = new Set(bad.flatMap(({ run }) => run.agentId ?? []));
  const least = escalation.by === "runs" ? escalation.failedRuns : 1;
  if (confirmation === "SECOND_AGENT" && agents.size === 1 && bad.length < least + 3) return undefined;
  if (now === 0 || !isLongEnough({ event, check }, known, now, sinceMs)) return undefined;
  return now === 2 ? "ALERT_FAILURE" : "ALERT_DEGRADED";
}

function isLongEnough({ event, check }: Happened, known: readonly Counted[], level: number, sinceMs: number): boolean {
  const { escalation } = check.rules;
  if (escalation.by === "time") {
    return (event.kind === "run" ? event.run.stoppedAtMs : event.atMs) - sinceMs >= escalation.failingMs;
  }
  const long = ofLocations(known).filter((runs) => lastRank(runs) >= level && badAtTheEnd(runs) >= escalation.failedRuns);
  const inARow = badAtTheEnd(currentSpell(known).filter(({ isNewest }) => isNewest));
  return long.length >= locationsNeeded(check) || (!check.runParallel && inARow >= escalation.failedRuns);
}

/** The runs since the last time that every known location passed. */
function currentSpell(known: readonly Counted[]): readonly Counted[] {
  const whole = known.findLastIndex((_one, index) => ofLocations(known.slice(0, index + 1)).every((runs) => lastRank(runs) === 0));
  return known.slice(whole + 1);
}
