import {
  type AlertChannel,
  type AlertChannelWrite,
  type ChannelSubscription,
  type ChannelSubscriptionInput,
  createAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
  listAlertChannels,
  type ReadAlertChannel,
  subscribeAlertChannel,
  testAlertChannel,
  updateAlertChannel,
} from "#contract/alert-channels.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { sampleMessage } from "#domain/alerting/sample-message.ts";
import { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { roleAllows } from "#domain/key.ts";
import type { ChannelSenders } from "../alerting/channels/channel-sender.ts";
import { sendToChannel } from "../alerting/channels/send-to-channel.ts";
import { type AccountCaller, type Handler, handler } from "../http/handler.ts";
import type { Sealing } from "../keys/sealing.ts";
import { type StoredChannel } from "../kinds/alert-channel.ts";
import { findDocument, found } from "../kinds/find-document.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import { type ChannelOwner, type ChannelReader, channelOwner, sealedConfig, shownConfig } from "../secrets/channel-secrets.ts";
import type { AlertSubscriptionStore, DocumentRow, DocumentStore, SubscriptionRow, TargetChoice } from "../storage/storage.ts";

export interface AlertChannelDeps {
  readonly documents: Pick<DocumentStore, "list" | "find" | "remove">;
  readonly subscriptions: Pick<AlertSubscriptionStore, "ofChannels" | "createChannel" | "updateChannel" | "subscribe">;
  readonly sealing: Sealing;
  /** Whoever may write also reads secrets of channels. */
  readonly secretsReadable: boolean;
  readonly nowMs: () => number;
  readonly senders: ChannelSenders;
  readonly publicUrl: () => string;
}

const kind = "alert-channel";
/** An alert becomes a message for each that follows its check. */
const maxChannels = 1_000;

export function alertChannelHandlers(deps: AlertChannelDeps): readonly Handler[] {
  const { documents, subscriptions, sealing, nowMs } = deps;
  const readerOf = ({ role }: AccountCaller): ChannelReader => {
    const mayWrite = roleAllows(role, "write");
    return { mayWrite, readsSecrets: mayWrite && deps.secretsReadable };
  };
  const view = async (row: DocumentRow<StoredChannel>, caller: AccountCaller): Promise<AlertChannel> =>
    channelView(row, (await subscriptions.ofChannels([row.id])).get(row.id) ?? [], sealing, readerOf(caller));
  return [
    handler(listAlertChannels, async ({ query }, { caller }) => {
      const { items, total } = await documents.list<StoredChannel>(caller.account.id, kind, query);
      const byChannel = await subscriptions.ofChannels(items.map(({ id }) => id));
      return { items: items.map((row) => readView(channelView(row, byChannel.get(row.id) ?? [], sealing, readerOf(caller)))), total };
    }),
    handler(createAlertChannel, async ({ body }, { caller }) => {
      const targets = targetsOf(body.subscriptions ?? []);
      const { id: accountId } = caller.account;
      const uuid = crypto.randomUUID();
      const definition = storedChannel(body, sealing, channelOwner(accountId, uuid));
      const channel = { uuid, accountId, kind, definition, nowMs: nowMs() } as const;
      return view(await subscriptions.createChannel<StoredChannel>(channel, targets, maxChannels), caller);
    }),
    handler(getAlertChannel, async ({ params }, { caller }) =>
      readView(await view(await findDocument<StoredChannel>(documents, caller.account.id, kind, params), caller)),
    ),
    handler(updateAlertChannel, async ({ params, body }, { caller }) => {
      const change = ({ accountId, uuid, definition }: DocumentRow<StoredChannel>) => ({
        definition: storedChannel(body, sealing, channelOwner(accountId, uuid), definition),
      });
      const targets = body.subscriptions && targetsOf(body.subscriptions);
      return view(found(await subscriptions.updateChannel(caller.account.id, params.id, change, targets, nowMs()), kind, params), caller);
    }),
    handler(subscribeAlertChannel, async ({ params: { id }, body }, { caller }) => {
      const row = await subscriptions.subscribe(caller.account.id, id, targetOf(body, ""));
      if (row === undefined) throw notFound("alert channel", String(id));
      return subscriptionView(row);
    }),
    handler(testAlertChannel, async ({ params }, { caller, signal, isAlert }) => {
      // A webhook that points here would test itself for ever.
      if (isAlert) throw new AppError("invalid_input", "A message of an alert channel tests no alert channel");
      const channel = await findDocument<StoredChannel>(documents, caller.account.id, kind, params);
      const deliveryId = crypto.randomUUID();
      const message = sampleMessage(channel.id, deps.publicUrl(), nowMs());
      const { ok, status } = await sendToChannel(channel, deps, message, deliveryId, signal);
      return { status: ok ? "SUCCESS" : "FAILURE", notificationResult: status, deliveryId } as const;
    }),
    handler(deleteAlertChannel, ({ params }, { caller }) => removeDocument(documents, caller.account.id, kind, params)),
  ];
}

function storedChannel(body: AlertChannelWrite, sealing: Sealing, owner: ChannelOwner, before?: StoredChannel): StoredChannel {
  const { subscriptions: _, config, ...rest } = body;
  return { ...rest, config: sealedConfig(config, sealing, owner, before?.type === rest.type ? before.config : undefined) };
}

function targetsOf(subscriptions: readonly ChannelSubscriptionInput[]): readonly TargetChoice[] {
  return subscriptions.map((subscription, index) => targetOf(subscription, `subscriptions[${index}].`));
}

/** @throws {AppError} invalid_input unless exactly one of the two is named */
function targetOf({ checkId, groupId, activated }: Omit<ChannelSubscriptionInput, "id">, prefix: string): TargetChoice {
  const [check, group] = [checkId ?? null, groupId ?? null];
  if (check !== null && group === null) return { target: { checkUuid: check.toLowerCase() }, activated };
  if (group !== null && check === null) return { target: { groupId: group }, activated };
  const message = `or groupId must be given, and not both; received ${check === null ? "neither" : "both"}`;
  throw invalidInput([{ path: `${prefix}checkId`, message }]);
}

function channelView(
  { id, uuid, accountId, definition, createdAtMs, updatedAtMs }: DocumentRow<StoredChannel>,
  rows: readonly SubscriptionRow[],
  sealing: Sealing,
  reader: ChannelReader,
): AlertChannel {
  const { type, config, ...settings } = definition;
  return {
    id,
    type,
    // Parsed with the schema of its type when it was written.
    config: shownConfig(config, sealing, channelOwner(accountId, uuid), reader) as AlertChannel["config"],
    ...settings,
    subscriptions: rows.map(subscriptionView),
    created_at: instant(createdAtMs),
    updated_at: instantOrNull(updatedAtMs),
  };
}

function readView(channel: AlertChannel): ReadAlertChannel {
  return { ...channel, projectBindings: noProjectBindings };
}

function subscriptionView({ id, checkUuid, groupId, activated }: SubscriptionRow): ChannelSubscription {
  return { id, checkId: checkUuid, groupId, activated };
}
