import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { AnalyticsStore } from "../storage/storage.ts";

/** Hours of checks, or days, of one turn: some 40 ms of work. */
const periodsOfTurn = 150;
const deletedOfTurn = 5_000;
const idleMs = 20_000;
/** Between turns that have more to do: at least so long, and so many times what the turn took, so that figures never hold up ingest. */
const breathMs = 150;
const breathsOfTurn = 4;

/** Keeps the figures of hours and days up to date with the results, and removes those past ROLLUPS_KEEP_DAYS. */
export function createRollups(deps: {
  readonly analytics: Pick<AnalyticsStore, "compact" | "pruneRollups">;
  readonly keepMs: number;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  async function turn(): Promise<number> {
    const startedMs = deps.nowMs();
    const more =
      (await deps.analytics.compact(startedMs, periodsOfTurn)) ||
      (await deps.analytics.pruneRollups(startedMs - deps.keepMs, deletedOfTurn));
    return more ? Math.max(breathMs, breathsOfTurn * (deps.nowMs() - startedMs)) : idleMs;
  }

  return loop("rollups", turn, (error) => {
    deps.log.error({ err: error }, "updating aggregates failed");
    return 60_000;
  });
}
