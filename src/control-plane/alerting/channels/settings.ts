import { z } from "zod";
import { createAddressRules } from "#daemon/address-rules.ts";
import { WholeNumber } from "#daemon/env.ts";
import { ProxyUrl } from "#daemon/proxy.ts";
import { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";
import type { ChannelBudget } from "#domain/alerting/digest-plan.ts";
import { hasCode } from "#domain/app-error.ts";
import { commaList } from "#domain/comma-list.ts";
import type { SmtpSettings } from "../../mail/deliver-mail.ts";
import type { EgressSettings } from "../../outgoing/egress.ts";
import type { OpsgenieUrls } from "./opsgenie.ts";
import type { SlackAppSettings } from "./slack.ts";
import type { TwilioSettings } from "./twilio.ts";

const asSecret = (text: string): Secret => new Secret(text);
const SmtpUrl = z
  .string()
  .trim()
  .refine(
    isSmtpUrl,
    "must be smtp://host:port or smtps://host:port, with user:password@ before the host where the server asks for them; special characters of both are percent-encoded",
  )
  .transform(asSecret);
const Token = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{8,512}$/, "must be 8 to 512 characters without blanks")
  .transform(asSecret);
const ApiUrl = (fallback: string, whose: string) =>
  z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .default(fallback)
    .describe(`base URL of ${whose}`);

/** An allow-list; loopback and link-local addresses are open only where it names them. */
const EgressText = z.string().transform((text, context): EgressSettings => {
  const parts = commaList(text);
  const allowCidrs = parts.length === 1 && parts[0] === "public-only" ? [] : parts;
  try {
    createAddressRules({ allowCidrs, denyCidrs: [], mode: "public-only" });
    return { mode: "public-only", allowCidrs };
  } catch (error) {
    if (!hasCode(error, "invalid_input")) throw error;
    context.addIssue({
      code: "custom",
      message: "must be public-only, or networks and addresses separated by commas: 10.20.0.0/16,127.0.0.1",
    });
    return z.NEVER;
  }
});

/** The part of the control plane's environment that says how people are told of alerts. */
export const channelEnv = {
  SMTP_URL: z
    .string()
    .pipe(SmtpUrl)
    .optional()
    .describe(
      "mail server for alerts and for subscribers of status pages, smtp://user:password@host:587 or smtps://…; without it, Outpost sends no mail",
    ),
  SMTP_URL_FILE: SecretFile.pipe(SmtpUrl).optional().describe("file with this URL, instead of SMTP_URL"),
  SMTP_FROM: z
    .string()
    .trim()
    .max(320)
    .regex(/^([^<>\r\n@]{0,200}<)?[^\s<>@,;]+@[^\s<>@,;]+>?$/, "must be an address, or a name and an address: Outpost <alerts@example.com>")
    .optional()
    .describe("sender of mails, alerts@example.com or Outpost <alerts@example.com>; outpost@ the mail server if not set"),
  SMTP_TLS: z
    .enum(["auto", "required", "unverified", "off"], "must be auto, required, unverified or off")
    .default("auto")
    .describe(
      "encryption with an smtp:// server: auto (if the server offers STARTTLS, and always with a password), required, unverified (any certificate) or off",
    ),
  SMTP_PROXY: ProxyUrl.describe(
    "HTTP proxy for the connection to the mail server (CONNECT), http://user:password@host:port; none if not set. HTTPS_PROXY does not apply to mail",
  ),
  TWILIO_ACCOUNT_SID: z
    .string()
    .trim()
    .regex(/^AC[0-9a-zA-Z]{8,64}$/, "must be the SID of an account, which begins with AC")
    .optional()
    .describe("Twilio account for text messages and calls; without it, channels of type SMS and CALL send nothing"),
  TWILIO_AUTH_TOKEN: z.string().pipe(Token).optional().describe("auth token of the Twilio account"),
  TWILIO_AUTH_TOKEN_FILE: SecretFile.pipe(Token).optional().describe("file with this token, instead of TWILIO_AUTH_TOKEN"),
  TWILIO_FROM: z
    .string()
    .trim()
    .regex(
      /^(\+\d{6,15}|MG[0-9a-zA-Z]{8,64}|[A-Za-z0-9 ]{2,11})$/,
      "must be a number with + and its country code, a messaging service (MG…) or a sender name",
    )
    .optional()
    .describe("number, messaging service or name of the sender"),
  TWILIO_API_URL: ApiUrl("https://api.twilio.com", "Twilio's API"),
  SLACK_BOT_TOKEN: z
    .string()
    .pipe(Token)
    .optional()
    .describe("token of a Slack app (xoxb-…) with chat:write, for channels of type SLACK_APP"),
  SLACK_BOT_TOKEN_FILE: SecretFile.pipe(Token).optional().describe("file with this token, instead of SLACK_BOT_TOKEN"),
  SLACK_API_URL: ApiUrl("https://slack.com/api", "Slack's API"),
  PAGERDUTY_API_URL: ApiUrl("https://events.pagerduty.com", "PagerDuty's Events API"),
  OPSGENIE_API_URL: ApiUrl("https://api.opsgenie.com", "Opsgenie's API, for channels of region US"),
  OPSGENIE_EU_API_URL: ApiUrl("https://api.eu.opsgenie.com", "Opsgenie's API, for channels of region EU"),
  WEBHOOK_EGRESS: EgressText.default({ mode: "public-only", allowCidrs: [] }).describe(
    "comma-separated private networks that webhook and Slack hook addresses of users can reach, such as 10.20.0.0/16,127.0.0.1; public-only allows none",
  ),
  ALERTS_PER_MINUTE: WholeNumber(1, 10_000)
    .default(10)
    .describe("maximum number of messages to one channel in a minute; Outpost combines further alerts into one message"),
  ALERTS_PER_HOUR: WholeNumber(1, 100_000)
    .default(100)
    .describe("maximum number of messages to one channel in an hour; further alerts wait, and Outpost combines them into one message"),
} as const;

type ChannelEnv = z.output<z.ZodObject<typeof channelEnv>>;

export interface ChannelSettings {
  readonly smtp: SmtpSettings | null;
  readonly twilio: TwilioSettings;
  readonly slackApp: SlackAppSettings;
  readonly pagerdutyUrl: URL;
  readonly opsgenieUrls: OpsgenieUrls;
  readonly egress: EgressSettings;
  readonly budget: ChannelBudget;
}

/** One sentence for each variable that others need, or that is there twice. */
export function channelProblems(env: ChannelEnv): readonly { readonly name: string; readonly message: string }[] {
  const twice = (["SMTP_URL", "TWILIO_AUTH_TOKEN", "SLACK_BOT_TOKEN"] as const)
    .filter((name) => env[name] !== undefined && env[`${name}_FILE`] !== undefined)
    .map((name) => ({ name: `${name}_FILE`, message: `and ${name} are both set; keep one of the two` }));
  const given = {
    TWILIO_ACCOUNT_SID: env.TWILIO_ACCOUNT_SID,
    TWILIO_AUTH_TOKEN: env.TWILIO_AUTH_TOKEN ?? env.TWILIO_AUTH_TOKEN_FILE,
    TWILIO_FROM: env.TWILIO_FROM,
  };
  const missing = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const isPart = missing.length > 0 && missing.length < 3;
  return [
    ...twice,
    ...openSmtps(env),
    ...(isPart ? missing.map((name) => ({ name, message: "is required where another of Twilio's is set" })) : []),
  ];
}

/** Nobody who asks for no encryption means smtps://, or the other way round. */
function openSmtps({ SMTP_TLS: wish, ...env }: ChannelEnv) {
  const url = env.SMTP_URL ?? env.SMTP_URL_FILE;
  // It is asked, too, where another variable is wrong, and then it may still be text.
  const isSmtps = url instanceof Secret && new URL(url.reveal()).protocol === "smtps:";
  const message = "is off, which is for smtp:// servers, but SMTP_URL begins with smtps://: set auto, required or unverified";
  return isSmtps && wish === "off" ? [{ name: "SMTP_TLS", message }] : [];
}

/** @param env without any of the problems above */
export function channelSettings(env: ChannelEnv): ChannelSettings {
  const { TWILIO_ACCOUNT_SID: sid, TWILIO_FROM: from } = env;
  const authToken = env.TWILIO_AUTH_TOKEN ?? env.TWILIO_AUTH_TOKEN_FILE;
  const account = sid === undefined || from === undefined || authToken === undefined ? null : { sid, from, authToken };
  return {
    smtp: smtpOf(env),
    twilio: { apiUrl: baseUrl(env.TWILIO_API_URL), account },
    slackApp: { apiUrl: baseUrl(env.SLACK_API_URL), botToken: env.SLACK_BOT_TOKEN ?? env.SLACK_BOT_TOKEN_FILE ?? null },
    pagerdutyUrl: baseUrl(env.PAGERDUTY_API_URL),
    opsgenieUrls: { US: baseUrl(env.OPSGENIE_API_URL), EU: baseUrl(env.OPSGENIE_EU_API_URL) },
    egress: env.WEBHOOK_EGRESS,
    budget: { perMinute: env.ALERTS_PER_MINUTE, perHour: env.ALERTS_PER_HOUR },
  };
}

/** With a slash at its end, so that paths are put behind it. */
function baseUrl(text: string): URL {
  return new URL(`${text.replace(/\/+$/, "")}/`);
}

function smtpOf(env: ChannelEnv): SmtpSettings | null {
  const secret = env.SMTP_URL ?? env.SMTP_URL_FILE;
  if (secret === undefined) return null;
  const url = new URL(secret.reveal());
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const auth =
    url.username === "" ? null : { user: decodeURIComponent(url.username), password: new Secret(decodeURIComponent(url.password)) };
  const tls = url.protocol === "smtps:" ? "implicit" : startTlsOf(env.SMTP_TLS, auth !== null);
  return {
    host,
    port: Number(url.port) || usualPort(tls, auth !== null),
    tls,
    verifiesCertificate: env.SMTP_TLS !== "unverified",
    auth,
    from: env.SMTP_FROM ?? `outpost@${host}`,
    proxy: env.SMTP_PROXY === undefined ? null : new Secret(env.SMTP_PROXY),
  };
}

/** A password never goes over an open line by itself. */
function startTlsOf(wish: ChannelEnv["SMTP_TLS"], hasPassword: boolean): "off" | "starttls" | "offered" {
  if (wish === "off") return "off";
  return wish === "required" || hasPassword ? "starttls" : "offered";
}

function usualPort(tls: SmtpSettings["tls"], hasPassword: boolean): number {
  if (tls === "implicit") return 465;
  return hasPassword ? 587 : 25;
}

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || !/^\/?$/.test(url.pathname) || url.search !== "")
    return false;
  try {
    return [url.username, url.password].map(decodeURIComponent).length > 0;
  } catch {
    return false;
  }
}
