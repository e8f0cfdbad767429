import { withDeadline } from "#daemon/deadline.ts";
import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import { wantsAlert } from "#domain/alerting/channel-switches.ts";
import { type DeliveryOutcome, type NextStep, stepAfter } from "#domain/alerting/delivery-plan.ts";
import { messageOf } from "#domain/alerting/digest-message.ts";
import type { ChannelBudget } from "#domain/alerting/digest-plan.ts";
import { hasCode } from "#domain/app-error.ts";
import type { Sealing } from "../keys/sealing.ts";
import type { StoredChannel } from "../kinds/alert-channel.ts";
import { loggedConfig } from "../secrets/channel-secrets.ts";
import type {
  AlertDeliveryStore,
  ClaimedDelivery,
  DeliveryRecord,
  DocumentRow,
  DocumentStore,
  StorageSignals,
  WaitingChannel,
} from "../storage/storage.ts";
import { factsOfAlert, resultIdOf } from "./alert-facts.ts";
import type { AlertMetrics } from "./alert-metrics.ts";
import { ChannelMemory } from "./channel-memory.ts";
import type { ChannelSenders } from "./channels/channel-sender.ts";
import { sendToChannel } from "./channels/send-to-channel.ts";

export interface NotifierDeps {
  readonly alertDeliveries: AlertDeliveryStore;
  readonly documents: Pick<DocumentStore, "find">;
  readonly signals: Pick<StorageSignals, "onAlerts">;
  readonly senders: ChannelSenders;
  readonly sealing: Sealing;
  readonly budget: ChannelBudget;
  readonly metrics: AlertMetrics;
  readonly publicUrl: () => string;
  readonly nowMs: () => number;
  readonly log: Logger;
  /** Longest rest between two looks: how late a repetition may be, and an alert whose signal was lost. */
  readonly restMs?: number;
}

/** What is stored so soon after an alert is told with it: a storm is one message, not ten. */
const gatherMs = 25;
const batchSize = 500;
/** Channels that are told at the same moment; one that hangs holds one of these places, and its breaker takes it back. */
const maxAtOnce = 200;
const sendMs = 60_000;
/** Longer than sending may take: who lets it pass is gone, and somebody else sends again under the same id. */
const claimMs = 120_000;

/**
 * Tells channels of alerts and of locations without data, each in its own order and at its own pace: none waits for another. At least once: an attempt is claimed before and
 * recorded after it, and repeated under the same delivery id where the record is missing.
 */
export function createNotifier(deps: NotifierDeps): Service {
  const { alertDeliveries, metrics, nowMs, log, restMs = 500 } = deps;
  const memory = new ChannelMemory(deps.budget);
  const busy = new Map<number, Promise<void>>();
  const stopping = new AbortController();
  let woken = new AbortController();
  const wake = (afterMs: number): void => woken.abort(afterMs);

  async function turn(signal: AbortSignal): Promise<number> {
    woken = new AbortController();
    const expanded = await alertDeliveries.expand(nowMs(), batchSize, wantsAlert);
    metrics.countAlerts(expanded);
    if (expanded.length > 0) log.debug({ alerts: expanded.length }, "alerts are on their way to channels");
    for (const channel of await alertDeliveries.waiting(nowMs())) {
      const count = busy.has(channel.channelId) ? 0 : memory.countFor(channel, nowMs());
      if (count === 0 || busy.size >= maxAtOnce) continue;
      const work = tell(channel, count)
        .catch((error: unknown) => log.error({ err: error, channelId: channel.channelId }, "telling a channel failed; trying again"))
        .finally(() => busy.delete(channel.channelId));
      busy.set(channel.channelId, work);
    }
    metrics.setOpenBreakers(memory.openBreakers(nowMs()));
    if (expanded.length === batchSize) return 0;
    await sleep(restMs, AbortSignal.any([signal, woken.signal]));
    return woken.signal.aborted ? Number(woken.signal.reason) : 0;
  }

  async function tell({ channelId, accountId }: WaitingChannel, count: number): Promise<void> {
    const claimed = await alertDeliveries.claim(channelId, count, nowMs(), nowMs() + claimMs);
    const channel = await deps.documents.find<StoredChannel>(accountId, "alert-channel", { id: channelId });
    // Deleted meanwhile, or told by another process.
    if (claimed === undefined || channel === undefined) return;
    const outcome = await send(deps, channel, claimed, stopping.signal);
    memory.remember(channelId, claimed.attempts, outcome, nowMs());
    const step = stepAfter(outcome, claimed.attempts, nowMs());
    const record = recordOf(channel, claimed, outcome, nowMs());
    await alertDeliveries.settle(claimed.deliveryId, record, step.kind === "again" ? step.dueAtMs : null);
    metrics.countDelivery(record.channelType, step.kind);
    logStep(log, step, record, claimed);
    // Something else may wait for it.
    wake(0);
  }

  const turns = loop("notifier", turn, (error) => {
    log.error({ err: error }, "looking for alerts to send failed; trying again");
    return 1_000;
  });
  let unsubscribe = (): void => {};
  return {
    name: "notifier",
    async start() {
      unsubscribe = deps.signals.onAlerts(() => wake(gatherMs));
      await turns.start();
    },
    /** What is being sent may end; what the deadline cuts is sent again by whoever comes next. */
    async stop(deadline) {
      unsubscribe();
      await turns.stop(deadline);
      const cut = (): void => stopping.abort(deadline.reason);
      if (deadline.aborted) cut();
      else deadline.addEventListener("abort", cut, { once: true });
      await Promise.all(busy.values());
      deadline.removeEventListener("abort", cut);
    },
  };
}

function logStep(log: Logger, step: NextStep, { channelId, channelType: type }: DeliveryRecord, claimed: ClaimedDelivery): void {
  const told = { channelId, type, alerts: claimed.alerts.length, notices: claimed.notices.length, attempts: claimed.attempts };
  if (step.kind === "given_up") log.warn({ ...told, because: step.because }, "a channel could not be told");
  else log.debug({ ...told, step: step.kind }, "a channel was told or will be asked again");
}

async function send(
  { publicUrl, ...deps }: NotifierDeps,
  channel: DocumentRow<StoredChannel>,
  { deliveryId, alerts, notices }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  try {
    const message = messageOf({ alerts: alerts.map((alert) => factsOfAlert(alert, publicUrl())), notices }, deliveryId);
    if (message === undefined) return { ok: true, status: "nothing is left to tell: the check was deleted" };
    return await withDeadline(signal, sendMs, "telling the channel", (bounded) =>
      sendToChannel(channel, deps, message, deliveryId, bounded),
    );
  } catch (error) {
    signal.throwIfAborted();
    const isLate = hasCode(error, "deadline_exceeded");
    if (!isLate) deps.log.error({ err: error, channelId: channel.id }, "a message could not be made");
    const status = isLate ? error.message : "not sent: an internal error, which the log of the control plane tells";
    return { ok: false, status, isRetryable: true, isReceiverDown: isLate };
  }
}

function recordOf(
  channel: DocumentRow<StoredChannel>,
  { alerts }: ClaimedDelivery,
  { ok, status }: DeliveryOutcome,
  sentAtMs: number,
): DeliveryRecord {
  return {
    accountId: channel.accountId,
    channelId: channel.id,
    channelType: channel.definition.type,
    config: loggedConfig(channel.definition.config),
    status: ok ? "SUCCESS" : "FAILURE",
    result: status,
    sentAtMs,
    alerts: alerts.map((alert) => ({ id: alert.id, checkResultId: resultIdOf(alert) ?? "" })),
  };
}
