import type { PlaceFact } from "./cause-facts.ts";

export interface PlacedRun {
  readonly location: string;
  readonly isFailed: boolean;
  readonly resultId: string;
}

/** How one check did at each location. @param runs the newest first */
export function placeFacts(runs: readonly PlacedRun[]): readonly PlaceFact[] {
  return [...Map.groupBy(runs, ({ location }) => location)].map(([location, all]) => {
    const failed = all.filter(({ isFailed }) => isFailed);
    const [newest] = all;
    return {
      location,
      failed: failed.length,
      passed: all.length - failed.length,
      isFailing: newest?.isFailed === true,
      resultId: (failed[0] ?? newest)?.resultId ?? "",
    };
  });
}
