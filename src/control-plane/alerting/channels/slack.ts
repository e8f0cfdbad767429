import type { DeliveryOutcome } from "#domain/alerting/delivery-plan.ts";
import { oneLine } from "#domain/alerting/plain-text.ts";
import { slackBody } from "#domain/alerting/slack-body.ts";
import type { ChannelHttp, HttpAnswer } from "../../outgoing/http-client.ts";
import { deliverByHttp, permanentFailure, secretsOfUrl } from "../../outgoing/http-outcome.ts";
import type { ChannelSender, OpenConfig } from "./channel-sender.ts";

/** Incoming webhooks of Slack, and of what speaks like it (Mattermost, Rocket.Chat). */
export function slackSender(http: ChannelHttp): ChannelSender<OpenConfig<"SLACK">> {
  return {
    async send({ url: address, channel }, message, _deliveryId, signal) {
      const url = URL.parse(address);
      if (url === null) return permanentFailure("not sent: url is no address");
      const body = JSON.stringify({ ...slackBody(message), ...(channel && { channel }) });
      const call = { method: "POST", url, headers: { "content-type": "application/json; charset=utf-8" }, body } as const;
      return deliverByHttp(http, { call, secrets: secretsOfUrl(url), hidesAnswer: true }, signal);
    },
  };
}

export interface SlackAppSettings {
  readonly apiUrl: URL;
  readonly botToken: { reveal(): string } | null;
}

/** Deliveries that did not reach all of their channels yet; more of them no process repeats at once. */
const maxUnfinished = 1_000;

/**
 * Posts as the app of the installation; its token is a setting, the channels are the user's. One that refuses keeps it from none of the
 * others, and what is repeated is not posted again where it was: this process remembers where.
 */
export function slackAppSender(http: ChannelHttp, { apiUrl, botToken }: SlackAppSettings): ChannelSender<OpenConfig<"SLACK_APP">> {
  const unfinished = new Map<string, readonly string[]>();
  return {
    async send({ slackChannels }, message, deliveryId, signal) {
      if (botToken === null) return permanentFailure("not sent: this installation has no Slack app (SLACK_BOT_TOKEN)");
      const token = botToken.reveal();
      const headers = { "content-type": "application/json; charset=utf-8", authorization: `Bearer ${token}` };
      const told = [...(unfinished.get(deliveryId) ?? [])];
      const failures: (readonly [string, Failure])[] = [];
      for (const channel of slackChannels.filter((name) => !told.includes(name))) {
        const body = JSON.stringify({ ...slackBody(message), channel });
        const call = { method: "POST", url: new URL("chat.postMessage", apiUrl), headers, body } as const;
        const outcome = await deliverByHttp(http, { call, secrets: [token], judge: refusalOf }, signal);
        if (outcome.ok) told.push(channel);
        else failures.push([channel, outcome]);
        remember(deliveryId, told);
        // Nobody else is there either, and the whole has a time limit.
        if (!outcome.ok && outcome.isReceiverDown) break;
      }
      const failure = togetherOf(failures);
      if (failure?.isRetryable !== true) unfinished.delete(deliveryId);
      return failure === undefined
        ? { ok: true, status: `told ${told.join(", ")}` }
        : { ...failure, status: `${failure.status}${toldBefore(told)}` };
    },
  };

  function remember(deliveryId: string, told: readonly string[]): void {
    unfinished.set(deliveryId, told);
    const [oldest] = unfinished.keys();
    if (unfinished.size > maxUnfinished && oldest !== undefined) unfinished.delete(oldest);
  }
}

type Failure = Extract<DeliveryOutcome, { ok: false }>;

/** It is repeated where that may help one of them. */
function togetherOf(failures: readonly (readonly [string, Failure])[]): Failure | undefined {
  if (failures.length === 0) return undefined;
  const outcomes = failures.map(([, outcome]) => outcome);
  const retryAfterMs = Math.max(...outcomes.map((outcome) => outcome.retryAfterMs ?? 0));
  return {
    ok: false,
    status: oneLine(failures.map(([channel, { status }]) => `${channel}: ${status}`).join("; "), 500),
    isRetryable: outcomes.some((outcome) => outcome.isRetryable),
    isReceiverDown: outcomes.some((outcome) => outcome.isReceiverDown),
    ...(retryAfterMs > 0 && { retryAfterMs }),
  };
}

function toldBefore(told: readonly string[]): string {
  return told.length === 0 ? "" : ` (told: ${oneLine(told.join(", "), 200)})`;
}

/** Slack answers 200 to what it does not do, and says so in the body. */
function refusalOf({ status, text }: HttpAnswer): ReturnType<typeof permanentFailure> | null {
  if (status !== 200 || /^\s*\{"ok":\s*true/.test(text)) return null;
  return permanentFailure(`200 ${text}`);
}
