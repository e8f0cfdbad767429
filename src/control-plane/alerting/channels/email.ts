import { emailText } from "#domain/alerting/email-text.ts";
import { deliverMail, type MailDeps } from "../../mail/deliver-mail.ts";
import type { ChannelSender, OpenConfig } from "./channel-sender.ts";

/** Mails of one check hang together. */
export function emailSender(deps: MailDeps): ChannelSender<OpenConfig<"EMAIL">> {
  return {
    send: ({ address }, message, deliveryId, signal) => {
      const { thread, atMs } = message;
      return deliverMail(deps, { to: address, ...emailText(message), atMs, deliveryId, thread }, signal);
    },
  };
}
