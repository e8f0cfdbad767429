import type { AlertRules } from "./alert-rules.ts";
import { isAtLeast, type Observation, type Standing } from "./observation.ts";

/** The newest that is known of a check at one location. */
export interface LocationState {
  readonly verdict: Standing;
  /** Runs in a row that did not pass, there. */
  readonly runs: number;
  /** Start of the first of them; of the newest run when that one passed. */
  readonly sinceMs: number;
  /** Of the newest run. */
  readonly startedAtMs: number;
  readonly resultId: number;
  /** Of the newest run, where it did not pass and they are known: when it was due, and the store's number of its error. */
  readonly runAtMs?: number;
  readonly errorGroup?: number;
  /** Runs that did not pass since all locations passed, and who ran them: two at most, more makes no difference. */
  readonly failedRuns: number;
  readonly agents: readonly string[];
}

/** What the runs of a check came to. */
export interface Knowledge {
  /** By the store's id of the location. */
  readonly locations: Readonly<Record<string, LocationState>>;
  /** Runs in a row that did not pass, wherever they were. */
  readonly runs: number;
}

/** As much of a check's settings as says how its locations count. */
export interface Places {
  readonly activated: boolean;
  readonly runParallel: boolean;
  /** Of the store. */
  readonly locationIds: readonly number[];
  readonly rules: AlertRules;
}

/** Forgets locations that are no longer the check's, and all of them while it is not activated. What failed there is in no row any more. */
export function withoutStrangers<Known extends Knowledge>(known: Known, { activated, locationIds }: Places): Known {
  const names = Object.keys(known.locations);
  const kept = names.filter((id) => activated && locationIds.includes(Number(id)));
  if (kept.length === names.length) return known;
  const isBad = names.some((id) => !kept.includes(id) && known.locations[id]?.verdict !== "passing");
  const locations = Object.fromEntries(kept.map((id) => [id, known.locations[id] as LocationState]));
  return settled({ ...known, locations, runs: isBad ? 0 : known.runs });
}

/**
 * Learns from a run. A run that started before the newest of its location says nothing any more, nor does the same one again.
 *
 * @returns undefined when there was nothing to learn
 */
export function withRun<Known extends Knowledge>(known: Known, run: Observation, places: Places): Known | undefined {
  const { verdict, locationId } = run;
  if (verdict === null || !places.activated || !places.locationIds.includes(locationId)) return undefined;
  if (isOld(known, run)) return undefined;
  const isNewest = Object.values(known.locations).every((one) => isAfter(run, one));
  const passed = verdict === "passing";
  return settled({
    ...known,
    locations: { ...known.locations, [locationId]: stateAfter(known.locations[locationId], run, verdict) },
    runs: isNewest ? (passed ? 0 : known.runs + 1) : known.runs,
  });
}

/** Another run of its location that began later is known. */
export function isOld({ locations }: Knowledge, run: Pick<Observation, "locationId" | "startedAtMs" | "resultId">): boolean {
  const newest = locations[run.locationId];
  return newest !== undefined && !isAfter(run, newest);
}

function stateAfter(before: LocationState = unknown, run: Observation, verdict: Standing): LocationState {
  const { startedAtMs, resultId, agentId, runAtMs, errorGroup } = run;
  const { runAtMs: _, errorGroup: __, ...kept } = before;
  const newest = { ...kept, verdict, startedAtMs, resultId };
  if (verdict === "passing") return { ...newest, runs: 0, sinceMs: startedAtMs };
  return {
    ...newest,
    ...(runAtMs !== undefined && { runAtMs }),
    ...(typeof errorGroup === "number" && { errorGroup }),
    runs: before.runs + 1,
    sinceMs: before.verdict === "passing" ? startedAtMs : before.sinceMs,
    failedRuns: before.failedRuns + 1,
    agents: agentId === null ? before.agents : [...new Set([...before.agents, agentId])].slice(0, 2),
  };
}

const unknown: LocationState = { verdict: "passing", runs: 0, sinceMs: 0, startedAtMs: 0, resultId: 0, failedRuns: 0, agents: [] };

function isAfter(run: Pick<LocationState, "startedAtMs" | "resultId">, other: Pick<LocationState, "startedAtMs" | "resultId">): boolean {
  return run.startedAtMs > other.startedAtMs || (run.startedAtMs === other.startedAtMs && run.resultId > other.resultId);
}

/** Where all that is known passes, counting begins anew. */
function settled<Known extends Knowledge>(known: Known): Known {
  if (Object.values(known.locations).some(({ verdict }) => verdict !== "passing")) return known;
  const locations = Object.entries(known.locations).map(([id, state]) => [id, { ...state, failedRuns: 0, agents: [] }]);
  return { ...known, locations: Object.fromEntries(locations), runs: 0 };
}

export function failedRunsOf({ locations }: Knowledge): number {
  return Object.values(locations).reduce((sum, { failedRuns }) => sum + failedRuns, 0);
}

/** Who ran what did not pass; one name stands for one agent and two for several. */
export function agentsOf({ locations }: Knowledge): readonly string[] {
  return [...new Set(Object.values(locations).flatMap(({ agents }) => agents))].slice(0, 2);
}

/** How a check stands: as bad as enough of its locations are. Null while nothing is known of it. */
export function standingOf({ locations }: Knowledge, places: Places): Standing | null {
  const known = Object.values(locations);
  if (known.length === 0) return null;
  const enough = enoughLocations(places);
  const isSo = (level: Standing): boolean => known.filter(({ verdict }) => isAtLeast(verdict, level)).length >= enough;
  if (isSo("failing")) return "failing";
  return isSo("degraded") ? "degraded" : "passing";
}

/** So many locations make a check fail: one, or as many as its share and its confirmation ask for. */
export function enoughLocations({ locationIds, runParallel, rules }: Places): number {
  const all = locationIds.length;
  if (all < 2) return 1;
  const share = runParallel && rules.failingShare !== null ? Math.ceil((all * rules.failingShare) / 100) : 1;
  return Math.max(share, rules.confirmation === "SECOND_LOCATION" ? 2 : 1);
}

/** The location whose run is the newest of those that stand so bad at least. */
export function newestLocation({ locations }: Knowledge, level: Standing): readonly [id: number, state: LocationState] | undefined {
  return Object.entries(locations)
    .filter(([, { verdict }]) => isAtLeast(verdict, level))
    .map(([id, state]) => [Number(id), state] as const)
    .reduce<readonly [number, LocationState] | undefined>((a, b) => (a === undefined || isAfter(b[1], a[1]) ? b : a), undefined);
}
