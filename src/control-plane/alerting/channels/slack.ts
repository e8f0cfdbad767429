import { slackBody } from "#domain/alerting/slack-body.ts";
import type { ChannelSender, OpenConfig } from "./channel-sender.ts";
import type { ChannelHttp, HttpAnswer } from "./http-client.ts";
import { deliverByHttp, permanentFailure, secretsOfUrl } from "./http-outcome.ts";

/** Incoming webhooks of Slack, and of what speaks like it (Mattermost, Rocket.Chat). */
export function slackSender(http: ChannelHttp): ChannelSender<OpenConfig<"SLACK">> {
  return {
    async send({ url: address, channel }, message, _deliveryId, signal) {
      const url = URL.parse(address);
      if (url === null) return permanentFailure("not sent: url is no address");
      const body = JSON.stringify({ ...slackBody(message), ...(channel && { channel }) });
      const call = { method: "POST", url, headers: { "content-type": "application/json; charset=utf-8" }, body } as const;
      return deliverByHttp(http, { call, secrets: secretsOfUrl(url) }, signal);
    },
  };
}

export interface SlackAppSettings {
  readonly apiUrl: URL;
  readonly botToken: { reveal(): string } | null;
}

/** Posts as the app of the installation; its token is a setting, the channels are the user's. */
export function slackAppSender(http: ChannelHttp, { apiUrl, botToken }: SlackAppSettings): ChannelSender<OpenConfig<"SLACK_APP">> {
  return {
    async send({ slackChannels }, message, _deliveryId, signal) {
      if (botToken === null) return permanentFailure("not sent: this installation has no Slack app (SLACK_BOT_TOKEN)");
      const token = botToken.reveal();
      const headers = { "content-type": "application/json; charset=utf-8", authorization: `Bearer ${token}` };
      const told: string[] = [];
      for (const channel of slackChannels) {
        const body = JSON.stringify({ ...slackBody(message), channel });
        const call = { method: "POST", url: new URL("chat.postMessage", apiUrl), headers, body } as const;
        const outcome = await deliverByHttp(http, { call, secrets: [token], judge: refusalOf }, signal);
        // Those that were told are not told again: what is missing is for the log.
        if (!outcome.ok)
          return {
            ...outcome,
            isRetryable: outcome.isRetryable && told.length === 0,
            status: `${channel}: ${outcome.status}${toldBefore(told)}`,
          };
        told.push(channel);
      }
      return { ok: true, status: `told ${told.join(", ")}` };
    },
  };
}

function toldBefore(told: readonly string[]): string {
  return told.length === 0 ? "" : ` (told before: ${told.join(", ")}; not repeated)`;
}

/** Slack answers 200 to what it does not do, and says so in the body. */
function refusalOf({ status, text }: HttpAnswer): ReturnType<typeof permanentFailure> | null {
  if (status !== 200 || /^\s*\{"ok":\s*true/.test(text)) return null;
  return permanentFailure(`200 ${text}`);
}
