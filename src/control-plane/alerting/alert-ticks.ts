import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { AlertStateStore } from "../storage/storage.ts";

export interface AlertTicksDeps {
  readonly alertStates: Pick<AlertStateStore, "tick">;
  readonly nowMs: () => number;
  readonly log: Logger;
}

const turnMs = 1_000;
const batchSize = 500;

/**
 * Looks each second at the checks whose alerts are due by time: escalations, reminders, and what settings that changed make of them. What
 * runs bring about is told where they are stored.
 */
export function createAlertTicks({ alertStates, nowMs, log }: AlertTicksDeps): Service {
  async function turn(signal: AbortSignal): Promise<number> {
    for (let due = batchSize; due === batchSize && !signal.aborted; ) {
      due = await alertStates.tick(nowMs(), batchSize);
      if (due > 0) log.debug({ due }, "processed due alerts");
    }
    return turnMs;
  }

  return loop("alert ticks", turn, (error) => {
    log.error({ err: error }, "processing due alerts failed; retrying");
    return 5_000;
  });
}
