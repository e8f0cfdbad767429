import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { defaultLeaseLimits } from "#domain/lease.ts";
import type { JobStore } from "../storage/storage.ts";

export interface ReaperDeps {
  readonly jobs: Pick<JobStore, "reap">;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly queueWaitMs: number;
  readonly count: (requeued: number, missed: number) => void;
  readonly log: Logger;
}

const turnMs = 1_000;
const batchSize = 500;

/** Ends leases and waits that are over, each second. After a start no lease ends for one lease time: agents could not have kept them. */
export function createReaper(deps: ReaperDeps): Service {
  let graceEndsMs: number | undefined;

  async function turn(signal: AbortSignal): Promise<number> {
    graceEndsMs ??= deps.monotonicMs() + deps.leaseMs;
    const settings = {
      ...defaultLeaseLimits,
      queueWaitMs: deps.queueWaitMs,
      acknowledgeMs: acknowledgeMs(deps.heartbeatMs),
      graceUntilMs: deps.nowMs() + graceEndsMs - deps.monotonicMs(),
      limit: batchSize,
    };
    for (let ended = batchSize; ended >= batchSize && !signal.aborted; ) {
      const { requeued, missed } = await deps.jobs.reap(deps.nowMs(), settings);
      ended = requeued + missed;
      if (ended === 0) break;
      deps.count(requeued, missed);
      deps.log.info({ requeued, missed }, "ended expired leases and waits");
    }
    return turnMs;
  }

  return loop("reaper", turn, (error) => {
    deps.log.error({ err: error }, "ending leases failed");
    return 5_000;
  });
}

/** A lease must be acknowledged by the heartbeat after it; half an interval is left for the way. */
function acknowledgeMs(heartbeatMs: number): number {
  return Math.max(defaultLeaseLimits.acknowledgeMs, heartbeatMs * 1.5);
}
