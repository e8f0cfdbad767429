import { mailServer } from "../../control-plane/alerting/channels/mail-server.ts";
import { receiver } from "../../control-plane/alerting/channels/receiver.ts";
import { until } from "../processes.ts";
import type { Canaries } from "./canaries.ts";
import type { Trace } from "./search.ts";

/** Whoever gets alerts: one service that stands for all that channels send to, and a mail server. */
export interface AlertReaders extends AsyncDisposable {
  /** Where channels with an address of their own send to. */
  readonly url: string;
  /** Settings of the control plane that lead the other channels here. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when each type of channel has brought something. */
  readonly arrived: () => Promise<void>;
  /** What is in the messages; their addresses and keys are the channel's own. */
  readonly traces: () => Trace[];
}

/** Of each way the beginning of its address. */
const ways = ["/webhook", "/slack", "/api/chat.postMessage", "/v2/enqueue", "/v2/alerts", "/2010-04-01"] as const;

export async function alertReaders({ smtpPassword, twilioToken, slackBot }: Canaries): Promise<AlertReaders> {
  const service = await receiver((response) =>
    response.setHeader("content-type", "application/json").end('{"ok":true,"status":"success"}'),
  );
  const mails = await mailServer({
    authMethods: ["PLAIN", "LOGIN"],
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) => done(null, { user: auth.username }),
  });
  const got = (way: string) => service.received.filter(({ url }) => url.startsWith(way));
  return {
    url: service.url,
    env: {
      WEBHOOK_EGRESS: "127.0.0.0/8",
      SMTP_URL: `smtp://outpost:${encodeURIComponent(smtpPassword.value)}@127.0.0.1:${mails.port}`,
      SMTP_FROM: "outpost@example.com",
      SMTP_TLS: "off",
      SLACK_API_URL: `${service.url}/api/`,
      SLACK_BOT_TOKEN: slackBot.value,
      PAGERDUTY_API_URL: service.url,
      OPSGENIE_API_URL: service.url,
      TWILIO_API_URL: service.url,
      TWILIO_ACCOUNT_SID: "AC0123456789",
      TWILIO_AUTH_TOKEN: twilioToken.value,
      TWILIO_FROM: "+4915112345678",
    },
    arrived: () =>
      until("an alert by every channel", () => mails.mails.length > 0 && ways.every((way) => got(way).length > 0), 60_000).then(
        () => undefined,
      ),
    traces: () => [
      ...ways.map((way) => ({
        place: `alerts at ${way}`,
        bytes: Buffer.from(
          got(way)
            .map(({ body }) => body)
            .join("\n"),
        ),
      })),
      { place: "mails", bytes: Buffer.from(mails.mails.map(({ source }) => source).join("\n")) },
    ],
    async [Symbol.asyncDispose]() {
      await mails[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
