import { randomBytes } from "node:crypto";
import { AppError } from "#domain/app-error.ts";
import { maskKey, newKey } from "#domain/key.ts";
import type { KeyKind, KeyRow, KeyStore, LocationRow, Role } from "../storage/storage.ts";

export interface KeyIssuer {
  readonly keys: Pick<KeyStore, "create" | "ofLocation">;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
}

export interface IssuedKey {
  readonly key: KeyRow;
  /** Shown once; only its hash is kept. */
  readonly rawKey: string;
}

/** Two, so that a key can be rotated without a gap (behaviour 1). */
const keysPerLocation = 2;

/** @throws {AppError} conflict when the location has two keys already */
export async function issueLocationKey(issuer: KeyIssuer, location: Pick<LocationRow, "id" | "accountId" | "name">): Promise<IssuedKey> {
  const existing = await issuer.keys.ofLocation(location.id);
  if (existing.length >= keysPerLocation) {
    throw new AppError("conflict", `The location ${location.name} has ${keysPerLocation} keys already; revoke one first`);
  }
  return issueKey(issuer, { kind: "location", accountId: location.accountId, locationId: location.id, role: "READ_ONLY" });
}

/** What a new key speaks for. */
export interface KeyOwner {
  readonly kind: KeyKind;
  readonly accountId: number | null;
  readonly locationId: number | null;
  readonly role: Role;
  readonly name?: string;
  /** Absent: it has no limits but its role. */
  readonly limits?: KeyLimits;
}

export type KeyLimits = Pick<KeyRow, "expiresAtMs" | "networks" | "scopes">;

export const unlimited: KeyLimits = { expiresAtMs: null, networks: null, scopes: null };

export async function issueKey(
  { keys, hashOf, nowMs }: Pick<KeyIssuer, "hashOf" | "nowMs"> & { readonly keys: Pick<KeyStore, "create"> },
  { name = "", limits = unlimited, ...owner }: KeyOwner,
): Promise<IssuedKey> {
  const rawKey = newKey(owner.kind, randomBytes);
  const key = { ...owner, ...limits, name, id: crypto.randomUUID(), maskedKey: maskKey(rawKey), createdAtMs: nowMs() };
  await keys.create({ ...key, hash: hashOf(rawKey) });
  return { key: { ...key, updatedAtMs: null, lastUsedAtMs: null }, rawKey };
}
