import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { BlobStore } from "../blob-store/blob-store.ts";
import type { ArtifactStore } from "../storage/storage.ts";

/** An upload that is not committed within this time is removed. */
const openForMs = 24 * 3_600_000;
const batchSize = 100;
const idleMs = 10 * 60_000;

/**
 * Removes what is left behind in the blob store: uploads that nobody finished, and files whose result or details are no longer kept, whichever
 * way they went. A blob goes before the row that lists it, so a crash between the two only makes it go twice.
 */
export function createArtifactSweeper(deps: {
  readonly artifacts: Pick<ArtifactStore, "leftBehind" | "forget">;
  readonly blobs: Pick<BlobStore, "remove">;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  async function turn(signal: AbortSignal): Promise<number> {
    const found = await deps.artifacts.leftBehind(deps.nowMs() - openForMs, batchSize);
    for (const { key, ref } of found) {
      if (signal.aborted) return 0;
      await deps.blobs.remove({ key, ref: ref ?? "" });
      await deps.artifacts.forget(key);
    }
    if (found.length > 0) deps.log.debug({ removed: found.length }, "artifacts were removed");
    return found.length === batchSize ? 0 : idleMs;
  }

  return loop("artifact sweeper", turn, (error) => {
    deps.log.error({ err: error }, "removing old artifacts failed");
    return 60_000;
  });
}
