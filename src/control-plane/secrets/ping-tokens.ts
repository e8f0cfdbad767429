import { randomUUID } from "node:crypto";
import { isSealed, type Sealing } from "../keys/sealing.ts";
import type { CheckDefinition, PingToken } from "../storage/storage.ts";
import type { VariablesOwner } from "./secret-owner.ts";

/** What a check has of its pings; its other fields are not looked at. */
export interface PingedCheck {
  readonly heartbeat: { readonly pingToken?: string | null | undefined };
}

const field = "heartbeat.pingToken";

/** Turns tokens of pings into what the store finds their heartbeats by. */
export interface PingTokenHashes {
  readonly of: (token: string) => PingToken;
  /** Whether a stored one is under the pepper of now. */
  readonly prefix: string;
}

/**
 * `hash:<of the pepper>:<of the token>`, one HMAC for each token. No token has a colon, so what is stored is never taken for one: who reads a hash cannot
 * ping with it.
 */
export function createPingTokenHashes(hashOf: (secret: string) => string): PingTokenHashes {
  const prefix = `${hashed}${hashOf("ping tokens").slice(0, 8)}:`;
  return { prefix, of: (token) => ({ hash: prefix + hashOf(`ping ${token}`), open: token.includes(":") ? null : token }) };
}

const hashed = "hash:";

/** Whether a stored token is one itself, as earlier releases stored it. */
export function isOpenPingToken(stored: string): boolean {
  return !stored.startsWith(hashed);
}

/** The heartbeat of a check as it is to be stored: its token sealed. One that is left out is that of before, or a new one. */
export function sealedHeartbeat(
  { pingToken, ...timing }: PingedCheck["heartbeat"],
  before: CheckDefinition | undefined,
  sealing: Pick<Sealing, "seal">,
  owner: VariablesOwner,
): PingedCheck["heartbeat"] {
  const kept = before && heartbeatOf(before)?.pingToken;
  if (!pingToken && kept && isSealed(kept)) return { ...timing, pingToken: kept };
  return { ...timing, pingToken: sealing.seal(pingToken || kept || randomUUID(), { ...owner, field }) };
}

/** Null where it was sealed under a key that is gone: its address still works, and nobody can be told it. */
export function openedPingToken(check: object, { unseal }: Pick<Sealing, "unseal">, owner: VariablesOwner): string | null {
  const stored = heartbeatOf(check)?.pingToken ?? null;
  return stored === null || !isSealed(stored) ? stored : unseal(stored, { ...owner, field });
}

/** It was parsed with the schema of the check's type, so its parts have their form. */
export function heartbeatOf(check: object): PingedCheck["heartbeat"] | undefined {
  return (check as Partial<PingedCheck>).heartbeat;
}
