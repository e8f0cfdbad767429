import type { AlertChannelType, AlertChannelWrite } from "#contract/alert-channels.ts";
import type { AlertMessage } from "#domain/alerting/alert-message.ts";
import type { DeliveryOutcome } from "#domain/alerting/delivery-plan.ts";

/** The configuration of a channel with its secrets opened; never logged, never stored. */
export type OpenConfig<T extends AlertChannelType> = Extract<AlertChannelWrite, { readonly type: T }>["config"];

/** Tells one kind of channel one message. */
export interface ChannelSender<Config> {
  /**
   * @param deliveryId the same for every attempt of one delivery, so that a receiver can tell a repetition
   * @throws whatever `signal` was aborted with; all else is an outcome
   */
  send(config: Config, message: AlertMessage, deliveryId: string, signal: AbortSignal): Promise<DeliveryOutcome>;
}

/** A channel type without a sender does not compile. */
export type ChannelSenders = { readonly [T in AlertChannelType]: ChannelSender<OpenConfig<T>> };
