import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { auditRequest, keyActor } from "../http/audit.ts";
import { type KeyedRequest } from "../http/audited-request.ts";
import { networkOf } from "../http/network-of.ts";
import type { NotedEntry } from "../storage/audit-store.ts";
import type { KeyPlace, KeyRow, KeyStore } from "../storage/storage.ts";
import type { AuditLines } from "./audit-lines.ts";

export interface KeyUses extends Service {
  /** Notes that a key was used now, and from where; written with all others within a minute, and before the service has stopped. */
  readonly note: (key: KeyRow, request?: KeyedRequest) => void;
}

interface NewPlace {
  readonly keyId: string;
  readonly network: string;
  readonly entry: NotedEntry;
}

const restMs = 60_000;
/** Whoever uses a key from a million addresses does not fill our memory. */
const mostKnown = 50_000;
const mostNew = 1_000;

/**
 * When keys were used last, in one write a minute however many requests come; and from which networks, each told in the audit log when it is new:
 * such entries are few, a thousand a minute at most, so that none is left out. What cannot be written waits for the next turn.
 */
export function createKeyUses(deps: {
  readonly keys: Pick<KeyStore, "markUsed" | "addPlaces">;
  readonly lines: Pick<AuditLines, "write">;
  readonly nowMs: () => number;
  readonly log: Logger;
}): KeyUses {
  const uses = new Map<string, number>();
  const known = new Set<string>();
  const places = new Map<string, NewPlace>();

  async function writeUses(): Promise<void> {
    const taken = new Map(uses);
    if (taken.size > 0) await deps.keys.markUsed(taken);
    for (const [id, atMs] of taken) if (uses.get(id) === atMs) uses.delete(id);
  }

  async function writePlaces(): Promise<void> {
    const taken = new Map(places);
    if (taken.size === 0) return;
    const added = await deps.keys.addPlaces([...taken.values()].map(placeOf));
    for (const id of taken.keys()) places.delete(id);
    for (const { keyId, network } of added) {
      const place = taken.get(idOf(keyId, network));
      if (place !== undefined) deps.lines.write(place.entry);
    }
  }

  async function write(): Promise<void> {
    await writeUses();
    await writePlaces();
  }

  async function turn(): Promise<number> {
    await write();
    return restMs;
  }

  function onError(error: unknown): number {
    deps.log.error({ err: error }, "noting the uses of keys failed");
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
      const id = idOf(key.id, network);
      if (known.has(id) || places.size >= mostNew) return;
      if (known.size >= mostKnown) known.clear();
      known.add(id);
      places.set(id, { keyId: key.id, network, entry: entryOf(key, atMs, request) });
    },
  };
}

function placeOf({ keyId, network, entry }: NewPlace): KeyPlace {
  const { accountId, atMs } = entry;
  return { keyId, network, atMs, entry: accountId === null ? null : { ...entry, accountId } };
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

function idOf(keyId: string, network: string): string {
  return `${keyId} ${network}`;
}
