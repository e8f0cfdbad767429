/* Pictures that code brings along, see `storage.ts`. They are small, so they are in the database, each once. */

/** Of all pictures of an account together. */
export interface SnapshotRoom {
  readonly snapshots: number;
  readonly bytes: number;
}

export interface CodeSnapshotStore {
  /** Keeps one; where it is there already it counts as used. @returns its SHA-256 in hexadecimal @throws {AppError} conflict: no room */
  keep(accountId: number, body: Uint8Array, most: SnapshotRoom, nowMs: number): Promise<string>;
  read(accountId: number, sha256: string, nowMs: number): Promise<Uint8Array | undefined>;
  /** Removes those that were not used since then and that no check names. @returns how many were looked at */
  sweep(unusedSinceMs: number, nowMs: number, limit: number): Promise<number>;
}
