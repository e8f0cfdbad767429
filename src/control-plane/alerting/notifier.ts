import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import type { WorkReport } from "#daemon/work-report.ts";
import { wantsAlert } from "#domain/alerting/channel-switches.ts";
import type { AlertDeliveryStore, ExpandLimits, StorageSignals } from "../storage/storage.ts";
import { createTelling, type TellingDeps } from "./telling.ts";

export interface NotifierDeps extends TellingDeps {
  readonly alertDeliveries: AlertDeliveryStore;
  readonly signals: Pick<StorageSignals, "onAlerts">;
  readonly report: WorkReport;
  /** Longest rest between two looks: how late a repetition may be, and an alert whose signal was lost. */
  readonly restMs?: number;
}

/** What is stored so soon after an alert is told with it: a storm is one message, not ten. */
const gatherMs = 25;
/** 5,000 deliveries for channels with large templates take SQLite 0.1 s, PostgreSQL 0.3 s: so long an account may hold up the others. */
const expandLimits: ExpandLimits = { alerts: 500, deliveries: 5_000 };

/**
 * Tells channels of alerts and of locations without data: none waits for one of another account. At least once: an attempt is claimed before and
 * recorded after it, and repeated under the same delivery id where the record is missing.
 */
export function createNotifier(deps: NotifierDeps): Service {
  const { alertDeliveries, metrics, nowMs, report, log, restMs = 500 } = deps;
  let woken = new AbortController();
  const wake = (afterMs: number): void => woken.abort(afterMs);
  const telling = createTelling(deps, () => wake(0));

  async function turn(signal: AbortSignal): Promise<number> {
    woken = new AbortController();
    const { types, isMore } = await alertDeliveries.expand(nowMs(), expandLimits, wantsAlert);
    metrics.countAlerts(types);
    if (types.length > 0) log.debug({ alerts: types.length }, "queued alerts for delivery");
    telling.begin(await alertDeliveries.waiting(nowMs()));
    report.worked();
    if (isMore) return 0;
    await sleep(restMs, AbortSignal.any([signal, woken.signal]));
    return woken.signal.aborted ? Number(woken.signal.reason) : 0;
  }

  const turns = loop("notifier", turn, (error) => {
    report.failed(error);
    log.error({ err: error }, "looking for alerts to send failed; retrying");
    return 1_000;
  });
  let unsubscribe = (): void => {};
  return {
    name: "notifier",
    async start() {
      unsubscribe = deps.signals.onAlerts(() => wake(gatherMs));
      await turns.start();
    },
    async stop(deadline) {
      unsubscribe();
      await turns.stop(deadline);
      await telling.stop(deadline);
    },
  };
}
