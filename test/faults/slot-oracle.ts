import type { CheckGap } from "#contract/check-gaps.ts";
import type { CheckResult } from "#contract/check-results.ts";
import { nextDueMs } from "#domain/schedule.ts";

/** The schedule that a check had in a time: its slots in it are those after the first instant, up to the second. */
export interface Era {
  readonly fromMs: number;
  readonly toMs: number;
  readonly periodMs: number;
  readonly phaseMs: number;
}

/** What is known of a check without asking. */
export interface Known {
  readonly eras: readonly Era[];
  readonly pauses: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly runParallel: boolean;
}

/** One thing that REST tells of a slot, or of a run that stands beside the slots. */
export interface ToldSlot {
  readonly atMs: number;
  readonly place: string;
  readonly what: string;
}

export function toldSlots(results: readonly CheckResult[], gaps: readonly CheckGap[]): readonly ToldSlot[] {
  return [
    ...results.map(({ checkRunId, runLocation, resultType }) => ({ atMs: checkRunId, place: runLocation, what: resultType })),
    ...gaps.flatMap((gap) => slotsOf(gap).flatMap((atMs) => placesOf(gap).map((place) => ({ atMs, place, what: gap.reason })))),
  ];
}

function placesOf({ runParallel, locations }: CheckGap): readonly string[] {
  return runParallel ? locations : locations.slice(0, 1);
}

function slotsOf({ firstSlot, lastSlot, slots }: CheckGap): readonly number[] {
  const [first, last] = [Date.parse(firstSlot), Date.parse(lastSlot)];
  return Array.from({ length: slots }, (_, index) => first + (slots === 1 ? 0 : ((last - first) * index) / (slots - 1)));
}

/** Holes, doubles, and what stands where no slot is. Without `runParallel` a slot is of one of the places, whichever. */
export function problemsOfSlots(all: readonly ToldSlot[], known: Known): readonly string[] {
  const keyOf = (atMs: number, place: string): string => `${new Date(atMs).toISOString()} at ${known.runParallel ? place : "any"}`;
  const told = Map.groupBy(all, ({ atMs, place }) => keyOf(atMs, place));
  const owed = new Set(owedSlots(known).flatMap((atMs) => ["berlin", "paris"].map((place) => keyOf(atMs, place))));
  const listed = (of: readonly ToldSlot[]): string => of.map(({ what }) => what).join(", ");
  // A run whose slot came again, as the clock was set back, is dated some milliseconds after it.
  const isRelived = ({ atMs, what }: ToldSlot): boolean =>
    (what === "FINAL" || what === "MISSED") && known.eras.every(({ phaseMs }) => (atMs - phaseMs) % 1_000 !== 0);
  return [
    ...[...told].filter(([, of]) => of.length > 1).map(([key, of]) => `${key} is told twice: ${listed(of)}`),
    ...[...owed].filter((key) => !told.has(key)).map((key) => `${key} is a hole`),
    ...[...told].filter(([key, of]) => !owed.has(key) && !of.every(isRelived)).map(([key, of]) => `${key} was no slot: ${listed(of)}`),
  ];
}

function owedSlots({ eras, pauses }: Known): readonly number[] {
  return eras
    .flatMap(({ fromMs, toMs, ...grid }) => {
      const first = nextDueMs({ ...grid, afterMs: fromMs });
      return Array.from(
        { length: Math.max(0, Math.floor((toMs - first) / grid.periodMs) + 1) },
        (_, index) => first + index * grid.periodMs,
      );
    })
    .filter((slot) => !pauses.some(({ fromMs, toMs }) => fromMs <= slot && slot < toMs));
}
