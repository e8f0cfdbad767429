import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { CodeSnapshotStore } from "../storage/storage.ts";

const unusedForMs = 7 * 24 * 3_600_000;
const batchSize = 100;
const idleMs = 10 * 60_000;

/** Removes pictures of code that no check names and nobody used for a week. */
export function createSnapshotSweeper(deps: {
  readonly codeSnapshots: Pick<CodeSnapshotStore, "sweep">;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  const turn = async (): Promise<number> => {
    const nowMs = deps.nowMs();
    return (await deps.codeSnapshots.sweep(nowMs - unusedForMs, nowMs, batchSize)) === batchSize ? 0 : idleMs;
  };
  return loop("snapshot sweeper", turn, (error) => {
    deps.log.error({ err: error }, "removing old snapshots of code failed");
    return 60_000;
  });
}
