import type { z } from "zod";
import type { EmailConfig, SlackConfig, SmsConfig, WebhookConfig } from "#contract/alert-channel-configs.ts";
import type { AlertChannelType } from "#contract/alert-channels.ts";
import type { CheckAlertChannels } from "#contract/checks/check.ts";
import type { Sealing } from "../keys/sealing.ts";
import type { StoredChannel } from "../kinds/alert-channel.ts";
import { channelOwner, shownConfig } from "../secrets/channel-secrets.ts";
import type { AlertSubscriptionStore, ChannelChoice, CheckDefinition, CheckRow, DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface CheckChannelDeps {
  readonly alertSubscriptions: Pick<AlertSubscriptionStore, "ofChecks">;
  readonly documents: Pick<DocumentStore, "byIds">;
  readonly sealing: Pick<Sealing, "unseal">;
}

/** Whom a check alerts, as its view tells it (spec 2.7, 2.8). */
export interface ChannelsOfCheck {
  readonly alertChannelSubscriptions: readonly ChannelChoice[];
  /** Those of the activated subscriptions, of the types that it has a member for. */
  readonly alertChannels: CheckAlertChannels;
}

/** The channels of an account's checks, in two look-ups however many they are. */
export async function channelsOfChecks(
  { alertSubscriptions, documents, sealing }: CheckChannelDeps,
  accountId: number,
  rows: readonly CheckRow[],
  mayWrite: boolean,
): Promise<(row: CheckRow) => ChannelsOfCheck> {
  const choices =
    rows.length === 0 ? new Map<number, readonly ChannelChoice[]>() : await alertSubscriptions.ofChecks(rows.map(({ id }) => id));
  const ids = new Set([...choices.values()].flat().flatMap(({ alertChannelId, activated }) => (activated ? alertChannelId : [])));
  const channels = ids.size === 0 ? [] : await documents.byIds<StoredChannel>(accountId, "alert-channel", [...ids]);
  const byId = new Map(channels.map((channel) => [channel.id, memberOf(channel, sealing, mayWrite)]));
  return ({ id }) => {
    const alertChannelSubscriptions = choices.get(id) ?? [];
    const activated = alertChannelSubscriptions.filter((choice) => choice.activated);
    return { alertChannelSubscriptions, alertChannels: joined(activated.flatMap(({ alertChannelId }) => byId.get(alertChannelId) ?? [])) };
  };
}

/** A definition without its subscriptions: they are kept in a relation, which channels write too. */
export function withoutSubscriptions(definition: CheckDefinition): CheckDefinition {
  const { alertChannelSubscriptions: _, ...rest } = definition;
  return rest;
}

/** The fields of all configurations; each type has some of them, as its schema saw to. */
type AnyConfig = z.output<typeof EmailConfig> & z.output<typeof SlackConfig> & z.output<typeof SmsConfig> & z.output<typeof WebhookConfig>;

const members: Partial<Record<AlertChannelType, (config: AnyConfig) => Partial<CheckAlertChannels>>> = {
  EMAIL: ({ address }) => ({ email: [{ address }] }),
  SLACK: ({ url }) => ({ slack: [{ url }] }),
  SMS: ({ number, name }) => ({ sms: [{ number, name }] }),
  WEBHOOK: ({ name, url, method, headers, queryParameters }) => ({ webhook: [{ name, url, method, headers, queryParameters }] }),
};

/** Nothing for the types that a check's view does not show. */
function memberOf(
  { accountId, uuid, definition: { type, config } }: DocumentRow<StoredChannel>,
  sealing: Pick<Sealing, "unseal">,
  mayWrite: boolean,
): Partial<CheckAlertChannels> {
  return (
    members[type]?.(
      shownConfig(config, sealing, channelOwner(accountId, uuid), { mayWrite, readsSecrets: false }) as unknown as AnyConfig,
    ) ?? {}
  );
}

function joined(parts: readonly Partial<CheckAlertChannels>[]): CheckAlertChannels {
  return {
    email: parts.flatMap(({ email = [] }) => email),
    webhook: parts.flatMap(({ webhook = [] }) => webhook),
    slack: parts.flatMap(({ slack = [] }) => slack),
    sms: parts.flatMap(({ sms = [] }) => sms),
  };
}
