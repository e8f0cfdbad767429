import { Counter, Gauge, type Registry } from "prom-client";
import type { AlertChannelType } from "#contract/alert-channels.ts";
import type { CheckAlertType } from "#contract/check-alerts.ts";
import type { NextStep } from "#domain/alerting/delivery-plan.ts";
import type { AlertDeliveryStore } from "../storage/storage.ts";

/** What the notifier counts. */
export interface AlertMetrics {
  readonly countAlerts: (types: readonly CheckAlertType[]) => void;
  /** One attempt, and what comes after it. */
  readonly countDelivery: (channel: AlertChannelType, outcome: NextStep["kind"]) => void;
  /** Channels of this process that get nothing for now, as their receivers are down. */
  readonly setOpenBreakers: (count: number) => void;
}

export function addAlertMetrics(
  registers: Registry[],
  deps: { readonly alertDeliveries: Pick<AlertDeliveryStore, "backlog">; readonly nowMs: () => number },
): AlertMetrics {
  const alerts = new Counter({ name: "outpost_alerts_total", help: "Alerts of checks, by type", labelNames: ["type"], registers });
  const deliveries = new Counter({
    name: "outpost_alert_deliveries_total",
    help: "Attempts to tell a channel: delivered, again (it is repeated later) or given_up",
    labelNames: ["channel", "outcome"],
    registers,
  });
  const breakers = new Gauge({
    name: "outpost_alert_breakers_open",
    help: "Channels whose receivers are down, so that nothing is sent to them for now",
    registers,
  });
  addBacklog(registers, deps);
  return {
    countAlerts: (types) => types.forEach((type) => alerts.inc({ type })),
    countDelivery: (channel, outcome) => deliveries.inc({ channel, outcome }),
    setOpenBreakers: (count) => breakers.set(count),
  };
}

/** Read from the store when asked for, so that it is true for all processes together. */
function addBacklog(registers: Registry[], { alertDeliveries, nowMs }: Parameters<typeof addAlertMetrics>[1]): void {
  const oldest = new Gauge({
    name: "outpost_alert_deliveries_oldest_seconds",
    help: "Age of the oldest alert that a channel is still to be told of",
    registers,
  });
  const waiting: Gauge = new Gauge({
    name: "outpost_alert_deliveries_waiting",
    help: "Alerts that channels are still to be told of, one for each channel",
    registers,
    async collect() {
      const now = nowMs();
      const backlog = await alertDeliveries.backlog();
      waiting.set(backlog.waiting);
      oldest.set(Math.max(0, now - (backlog.oldestMs ?? now)) / 1_000);
    },
  });
}
