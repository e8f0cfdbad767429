import type { AlertMessage } from "#domain/alerting/alert-message.ts";
import { oneLine } from "#domain/alerting/plain-text.ts";
import type { ChannelHttp } from "../../outgoing/http-client.ts";
import { deliverAll, deliverByHttp } from "../../outgoing/http-outcome.ts";
import type { ChannelSender, OpenConfig } from "./channel-sender.ts";

/** Events API v2: one incident for each check, opened and resolved under one key, so a repetition changes nothing. */
export function pagerdutySender(http: ChannelHttp, apiUrl: URL): ChannelSender<OpenConfig<"PAGERDUTY">> {
  return {
    send({ serviceKey }, message, _deliveryId, signal) {
      const events = [eventOf(message), ...message.resolves.map((key) => ({ event_action: "resolve", dedup_key: key }))];
      return deliverAll(events, (event) => {
        const body = JSON.stringify({ routing_key: serviceKey, ...event });
        const call = { method: "POST", url: new URL("v2/enqueue", apiUrl), headers: { "content-type": "application/json" }, body } as const;
        return deliverByHttp(http, { call, secrets: [serviceKey] }, signal);
      });
    },
  };
}

function eventOf(message: AlertMessage) {
  return {
    event_action: message.severity === "resolved" ? "resolve" : "trigger",
    dedup_key: message.dedupKey,
    client: "Outpost",
    ...(message.link !== null && { client_url: message.link, links: [{ href: message.link, text: "Result" }] }),
    payload: {
      summary: oneLine(message.title, 1024),
      source: message.source,
      severity: { critical: "critical", warning: "warning", resolved: "info" }[message.severity],
      timestamp: new Date(message.atMs).toISOString(),
      custom_details: Object.fromEntries(message.facts.map(({ name, value }) => [name, value])),
    },
  };
}
