import type { EpisodeHandling } from "#domain/alerting/episode-handling.ts";
import type { Standing } from "#domain/alerting/observation.ts";

/** Where a check does not pass, by the newest run of each location. */
export interface CheckTrouble {
  /** The newest run first. */
  readonly places: readonly TroubledPlace[];
  /** How many locations the check has. */
  readonly of: number;
  /** Null: none is open. */
  readonly alert: OpenAlert | null;
}

/** An alert that has not recovered, and what people did about it. */
export interface OpenAlert {
  readonly id: number;
  readonly openedAtMs: number;
  /** Why the check is degraded, as it was told; null: it is not, or that is not known. */
  readonly degradedBy: string | null;
  readonly handling: EpisodeHandling;
  /** Of an incident that is open for it; null: none is. */
  readonly incidentUuid: string | null;
}

export interface TroubledPlace {
  readonly locationCode: string;
  readonly locationName: string;
  readonly standing: Exclude<Standing, "passing">;
  /** Start of the first run in a row that did not pass, and how many there are. */
  readonly sinceMs: number;
  readonly runs: number;
  /** The newest of them; null where an older version wrote it. */
  readonly result: { readonly id: number; readonly runAtMs: number } | null;
  /** What failed, or what its alert says of the degradation, in a sentence; null where it is not known. */
  readonly error: string | null;
}

/** How a check stands at one of its locations. */
export interface PlaceStanding {
  readonly locationId: number;
  readonly locationCode: string;
  readonly locationName: string;
  /** By its newest run there; null: it has not run there. */
  readonly standing: Standing | null;
  /** Of that run where it did not pass and is known. */
  readonly result: TroubledPlace["result"];
}

export interface CheckTroubleStore {
  /** All locations of each check, in the check's order; checks without locations, as heartbeats, have none. */
  everywhere(checkIds: readonly number[]): Promise<ReadonlyMap<number, readonly PlaceStanding[]>>;
  /** Checks that pass everywhere are left out. @param nowMs on the wall clock */
  ofChecks(checkIds: readonly number[], nowMs: number): Promise<ReadonlyMap<number, CheckTrouble>>;
}
