import { type getAlertChannel, listAlertChannels } from "#contract/alert-channels.ts";
import type { OutputOf } from "#contract/operation.ts";
import { channelTexts as texts } from "../../texts/channels.ts";
import type { Ask } from "../ask.ts";
import type { Visit } from "../visit.ts";

/** A channel as it is read over REST. */
export type ChannelRead = OutputOf<typeof getAlertChannel>;

type Configured = Pick<ChannelRead, "type"> & { readonly config: Readonly<Record<string, unknown>> };

/** What people call a channel: the name that it was given, or where it sends to. */
export function channelName({ type, config }: Configured): string {
  const { name, serviceName, channel } = config;
  const given = [name, serviceName, channel].find((one) => typeof one === "string" && one !== "");
  return typeof given === "string" ? given : channelTarget({ type, config }) || texts.types[type];
}

/** Where a channel sends to. Of an address that lets whoever knows it post, the host alone. */
export function channelTarget({ type, config }: Configured): string {
  const text = (name: string): string => (typeof config[name] === "string" ? config[name] : "");
  switch (type) {
    case "EMAIL":
      return text("address");
    case "SLACK":
    case "WEBHOOK":
      return hostOf(text("url"));
    case "SLACK_APP":
      return Array.isArray(config["slackChannels"]) ? config["slackChannels"].join(", ") : "";
    case "SMS":
    case "CALL":
      return text("number");
    case "PAGERDUTY":
      return text("account");
    case "OPSGENIE":
      return [text("region"), text("priority")].filter((one) => one !== "").join(", ");
    default:
      return type satisfies never;
  }
}

/** The address is a template, so it may be none yet. */
function hostOf(url: string): string {
  return /^https?:\/\/([^/?#@]*@)?([^/?#]*)/i.exec(url)?.[2] ?? url.replace(/[/?#].*$/s, "");
}

/** All channels of the account, the oldest first. */
export async function allChannels(ask: Ask, visit: Visit): Promise<readonly ChannelRead[]> {
  const channels: ChannelRead[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await ask(visit, listAlertChannels, { query: { limit: "100", page: String(page) } });
    channels.push(...items);
    if (items.length === 0 || channels.length >= total) return channels;
  }
}
