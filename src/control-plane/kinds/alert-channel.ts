import {
  type AlertChannelType,
  type AlertChannelWrite,
  type ChannelSubscription,
  type ChannelSubscriptionInput,
  defaultRetryHours,
  type ReadAlertChannel,
} from "#contract/alert-channels.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { Sealing } from "../keys/sealing.ts";
import { type ChannelOwner, channelOwner, type SealedConfig, sealedConfig, shownConfig } from "../secrets/channel-secrets.ts";
import type { SubscriptionRow, TargetChoice } from "../storage/storage.ts";
import { documentKind } from "./document-kind.ts";
import { instant, instantOrNull } from "./instants.ts";

/** What is stored of a channel; `autoSubscribe` is read by the store of subscriptions too. */
export type StoredChannel = Omit<AlertChannelWrite, "config" | "subscriptions" | "type" | "retryHours"> & {
  /** Absent of channels of earlier releases. */
  readonly retryHours?: number;
  readonly type: AlertChannelType;
  readonly config: SealedConfig;
};

/** An alert becomes a message for each that follows its check. */
const maxChannels = 1_000;

/** Subscriptions are rows of their own, written with the channel. */
export const alertChannelKind = documentKind<StoredChannel, ReadonlyMap<number, readonly SubscriptionRow[]>>()({
  kind: "alert-channel",
  create: (body, { account, sealing }, uuid) => ({ definition: storedChannel(body, sealing, channelOwner(account.id, uuid)) }),
  update: (body, { accountId, uuid, definition }, { sealing }) => ({
    definition: storedChannel(body, sealing, channelOwner(accountId, uuid), definition),
  }),
  store: {
    create: (channel, { subscriptions = [] }, { alertSubscriptions }) =>
      alertSubscriptions.createChannel(channel, targetsOf(subscriptions), maxChannels),
    update: (address, change, { subscriptions }, { account, alertSubscriptions, nowMs }) =>
      alertSubscriptions.updateChannel(account.id, address, change, subscriptions && targetsOf(subscriptions), nowMs),
  },
  related: (rows, { alertSubscriptions }) => alertSubscriptions.ofChannels(rows.map(({ id }) => id)),
  view({ id, uuid, accountId, definition, createdAtMs, updatedAtMs }, { sealing, mayWrite, secretsReadable }, subscriptions) {
    const { type, config, ...settings } = definition;
    const reader = { mayWrite, readsSecrets: mayWrite && secretsReadable };
    return {
      id,
      type,
      // Parsed with the schema of its type when it was written.
      config: shownConfig(config, sealing, channelOwner(accountId, uuid), reader) as ReadAlertChannel["config"],
      retryHours: defaultRetryHours,
      ...settings,
      subscriptions: (subscriptions.get(id) ?? []).map(subscriptionView),
      created_at: instant(createdAtMs),
      updated_at: instantOrNull(updatedAtMs),
      projectBindings: noProjectBindings,
    };
  },
  written(channel) {
    const { projectBindings: _, ...written } = channel;
    return written;
  },
});

function storedChannel(body: AlertChannelWrite, sealing: Sealing, owner: ChannelOwner, before?: StoredChannel): StoredChannel {
  const { subscriptions: _, config, ...rest } = body;
  return { ...rest, config: sealedConfig(config, sealing, owner, before?.type === rest.type ? before.config : undefined) };
}

function targetsOf(subscriptions: readonly ChannelSubscriptionInput[]): readonly TargetChoice[] {
  return subscriptions.map((subscription, index) => subscriptionTarget(subscription, `subscriptions[${index}].`));
}

/** @throws {AppError} invalid_input unless exactly one of the two is named */
export function subscriptionTarget({ checkId, groupId, activated }: Omit<ChannelSubscriptionInput, "id">, prefix = ""): TargetChoice {
  const [check, group] = [checkId ?? null, groupId ?? null];
  if (check !== null && group === null) return { target: { checkUuid: check.toLowerCase() }, activated };
  if (group !== null && check === null) return { target: { groupId: group }, activated };
  const message = `or groupId must be given, and not both; received ${check === null ? "neither" : "both"}`;
  throw invalidInput([{ path: `${prefix}checkId`, message }]);
}

export function subscriptionView({ id, checkUuid, groupId, activated }: SubscriptionRow): ChannelSubscription {
  return { id, checkId: checkUuid, groupId, activated };
}
