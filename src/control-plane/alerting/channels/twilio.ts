import type { AlertMessage } from "#domain/alerting/alert-message.ts";
import type { DeliveryOutcome } from "#domain/alerting/delivery-plan.ts";
import { escapedHtml, oneLine } from "#domain/alerting/plain-text.ts";
import type { ChannelHttp } from "../../outgoing/http-client.ts";
import { deliverByHttp, permanentFailure } from "../../outgoing/http-outcome.ts";
import type { ChannelSender, OpenConfig } from "./channel-sender.ts";

export interface TwilioSettings {
  readonly apiUrl: URL;
  /** Null where the installation has none. */
  readonly account: { readonly sid: string; readonly authToken: { reveal(): string }; readonly from: string } | null;
}

/** Two parts of a text message; more of them cost more and say no more. */
const maxSms = 300;

/** A text message: the title, why, and where to look. */
export function smsSender(http: ChannelHttp, settings: TwilioSettings): ChannelSender<OpenConfig<"SMS">> {
  return {
    send: ({ number }, message, _deliveryId, signal) =>
      deliver(http, settings, "Messages", { To: dialled(number), Body: smsText(message) }, signal),
  };
}

/** A call that says the title twice. */
export function callSender(http: ChannelHttp, settings: TwilioSettings): ChannelSender<OpenConfig<"CALL">> {
  return {
    send: ({ number }, message, _deliveryId, signal) =>
      deliver(http, settings, "Calls", { To: dialled(number), Twiml: spokenTwiml(message) }, signal),
  };
}

async function deliver(
  http: ChannelHttp,
  { apiUrl, account }: TwilioSettings,
  resource: "Messages" | "Calls",
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  if (account === null)
    return permanentFailure("not sent: this installation has no Twilio account (TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM)");
  const { sid, from } = account;
  const authToken = account.authToken.reveal();
  const credentials = Buffer.from(`${sid}:${authToken}`).toString("base64");
  // A service of Twilio chooses the number itself.
  const sender = from.startsWith("MG") && resource === "Messages" ? { MessagingServiceSid: from } : { From: from };
  const call = {
    method: "POST",
    url: new URL(`2010-04-01/Accounts/${encodeURIComponent(sid)}/${resource}.json`, apiUrl),
    headers: { "content-type": "application/x-www-form-urlencoded", authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ ...fields, ...sender }).toString(),
  } as const;
  return deliverByHttp(http, { call, secrets: [authToken, credentials] }, signal);
}

function smsText({ title, facts, link }: AlertMessage): string {
  const error = facts.find(({ name }) => name === "Error");
  const end = link === null || link.length > 120 ? "" : `\n${link}`;
  return oneLine([title, ...(error ? [error.value] : [])].join(": "), maxSms - end.length) + end;
}

function spokenTwiml({ title }: AlertMessage): string {
  const say = `<Say>Outpost alert. ${escapedHtml(title)}.</Say>`;
  return `<Response>${say}<Pause length="1"/>${say}</Response>`;
}

/** `+49 (0) 151-234` as a number that a network takes. */
function dialled(number: string): string {
  const digits = number.replace(/\(0\)/, "").replace(/[^\d+]/g, "");
  return digits.startsWith("00") ? `+${digits.slice(2)}` : digits;
}
