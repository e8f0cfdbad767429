import type { NewAuditEntry } from "./audit-store.ts";
import type { KeyRow } from "./configuration-stores.ts";

/** A network that a key was used from. */
export interface KeyPlace {
  readonly keyId: string;
  readonly network: string;
  readonly atMs: number;
  /** What the audit log says of it when it is new; null: the key belongs to no account. */
  readonly entry: NewAuditEntry | null;
}

export interface KeyStore {
  create(key: Omit<KeyRow, "updatedAtMs" | "lastUsedAtMs"> & { readonly hash: string }): Promise<void>;
  byHash(hash: string): Promise<KeyRow | undefined>;
  /** The user and service keys that are bound to the account, oldest first. */
  ofAccount(accountId: number): Promise<readonly KeyRow[]>;
  /**
   * Removes a user or service key of the account.
   *
   * @returns the hash that it was stored under; undefined when there was none
   * @throws {AppError} conflict for the last OWNER key
   */
  revoke(accountId: number, keyId: string): Promise<string | undefined>;
  markUsed(uses: ReadonlyMap<string, number>): Promise<void>;
  /**
   * Keeps from where keys are used, at most 1,000 networks a key, and in the same transaction the entries of those that were new: no place
   * is known that was not told. Keys that are gone are left out.
   *
   * @returns those that were new
   */
  addPlaces(places: readonly KeyPlace[]): Promise<readonly KeyPlace[]>;
  /** Of these networks, those that the key was not used from. */
  countNewNetworks(keyId: string, networks: readonly string[]): Promise<number>;
  ofLocation(locationId: number): Promise<readonly KeyRow[]>;
  /** @returns whether there was one */
  remove(locationId: number, keyId: string): Promise<boolean>;
}
