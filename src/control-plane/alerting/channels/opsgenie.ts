import type { AlertMessage } from "#domain/alerting/alert-message.ts";
import { oneLine, shortened } from "#domain/alerting/plain-text.ts";
import type { ChannelHttp, HttpCall } from "../../outgoing/http-client.ts";
import { deliverAll, deliverByHttp } from "../../outgoing/http-outcome.ts";
import type { ChannelSender, OpenConfig } from "./channel-sender.ts";

/** Base addresses by region. */
export type OpsgenieUrls = Readonly<Record<"US" | "EU", URL>>;

type OpsgenieConfig = OpenConfig<"OPSGENIE">;

/** Alerts found again by their alias: created while the check fails, closed when it recovers. */
export function opsgenieSender(http: ChannelHttp, urls: OpsgenieUrls): ChannelSender<OpsgenieConfig> {
  return {
    send(config, message, deliveryId, signal) {
      const base = urls[config.region];
      const closings = message.resolves.map((alias) => closing(config, base, alias, message));
      return deliverAll([callOf(config, base, message, deliveryId), ...closings], (call) =>
        deliverByHttp(http, { call, secrets: [config.apiKey] }, signal),
      );
    },
  };
}

function headersOf({ apiKey }: OpsgenieConfig) {
  return { "content-type": "application/json", authorization: `GenieKey ${apiKey}` };
}

function closing(config: OpsgenieConfig, base: URL, alias: string, { title }: AlertMessage): HttpCall {
  const url = new URL(`v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`, base);
  return { method: "POST", url, headers: headersOf(config), body: JSON.stringify({ source: "Outpost", note: oneLine(title, 25_000) }) };
}

function callOf(config: OpsgenieConfig, base: URL, message: AlertMessage, deliveryId: string): HttpCall {
  const alias = message.dedupKey;
  if (message.severity === "resolved") return closing(config, base, alias, message);
  const details = Object.fromEntries(message.facts.map(({ name, value }) => [name, value]));
  const alert = {
    message: oneLine(message.title, 130),
    alias,
    description: shortened(message.text, 15_000),
    entity: message.source,
    source: "Outpost",
    priority: config.priority,
    tags: message.tags.slice(0, 20).map((tag) => oneLine(tag, 50)),
    details: { ...details, delivery: deliveryId },
  };
  return { method: "POST", url: new URL("v2/alerts", base), headers: headersOf(config), body: JSON.stringify(alert) };
}
