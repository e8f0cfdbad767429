import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { SilenceStore } from "../storage/storage.ts";

export interface SilenceWatchDeps {
  readonly silences: SilenceStore;
  readonly nowMs: () => number;
  readonly log: Logger;
}

const turnMs = 5_000;

/** Looks for locations whose agents went silent and for checks from which no data comes. The notifier tells channels of them. */
export function createSilenceWatch({ silences, nowMs, log }: SilenceWatchDeps): Service {
  const upSinceMs = nowMs();

  async function turn(): Promise<number> {
    const notices = await silences.look(nowMs(), upSinceMs);
    if (notices > 0) log.info({ notices }, "channels are told of locations or checks without data, or that they are back");
    return turnMs;
  }

  return loop("silence watch", turn, (error) => {
    log.error({ err: error }, "looking for locations without data failed; trying again");
    return turnMs;
  });
}
