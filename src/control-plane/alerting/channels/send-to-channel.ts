import type { AlertMessage } from "#domain/alerting/alert-message.ts";
import type { DeliveryOutcome } from "#domain/alerting/delivery-plan.ts";
import type { Sealing } from "../../keys/sealing.ts";
import type { StoredChannel } from "../../kinds/alert-channel.ts";
import { permanentFailure } from "../../outgoing/http-outcome.ts";
import { channelOwner, openConfig } from "../../secrets/channel-secrets.ts";
import type { ChannelSender, ChannelSenders } from "./channel-sender.ts";

/** A channel as it is stored. */
export interface ChannelRow {
  readonly accountId: number;
  readonly uuid: string;
  readonly definition: Pick<StoredChannel, "type" | "config">;
}

/** Opens the secrets of a channel and tells it a message. @throws whatever `signal` was aborted with */
export async function sendToChannel(
  { accountId, uuid, definition: { type, config } }: ChannelRow,
  { senders, sealing }: { readonly senders: ChannelSenders; readonly sealing: Pick<Sealing, "unseal"> },
  message: AlertMessage,
  deliveryId: string,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const opened = openConfig(config, sealing, channelOwner(accountId, uuid));
  if (opened === null) return permanentFailure("not sent: the secrets of the channel were sealed under a key that is gone; set them again");
  // Parsed with the schema of its type when it was written.
  const sender = senders[type] as ChannelSender<unknown>;
  return sender.send(opened, message, deliveryId, signal);
}
