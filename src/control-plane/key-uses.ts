import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { KeyStore } from "./storage/storage.ts";

export interface KeyUses extends Service {
  /** Notes that a key was used now; written with all others within a minute, and when the service stops. */
  readonly note: (keyId: string) => void;
}

const restMs = 60_000;

/** When keys were used last, in one write a minute however many requests come. A use that cannot be written waits for the next turn. */
export function createKeyUses(deps: {
  readonly keys: Pick<KeyStore, "markUsed">;
  readonly nowMs: () => number;
  readonly log: Logger;
}): KeyUses {
  const uses = new Map<string, number>();

  async function write(): Promise<void> {
    const taken = new Map(uses);
    if (taken.size > 0) await deps.keys.markUsed(taken);
    for (const [id, atMs] of taken) if (uses.get(id) === atMs) uses.delete(id);
  }

  async function turn(): Promise<number> {
    await write();
    return restMs;
  }

  function onError(error: unknown): number {
    deps.log.error({ err: error }, "noting when keys were used failed");
    return restMs;
  }

  const turns = loop("uses of keys", turn, onError);
  return {
    ...turns,
    async stop(deadline) {
      await turns.stop(deadline);
      await write().catch(onError);
    },
    note: (keyId) => void uses.set(keyId, deps.nowMs()),
  };
}
