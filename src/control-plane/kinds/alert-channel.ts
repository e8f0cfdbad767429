import { type AlertChannelType, type AlertChannelWrite } from "#contract/alert-channels.ts";
import { type SealedConfig } from "../secrets/channel-secrets.ts";

/** What is stored of a channel; `autoSubscribe` is read by the store of subscriptions too. */
export type StoredChannel = Omit<AlertChannelWrite, "config" | "subscriptions" | "type"> & {
  readonly type: AlertChannelType;
  readonly config: SealedConfig;
};
