import type { AlertMessage } from "#domain/alerting/alert-message.ts";
import { oneLine } from "#domain/alerting/plain-text.ts";
import type { ChannelSender, OpenConfig } from "./channel-sender.ts";
import type { ChannelHttp, HttpCall } from "./http-client.ts";
import { deliverByHttp } from "./http-outcome.ts";

/** Base addresses by region. */
export type OpsgenieUrls = Readonly<Record<"US" | "EU", URL>>;

type OpsgenieConfig = OpenConfig<"OPSGENIE">;

/** Alerts found again by their alias: created while the check fails, closed when it recovers. */
export function opsgenieSender(http: ChannelHttp, urls: OpsgenieUrls): ChannelSender<OpsgenieConfig> {
  return {
    send: (config, message, deliveryId, signal) =>
      deliverByHttp(http, { call: callOf(config, urls[config.region], message, deliveryId), secrets: [config.apiKey] }, signal),
  };
}

function callOf({ apiKey, priority }: OpsgenieConfig, base: URL, message: AlertMessage, deliveryId: string): HttpCall {
  const headers = { "content-type": "application/json", authorization: `GenieKey ${apiKey}` };
  const alias = message.dedupKey;
  if (message.severity === "resolved") {
    const url = new URL(`v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`, base);
    return { method: "POST", url, headers, body: JSON.stringify({ source: "Outpost", note: oneLine(message.title, 25_000) }) };
  }
  const details = Object.fromEntries(message.facts.map(({ name, value }) => [name, value]));
  const alert = {
    message: oneLine(message.title, 130),
    alias,
    description: message.text.slice(0, 15_000),
    entity: message.source,
    source: "Outpost",
    priority,
    tags: message.tags.slice(0, 20).map((tag) => oneLine(tag, 50)),
    details: { ...details, delivery: deliveryId },
  };
  return { method: "POST", url: new URL("v2/alerts", base), headers, body: JSON.stringify(alert) };
}
