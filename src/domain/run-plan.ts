/** Where a check runs. Locations are any references that differ: codes, slugs or ids. */
export interface RunPlan {
  readonly locations: string[];
  /** To be stored with the check. */
  readonly nextRoundRobinIndex: number;
}

/**
 * Which locations a run uses (behaviour 2.3): all of them in parallel, or the next one in turn. The index may be
 * stale after locations were taken away. Without any location the plan is empty.
 */
export function planRun(check: {
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[];
  readonly runParallel: boolean;
  readonly roundRobinIndex: number;
}): RunPlan {
  const all = [...new Set([...check.locations, ...check.privateLocations])];
  if (all.length === 0 || check.runParallel) return { locations: all, nextRoundRobinIndex: check.roundRobinIndex };
  const index = check.roundRobinIndex % all.length;
  return { locations: all.slice(index, index + 1), nextRoundRobinIndex: (index + 1) % all.length };
}

/**
 * Where the next attempt runs with `sameRegion: false`: another of the check's locations, one further with each
 * `roll` (0, 1, 2 …). Undefined when there is no other; the retry then stays where it was.
 */
export function retryLocation(all: readonly string[], failedAt: string, roll: number): string | undefined {
  const start = all.indexOf(failedAt) + 1;
  const others = [...all.slice(start), ...all.slice(0, start)].filter((location) => location !== failedAt);
  return others[roll % others.length];
}
