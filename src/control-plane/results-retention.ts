import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { ResultStore } from "./storage/storage.ts";

const batchSize = 5_000;
const idleMs = 10 * 60_000;
/** Between batches, so that pruning never holds up ingest. */
const breathMs = 250;

/** Removes results that are older than RESULTS_KEEP_DAYS, in small batches. */
export function createResultsRetention(deps: {
  readonly results: Pick<ResultStore, "prune">;
  readonly keepMs: number;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  async function turn(): Promise<number> {
    const { more } = await deps.results.prune(deps.nowMs() - deps.keepMs, batchSize);
    return more ? breathMs : idleMs;
  }

  return loop("results retention", turn, (error) => {
    deps.log.error({ err: error }, "removing old results failed");
    return 60_000;
  });
}
