import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { BlobStore } from "../blob-store/blob-store.ts";
import type { CodeBundleStore } from "../storage/storage.ts";

/** No upload takes as long. */
const openForMs = 3_600_000;
const unusedForMs = 7 * 24 * 3_600_000;
const batchSize = 100;
const idleMs = 10 * 60_000;

/** Removes code bundles that no check names and nobody used for a week, and what uploads left that did not come to their end. */
export function createBundleSweeper(deps: {
  readonly codeBundles: Pick<CodeBundleStore, "leftBehind" | "forget">;
  readonly blobs: Pick<BlobStore, "remove">;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  async function turn(signal: AbortSignal): Promise<number> {
    const nowMs = deps.nowMs();
    const bounds = { openSinceMs: nowMs - openForMs, unusedSinceMs: nowMs - unusedForMs, nowMs };
    const found = await deps.codeBundles.leftBehind(bounds, batchSize);
    for (const { key, ref } of found) {
      if (signal.aborted) return 0;
      await deps.blobs.remove({ key, ref });
      await deps.codeBundles.forget(key);
    }
    return found.length === batchSize ? 0 : idleMs;
  }

  return loop("code bundle sweeper", turn, (error) => {
    deps.log.error({ err: error }, "removing old code bundles failed");
    return 60_000;
  });
}
