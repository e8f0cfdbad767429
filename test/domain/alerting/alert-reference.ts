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

/** What counts at some moment. */
interface Known {
  /** In the order in which they came, of locations that are the check's. */
  readonly runs: readonly Observation[];
  /** Of them, those since all that was known then was well. */
  readonly spell: readonly Observation[];
  /** Ranks of runs that were newer than all others when they came, wherever they were, since all was well or a failure was lost. */
  readonly row: readonly number[];
}

const rank: Readonly<Record<Standing, number>> = { passing: 0, degraded: 1, failing: 2 };
const rankOf = ({ verdict }: Observation): number => rank[verdict ?? "passing"];

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
    const known = knownAfter(taken);
    const now = rankOfCheck(known.runs, one.check);
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
  const same = knownAfter(before).runs.filter(({ locationId }) => locationId === run.locationId);
  const stillThere = same.filter(() => isHere(check, run.locationId));
  return stillThere.every((one) => isNewer(run, one));
}

/** What a location did before it was taken away stays done: a pass there ended the row of failures, and a failure kept the spell from ending. */
function knownAfter(events: readonly Happened[]): Known {
  let known: Known = { runs: [], spell: [], row: [] };
  for (const { event, check } of events) {
    known = here(known, check);
    if (event.kind === "run") known = withRun(known, event.run);
  }
  return known;
}

function here({ runs, spell, row }: Known, check: CheckAlerting): Known {
  const isKept = ({ locationId }: Observation): boolean => isHere(check, locationId);
  const hasLostFailure = ofLocations(runs).some((those) => lastRank(those) > 0 && !those.every(isKept));
  return begunAnew({ runs: runs.filter(isKept), spell: spell.filter(isKept), row: hasLostFailure ? [] : row });
}

function withRun({ runs, spell, row }: Known, run: Observation): Known {
  const isNewest = runs.every((one) => isNewer(run, one));
  return begunAnew({ runs: [...runs, run], spell: [...spell, run], row: isNewest ? [...row, rankOf(run)] : row });
}

function begunAnew(known: Known): Known {
  return ofLocations(known.runs).every((those) => lastRank(those) === 0) ? { runs: known.runs, spell: [], row: [] } : known;
}

function ofLocations(runs: readonly Observation[]): readonly (readonly Observation[])[] {
  return [...Map.groupBy(runs, ({ locationId }) => locationId).values()];
}

const badAtTheEnd = (ranks: readonly number[]): number => ranks.length - 1 - ranks.lastIndexOf(0);
const lastRank = (runs: readonly Observation[]): number => runs.map(rankOf).at(-1) ?? 0;

function rankOfCheck(known: readonly Observation[], check: CheckAlerting): number | null {
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

function typeOf(one: Happened, known: Known, now: number | null, sinceMs: number, told: readonly Told[]): string | undefined {
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

function firstType({ event, check }: Happened, known: Known, now: number, sinceMs: number): string | undefined {
  const { escalation, confirmation } = check.rules;
  const bad = known.spell.filter((one) => rankOf(one) > 0);
  const agents = new Set(bad.flatMap(({ agentId }) => agentId ?? []));
  const least = escalation.by === "runs" ? escalation.failedRuns : 1;
  if (confirmation === "SECOND_AGENT" && agents.size === 1 && bad.length < least + 3) return undefined;
  if (now === 0 || !isLongEnough({ event, check }, known, now, sinceMs)) return undefined;
  return now === 2 ? "ALERT_FAILURE" : "ALERT_DEGRADED";
}

function isLongEnough({ event, check }: Happened, { runs, row }: Known, level: number, sinceMs: number): boolean {
  const { escalation } = check.rules;
  if (escalation.by === "time") {
    return (event.kind === "run" ? event.run.stoppedAtMs : event.atMs) - sinceMs >= escalation.failingMs;
  }
  const long = ofLocations(runs).filter((those) => lastRank(those) >= level && badAtTheEnd(those.map(rankOf)) >= escalation.failedRuns);
  return long.length >= locationsNeeded(check) || (!check.runParallel && badAtTheEnd(row) >= escalation.failedRuns);
}
