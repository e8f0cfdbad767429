import { keyActor } from "../http/audit.ts";
import type { AuditStore, KeyPlace, KeyStore, NotedEntry } from "../storage/storage.ts";
import type { AuditLines } from "./audit-lines.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import { type FurtherPlaces, idOf, type WaitingPlace, type WaitingPlaces } from "./waiting-places.ts";

export interface PlaceDeps extends Pick<AuditMetrics, "countUnnamedNetworks"> {
  readonly keys: Pick<KeyStore, "addPlaces" | "countNewNetworks">;
  readonly store: Pick<AuditStore, "append">;
  readonly lines: Pick<AuditLines, "write">;
  readonly nowMs: () => number;
}

/** One transaction takes so many: others wait for it. */
const placesAtOnce = 1_000;

/** Tells which of the networks that wait are new. Where it fails, what is not written waits on. */
export async function writePlaces(deps: PlaceDeps, waiting: WaitingPlaces): Promise<void> {
  await writeNamed(deps, waiting);
  await writeFurther(deps, waiting);
}

async function writeNamed({ keys, lines }: PlaceDeps, waiting: WaitingPlaces): Promise<void> {
  const all = waiting.named();
  for (let from = 0; from < all.length; from += placesAtOnce) {
    const taken = all.slice(from, from + placesAtOnce);
    const added = new Set((await keys.addPlaces(taken.map(placeOf))).map(idOf));
    waiting.removeNamed(taken);
    for (const place of taken) if (added.has(idOf(place))) lines.write(place.entry);
  }
}

async function writeFurther({ keys, store, lines, countUnnamedNetworks, nowMs }: PlaceDeps, waiting: WaitingPlaces): Promise<void> {
  for (const further of waiting.further()) {
    const count = await keys.countNewNetworks(further.key.id, further.networks);
    if (count > 0) {
      const entry = furtherEntry(further, count, nowMs());
      if (entry.accountId !== null) await store.append({ ...entry, accountId: entry.accountId });
      lines.write(entry);
    }
    waiting.removeFurther(further);
    countUnnamedNetworks(count);
  }
}

function placeOf({ keyId, network, entry }: WaitingPlace): KeyPlace {
  const { accountId, atMs } = entry;
  return { keyId, network, atMs, entry: accountId === null ? null : { ...entry, accountId } };
}

/** No request is its own: there were many. */
function furtherEntry({ key, isMore }: FurtherPlaces, count: number, atMs: number): NotedEntry {
  return {
    accountId: key.accountId,
    atMs,
    operation: "useKeyFromMoreAddresses",
    resourceId: key.id,
    fields: [`and ${count} more networks${isMore ? " at least" : ""}`],
    actor: keyActor(key),
    request: null,
  };
}
