import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { HeartbeatStore } from "../storage/storage.ts";

export interface HeartbeatSweeperDeps {
  readonly heartbeats: Pick<HeartbeatStore, "sweep" | "markAlive" | "resume" | "prune">;
  readonly nowMs: () => number;
  readonly resultsKeepMs: number;
  readonly log: Logger;
}

const turnMs = 1_000;
const batchSize = 500;
const markEveryMs = 2_000;
/** An outage is longer than what lies between two marks of a process that lives. */
const toleratedMs = 3 * markEveryMs;
const pruneEveryMs = 10 * 60_000;
const pruneSize = 20_000;

/**
 * Writes the alerts of heartbeats that stayed away, each second, and removes events that are older than RESULTS_KEEP_DAYS. After a start
 * or an error it first asks how long nobody was there: that time does not count, since nobody could be pinged.
 */
export function createHeartbeatSweeper({ heartbeats, nowMs, resultsKeepMs, log }: HeartbeatSweeperDeps): Service {
  let isResumed = false;
  let markedMs = Number.NEGATIVE_INFINITY;
  let pruneAtMs = Number.NEGATIVE_INFINITY;

  async function turn(signal: AbortSignal): Promise<number> {
    const now = nowMs();
    if (!isResumed) {
      const outageMs = await heartbeats.resume(now, toleratedMs);
      if (outageMs > 0) log.info({ outageMs }, "heartbeats were not checked for a while; extended their timers");
      isResumed = true;
      markedMs = now;
    }
    if (Math.abs(now - markedMs) >= markEveryMs) {
      await heartbeats.markAlive(now);
      markedMs = now;
    }
    for (let due = batchSize; due === batchSize && !signal.aborted; ) {
      due = await heartbeats.sweep(now, batchSize);
      if (due > 0) log.info({ due }, "heartbeats are missing");
    }
    if (now >= pruneAtMs) {
      const { more } = await heartbeats.prune(now - resultsKeepMs, pruneSize);
      pruneAtMs = more ? now : now + pruneEveryMs;
    }
    return turnMs;
  }

  return loop("heartbeats", turn, (error) => {
    isResumed = false;
    log.error({ err: error }, "checking heartbeats failed; retrying");
    return 5_000;
  });
}
