import { blockList, containsItself } from "#daemon/address-rules.ts";
import { AppError } from "#domain/app-error.ts";
import { BoundedCache } from "#domain/bounded-cache.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { KeyRow } from "../storage/storage.ts";

/** Whether it may do less than its role says, or not for ever. */
export function isLimited({ expiresAtMs, networks, scopes }: Pick<KeyRow, "expiresAtMs" | "networks" | "scopes">): boolean {
  return expiresAtMs !== null || networks !== null || scopes !== null;
}

/** @throws {AppError} unauthorized for a key that has ended; forbidden from where it may not be used */
export function refuseOutsideLimits(key: Pick<KeyRow, "expiresAtMs" | "networks">, ip: string, nowMs: number): void {
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) throw new AppError("unauthorized", "The key has expired");
  if (key.networks === null || containsItself(lists.get(key.networks.join()), ip)) return;
  throw new AppError("forbidden", `The key may not be used from ${ip}`);
}

/** A request asks for one of few lists, thousands of times. */
const lists = new BoundedCache(1_000, (networks: string) => blockList(networks.split(",")));

/** Networks as they are stored. @throws {AppError} invalid_input, naming the one that is none */
export function networksOf(texts: readonly string[]): readonly string[] {
  return texts.map((text, index) => {
    const network = text.trim();
    try {
      blockList([network]);
    } catch {
      const message = `must be an address or a network in CIDR form such as 10.0.0.0/8, received ${JSON.stringify(text)}`;
      throw invalidInput([{ path: `allowedNetworks[${index}]`, message }]);
    }
    return network;
  });
}
