import { defaultRetryHours } from "#contract/alert-channels.ts";
import type { Telemetry } from "#daemon/telemetry/telemetry.ts";
import { type NextStep, stepAfter } from "#domain/alerting/delivery-plan.ts";
import type { ChannelBudget } from "#domain/alerting/digest-plan.ts";
import { fairPlaces, type Placed, type PlaceLimits } from "#domain/alerting/fair-places.ts";
import type { StoredChannel } from "../kinds/alert-channel.ts";
import type { AlertDeliveryStore, DeliveryRecord, DocumentStore, ToldDelivery, WaitingChannel } from "../storage/storage.ts";
import type { AlertMetrics } from "./alert-metrics.ts";
import { recordAlerts } from "./alert-spans.ts";
import { ChannelMemory, type ReadyChannel } from "./channel-memory.ts";
import { claimMs, whileClaimed } from "./claimed-work.ts";
import { type AttemptDeps, attemptDelivery, recordOf } from "./delivery-attempt.ts";

export interface TellingDeps extends AttemptDeps {
  readonly alertDeliveries: Pick<AlertDeliveryStore, "claim" | "renew" | "told" | "settle">;
  readonly documents: Pick<DocumentStore, "find">;
  readonly budget: ChannelBudget;
  readonly metrics: AlertMetrics;
  /** Absent where nobody is told. */
  readonly telemetry?: Pick<Telemetry, "traces">;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

/** Tells channels, each in its own order and at its own pace. */
export interface Telling {
  /** Begins with those that have a place now. */
  readonly begin: (waiting: readonly WaitingChannel[]) => void;
  /** What is being sent may end; what the deadline cuts is sent again by whoever comes next. */
  readonly stop: (deadline: AbortSignal) => Promise<void>;
}

/** Channels that are told at the same moment; one that hangs holds one of these places, and its breaker takes it back. */
const placeLimits: PlaceLimits = { total: 200, account: 20, slow: 10 };
/** @param onTold something else may wait for the channel, or for its place */
export function createTelling(deps: TellingDeps, onTold: () => void): Telling {
  const { alertDeliveries, documents, metrics, nowMs, monotonicMs, log } = deps;
  const memory = new ChannelMemory(deps.budget);
  const busy = new Map<number, Placed & { readonly work: Promise<void> }>();
  const stopping = new AbortController();

  async function tell({ channelId, accountId, count }: ReadyChannel): Promise<void> {
    const claimed = await alertDeliveries.claim(channelId, count, nowMs(), nowMs() + claimMs);
    const channel = await documents.find<StoredChannel>(accountId, "alert-channel", { id: channelId });
    // Deleted meanwhile, or told by another process.
    if (claimed === undefined || channel === undefined) return;
    const { attempts, deliveryId, waitedMs } = claimed;
    const beganMs = monotonicMs();
    const beganAtMs = nowMs();
    const { told, outcome } = await whileClaimed(deps, { channelId, ...claimed }, stopping.signal, (signal) =>
      attemptDelivery(deps, channel, claimed, signal),
    );
    memory.remember(channelId, { attempts, outcome, tookMs: monotonicMs() - beganMs }, monotonicMs());
    const retryForMs = (channel.definition.retryHours ?? defaultRetryHours) * 3_600_000;
    const tookMs = monotonicMs() - beganMs;
    const step = stepAfter(outcome, { attempts, waitedMs: waitedMs + tookMs, retryForMs });
    const record = recordOf(channel, told, outcome, nowMs());
    await alertDeliveries.settle(deliveryId, record, { attempts, step, retryForMs });
    metrics.countDelivery(record.channelType, step.kind);
    const { channelType } = record;
    const { alerts } = told;
    const about = { channelType, deliveryId, attempts, alerts, isDelivered: outcome.ok, beganMs: beganAtMs, endedMs: nowMs() };
    recordAlerts(deps.telemetry?.traces ?? null, about);
    logStep(step, record, told, attempts);
    onTold();
  }

  function logStep(step: NextStep, { channelId, channelType: type }: DeliveryRecord, told: ToldDelivery, attempts: number): void {
    const about = { channelId, type, alerts: told.alerts.length, notices: told.notices.length, attempts };
    if (step.kind === "given_up") log.warn({ ...about, because: step.because }, "gave up an alert delivery");
    else log.debug({ ...about, step: step.kind }, "attempted an alert delivery");
  }

  return {
    begin(waiting) {
      const free = waiting.filter(({ channelId }) => !busy.has(channelId));
      for (const one of fairPlaces(memory.ready(free, monotonicMs()), [...busy.values()], placeLimits)) {
        const { channelId, accountId, isSlow } = one;
        const work = tell(one)
          .catch((error: unknown) => log.error({ err: error, channelId }, "alert delivery failed; retrying"))
          .finally(() => busy.delete(channelId));
        busy.set(channelId, { accountId, isSlow, work });
      }
      metrics.setOpenBreakers(memory.openBreakers(monotonicMs()));
    },
    async stop(deadline) {
      const cut = (): void => stopping.abort(deadline.reason);
      if (deadline.aborted) cut();
      else deadline.addEventListener("abort", cut, { once: true });
      await Promise.all([...busy.values()].map(({ work }) => work));
      deadline.removeEventListener("abort", cut);
    },
  };
}
