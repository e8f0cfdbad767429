import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { ClockStore } from "../storage/storage.ts";

interface ClockWatchDeps {
  readonly clock: ClockStore;
  readonly steps: ClockSteps;
  readonly log: Logger;
}

/** What the wall clock of this process did. */
export interface ClockSteps {
  readonly note: (stepMs: number) => void;
  /** For `/health`; null: it did not step. */
  readonly last: () => { readonly at: string; readonly seconds: number } | null;
}

/** So much of the installation's clock is lost where the wall clock is set back while nobody runs. */
const keepEveryMs = 5_000;

/** Keeps the clock that waits end by, and tells of each step of the wall clock once. */
export function clockWatch({ clock, steps, log }: ClockWatchDeps): Service {
  async function turn(): Promise<number> {
    const stepMs = await clock.keep();
    if (stepMs !== 0) {
      steps.note(stepMs);
      log.warn({ stepSeconds: stepMs / 1_000 }, "the wall clock stepped; waits go on as if it had not, what people see follows it");
    }
    return keepEveryMs;
  }

  return loop("installation's clock", turn, (error) => {
    log.warn({ err: error }, "could not store the installation clock; retrying");
    return keepEveryMs;
  });
}

/** @param count counts each step by its direction */
export function createClockSteps(nowMs: () => number, count: (direction: "forward" | "back") => void): ClockSteps {
  let last: ReturnType<ClockSteps["last"]> = null;
  return {
    note(stepMs) {
      last = { at: new Date(nowMs()).toISOString(), seconds: stepMs / 1_000 };
      count(stepMs > 0 ? "forward" : "back");
    },
    last: () => last,
  };
}
