import type { ProxySettings } from "#daemon/proxy.ts";
import type { Service } from "#daemon/service.ts";
import type { MailDeps } from "../../mail/deliver-mail.ts";
import { createEgress } from "../../outgoing/egress.ts";
import { type ChannelHttp, createChannelHttp } from "../../outgoing/http-client.ts";
import type { ChannelSenders } from "./channel-sender.ts";
import { emailSender } from "./email.ts";
import { opsgenieSender } from "./opsgenie.ts";
import { pagerdutySender } from "./pagerduty.ts";
import type { ChannelSettings } from "./settings.ts";
import { slackAppSender, slackSender } from "./slack.ts";
import { callSender, smsSender } from "./twilio.ts";
import { webhookSender } from "./webhook.ts";

/** Holds connections for as long as it lives. */
export interface SenderService extends Service {
  readonly senders: ChannelSenders;
  readonly mail: MailDeps;
  /** For addresses that the operator set. */
  readonly ofServices: ChannelHttp;
}

/**
 * The senders of an installation. Addresses that users wrote obey `WEBHOOK_EGRESS`; those of services that the operator set may lie in private
 * networks, where relays and gateways do. Metadata addresses are denied to both.
 * Both go through the proxies of the installation.
 */
export function createSenders(settings: ChannelSettings, proxies: ProxySettings, nowMs: () => number): SenderService {
  const ofUsers = createChannelHttp({ egress: createEgress(settings.egress), proxies, nowMs });
  const own = createEgress({ mode: "default", allowCidrs: [] });
  const ofServices = createChannelHttp({ egress: own, proxies, nowMs });
  const mail = { smtp: settings.smtp, egress: own };
  const senders: ChannelSenders = {
    EMAIL: emailSender(mail),
    WEBHOOK: webhookSender({ http: ofUsers, nowMs, random: Math.random, uuid: () => crypto.randomUUID() }),
    SLACK: slackSender(ofUsers),
    SLACK_APP: slackAppSender(ofServices, settings.slackApp),
    SMS: smsSender(ofServices, settings.twilio),
    CALL: callSender(ofServices, settings.twilio),
    PAGERDUTY: pagerdutySender(ofServices, settings.pagerdutyUrl),
    OPSGENIE: opsgenieSender(ofServices, settings.opsgenieUrls),
  };
  const clients: readonly ChannelHttp[] = [ofUsers, ofServices];
  return {
    name: "alert channels",
    senders,
    mail,
    ofServices,
    start: () => Promise.resolve(),
    stop: async () => void (await Promise.all(clients.map((client) => client.close()))),
  };
}
