import { subscribeAlertChannel, testAlertChannel } from "#contract/alert-channels.ts";
import { sampleMessage } from "#domain/alerting/sample-message.ts";
import { AppError } from "#domain/app-error.ts";
import { keepTestedChannel } from "../accounts/first-steps-state.ts";
import type { ChannelSenders } from "../alerting/channels/channel-sender.ts";
import { sendToChannel } from "../alerting/channels/send-to-channel.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { Sealing } from "../keys/sealing.ts";
import { type StoredChannel, subscriptionTarget, subscriptionView } from "../kinds/alert-channel.ts";
import { findDocument } from "../kinds/find-document.ts";
import { notFound } from "../kinds/not-found.ts";
import type { AccountStore, AlertSubscriptionStore, DocumentStore } from "../storage/storage.ts";

export interface AlertChannelDeps {
  readonly accounts: Pick<AccountStore, "update">;
  readonly documents: Pick<DocumentStore, "find">;
  readonly alertSubscriptions: Pick<AlertSubscriptionStore, "subscribe">;
  readonly sealing: Sealing;
  readonly nowMs: () => number;
  readonly senders: ChannelSenders;
  readonly publicUrl: () => string;
}

/** What a channel can do beside what all kinds can. */
export function alertChannelHandlers(deps: AlertChannelDeps): readonly Handler[] {
  return [
    handler(subscribeAlertChannel, async ({ params: { id }, body }, { caller }) => {
      const row = await deps.alertSubscriptions.subscribe(caller.account.id, id, subscriptionTarget(body));
      if (row === undefined) throw notFound("alert channel", String(id));
      return subscriptionView(row);
    }),
    handler(testAlertChannel, async ({ params }, { caller, signal, isAlert }) => {
      // A webhook that points here would test itself for ever.
      if (isAlert) throw new AppError("invalid_input", "A message of an alert channel tests no alert channel");
      const channel = await findDocument<StoredChannel>(deps.documents, caller.account.id, "alert-channel", params);
      const deliveryId = crypto.randomUUID();
      const message = sampleMessage(channel.id, deps.publicUrl(), deps.nowMs());
      const { ok, status } = await sendToChannel(channel, deps, message, deliveryId, signal);
      if (ok) await keepTestedChannel(deps.accounts, caller.account);
      return { status: ok ? "SUCCESS" : "FAILURE", notificationResult: status, deliveryId } as const;
    }),
  ];
}
