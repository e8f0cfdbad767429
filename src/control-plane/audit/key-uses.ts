import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import { auditRequest, keyActor } from "../http/audit.ts";
import { type KeyedRequest } from "../http/audited-request.ts";
import { networkOf } from "../http/network-of.ts";
import type { KeyRow, KeyStore, NotedEntry } from "../storage/storage.ts";
import { KnownPlaces } from "./known-places.ts";
import { WaitingPlaces } from "./waiting-places.ts";
import { type PlaceDeps, writePlaces } from "./write-places.ts";

export interface KeyUses extends Service {
  /** Notes that a key was used now, and from where; written with all others within a minute, and before the service has stopped. */
  readonly note: (key: KeyRow, request?: KeyedRequest) => void;
}

export interface KeyUseDeps extends PlaceDeps {
  readonly keys: Pick<KeyStore, "markUsed"> & PlaceDeps["keys"];
  readonly log: Logger;
}

const restMs = 60_000;

/**
 * When keys were used last, in one write a minute however many requests come; and from which networks, each told in the audit log when it is new. Many new
 * ones of one key are told in part by name, and then by their number: see `WaitingPlaces`. What cannot be written waits for the next turn.
 */
export function createKeyUses(deps: KeyUseDeps): KeyUses {
  const uses = new Map<string, number>();
  const known = new KnownPlaces();
  const waiting = new WaitingPlaces();
  let woken = new AbortController();

  async function writeUses(): Promise<void> {
    const taken = new Map(uses);
    if (taken.size > 0) await deps.keys.markUsed(taken);
    for (const [id, atMs] of taken) if (uses.get(id) === atMs) uses.delete(id);
  }

  async function write(): Promise<void> {
    await writeUses();
    await writePlaces(deps, waiting);
  }

  async function turn(signal: AbortSignal): Promise<number> {
    woken = new AbortController();
    await write();
    await sleep(restMs, AbortSignal.any([signal, woken.signal]));
    return 0;
  }

  function onError(error: unknown): number {
    deps.log.error({ err: error }, "storing the last use of keys failed");
    return restMs;
  }

  const turns = loop("uses of keys", turn, onError);
  return {
    ...turns,
    async stop(deadline) {
      await turns.stop(deadline);
      await write().catch(onError);
    },
    note(key, request) {
      const atMs = deps.nowMs();
      uses.set(key.id, atMs);
      if (request === undefined) return;
      const network = networkOf(request.ip);
      if (known.has(key.id, network)) return;
      if (waiting.add(key, network, entryOf(key, atMs, request))) known.add(key.id, network);
      if (waiting.isCrowded) woken.abort();
    },
  };
}

function entryOf(key: KeyRow, atMs: number, request: KeyedRequest): NotedEntry {
  return {
    accountId: key.accountId,
    atMs,
    operation: "useKeyFromNewAddress",
    resourceId: key.id,
    fields: [],
    actor: keyActor(key),
    request: auditRequest(request.method, request, 200),
  };
}
