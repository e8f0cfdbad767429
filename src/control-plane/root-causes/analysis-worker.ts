import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import { hasCode } from "#domain/app-error.ts";
import type { AnalysisRow, AnalysisStore, StorageSignals } from "../storage/storage.ts";
import { type AnalyseDeps, analyse } from "./analyse.ts";
import { type AlertAskDeps, createAlertAsking } from "./ask-for-alerts.ts";

export interface AnalysisWorkerDeps extends AnalyseDeps, AlertAskDeps {
  readonly analyses: AnalysisStore;
  readonly signals: Pick<StorageSignals, "onAlerts">;
  readonly log: Logger;
  /** Longest rest between two looks: what another process was asked for waits no longer. */
  readonly restMs?: number;
}

export interface AnalysisWorker extends Service {
  /** Something was asked for in this process. */
  readonly wake: () => void;
}

/** Longer than any analysis takes, a model's answer included: one that is still claimed then belongs to a process that is gone. */
const claimMs = 5 * 60_000;
/** A model may be slow, and must not keep all others waiting. */
const [atOnce, attemptsAtMost] = [4, 3];

/** Makes the analyses that were asked for, and asks for those of alerts. Any number of processes share the work. */
export function createAnalysisWorker(deps: AnalysisWorkerDeps): AnalysisWorker {
  const { analyses, signals, nowMs, log, restMs = 2_000 } = deps;
  const askForAlerts = createAlertAsking(deps);
  let woken = new AbortController();
  const wake = (): void => woken.abort();

  async function turn(signal: AbortSignal): Promise<number> {
    woken = new AbortController();
    const looked = await askForAlerts();
    const rows = await analyses.claim(nowMs(), claimMs, atOnce);
    await Promise.all(rows.map((row) => one(row, signal)));
    if (rows.length > 0 || looked > 0) return 0;
    await sleep(restMs, AbortSignal.any([signal, woken.signal]));
    return 0;
  }

  async function one(row: AnalysisRow, signal: AbortSignal): Promise<void> {
    const { uuid, attempts } = row;
    try {
      await analyses.end(uuid, "COMPLETED", await analyse(deps, row, signal));
    } catch (error) {
      if (signal.aborted) return; // another process goes on with it
      const isExpected = hasCode(error, "not_found");
      if (!isExpected) log.error({ err: error, analysis: uuid, attempts }, "a root-cause analysis failed");
      if (isExpected || attempts >= attemptsAtMost) await analyses.end(uuid, "FAILED", null);
    }
  }

  const turns = loop("root-cause analyses", turn, (error) => {
    log.error({ err: error }, "looking for due root-cause analyses failed; retrying");
    return 5_000;
  });
  let unsubscribe = (): void => {};
  return {
    name: "root-cause analyses",
    wake,
    async start() {
      unsubscribe = signals.onAlerts(wake);
      await turns.start();
    },
    async stop(deadline) {
      unsubscribe();
      await turns.stop(deadline);
    },
  };
}
