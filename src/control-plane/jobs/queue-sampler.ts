import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { LocationStore } from "../storage/storage.ts";

const minuteMs = 60_000;
const keepMs = 90 * 86_400_000;

/** Keeps the length of each location's queue, once a minute, for the private-location metrics. */
export function createQueueSampler(deps: {
  readonly locations: Pick<LocationStore, "sampleQueues">;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  async function turn(): Promise<number> {
    const now = deps.nowMs();
    await deps.locations.sampleQueues(Math.floor(now / minuteMs) * minuteMs, keepMs);
    return minuteMs - (now % minuteMs);
  }

  return loop("queue sampler", turn, (error) => {
    deps.log.error({ err: error }, "sampling the queues failed");
    return minuteMs;
  });
}
