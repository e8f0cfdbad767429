import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { slackMs } from "../storage/installation-clock.ts";
import type { SilenceStore } from "../storage/storage.ts";

export interface SilenceWatchDeps {
  readonly silences: SilenceStore;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

const turnMs = 5_000;

/** Looks for locations whose agents went silent and for checks from which no data comes. The notifier tells channels of them. */
export function createSilenceWatch({ silences, nowMs, monotonicMs, log }: SilenceWatchDeps): Service {
  let upSinceMs = nowMs();
  let aheadMs = nowMs() - monotonicMs();

  /** What was heard before a step of the wall clock says nothing about how long ago that was: waits begin anew. */
  function lookForStep(): void {
    const nowAheadMs = nowMs() - monotonicMs();
    if (Math.abs(nowAheadMs - aheadMs) > slackMs) upSinceMs = nowMs();
    aheadMs = nowAheadMs;
  }

  async function turn(): Promise<number> {
    lookForStep();
    const notices = await silences.look(nowMs(), upSinceMs);
    if (notices > 0) log.info({ notices }, "queued notices about locations or checks without data");
    return turnMs;
  }

  return loop("silence watch", turn, (error) => {
    log.error({ err: error }, "looking for locations without data failed; retrying");
    return turnMs;
  });
}
