import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { AnalyticsStore } from "./storage/storage.ts";

/** Hours of checks, or days, of one turn: some 40 ms of work. */
export const periodsOfTurn = 150;
const deletedOfTurn = 5_000;
const idleMs = 20_000;
/** Between turns that have more to do, so that figures never hold up ingest: 600 hours of checks are computed in a second. */
export const breathMs = 200;

/** Keeps the figures of hours and days up to date with the results, and removes those past ROLLUPS_KEEP_DAYS. */
export function createRollups(deps: {
  readonly analytics: Pick<AnalyticsStore, "compact" | "pruneRollups">;
  readonly keepMs: number;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  async function turn(): Promise<number> {
    if (await deps.analytics.compact(deps.nowMs(), periodsOfTurn)) return breathMs;
    return (await deps.analytics.pruneRollups(deps.nowMs() - deps.keepMs, deletedOfTurn)) ? breathMs : idleMs;
  }

  return loop("rollups", turn, (error) => {
    deps.log.error({ err: error }, "bringing the figures of results up to date failed");
    return 60_000;
  });
}
