/* Hosts that agents of private locations come from, see `storage.ts`. */

export type LocationHostState = "admitted" | "waiting" | "refused";

export interface LocationHostRow {
  readonly uuid: string;
  /** As `networkOf` tells an address. */
  readonly network: string;
  /** As the latest agent told it. */
  readonly name: string;
  readonly state: LocationHostState;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
}

export interface LocationHostStore {
  /**
   * Notes that an agent comes from there. A new host is admitted while the location has fewer than its limit; of two at once for one
   * place one is. Of one location 200 are kept: a new one takes the place of the one that waited longest.
   *
   * @returns undefined where the location is full of hosts that somebody decided on
   */
  arrive(
    locationId: number,
    from: { readonly network: string; readonly name: string; readonly nowMs: number },
  ): Promise<LocationHostRow | undefined>;
  /** Those that wait first, then the one seen last. */
  list(locationId: number): Promise<readonly LocationHostRow[]>;
  /** Refused: sessions that were opened from there end. */
  decide(locationId: number, uuid: string, state: "admitted" | "refused"): Promise<LocationHostRow | undefined>;
  /** @returns whether there was one */
  remove(locationId: number, uuid: string): Promise<boolean>;
}
