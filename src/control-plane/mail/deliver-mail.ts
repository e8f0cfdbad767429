import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { createTransport, type SMTPTransportOptions } from "nodemailer";
import { withDeadline } from "#daemon/deadline.ts";
import type { Secret } from "#daemon/secret.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import type { DeliveryOutcome } from "#domain/alerting/delivery-plan.ts";
import { oneLine } from "#domain/alerting/plain-text.ts";
import { AppError } from "#domain/app-error.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import type { Egress } from "../outgoing/egress.ts";
import { failureText, innermost } from "../outgoing/failure-text.ts";
import { permanentFailure } from "../outgoing/http-outcome.ts";
import { openTunnel } from "../outgoing/tunnel.ts";

/** The mail server of the installation. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `implicit`: from the first byte. `starttls`: refused without. `offered`: where the server offers it. */
  readonly tls: "implicit" | "starttls" | "offered" | "off";
  readonly verifiesCertificate: boolean;
  readonly auth: { readonly user: string; readonly password: Secret } | null;
  /** `alerts@example.com` or `Outpost <alerts@example.com>` */
  readonly from: string;
  /** An HTTP proxy that makes the connection (CONNECT); its URL may hold a password. Null: none. */
  readonly proxy: Secret | null;
}

/** How long each part of a mail may take, in milliseconds. */
export interface MailLimits {
  readonly connectMs: number;
  /** Without a sign of life. */
  readonly idleMs: number;
  readonly wholeMs: number;
}

export const usualMailLimits: MailLimits = { connectMs: 10_000, idleMs: 10_000, wholeMs: 30_000 };

export interface MailDeps {
  readonly smtp: SmtpSettings | null;
  readonly egress: Egress;
  readonly limits?: MailLimits;
}

/** One mail to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly atMs: number;
  /** The same for every attempt, so that a receiver can tell a repetition. */
  readonly deliveryId: string;
  /** Mails with the same one hang together; null: it stands alone. */
  readonly thread: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who greylists takes the mail after some minutes. */
const greylistingMs = 120_000;

/**
 * Gives one mail to the installation's mail server. A connection for each: mails are rare, and a server that hangs then holds nothing but its own.
 *
 * @throws whatever `signal` was aborted with; all else is an outcome
 */
export async function deliverMail(deps: MailDeps, mail: Mail, signal: AbortSignal): Promise<DeliveryOutcome> {
  const { smtp, egress, limits = usualMailLimits } = deps;
  if (smtp === null) return permanentFailure("not sent: this installation has no mail server (SMTP_URL)");
  try {
    const response = await withDeadline(signal, limits.wholeMs, "the mail", (bounded) =>
      sendMail(smtp, egress, limits, envelopeOf(smtp, mail), bounded),
    );
    return { ok: true, status: sayable(smtp, response) };
  } catch (error) {
    signal.throwIfAborted();
    return failureOf(smtp, error);
  }
}

/** Mails of one thread refer to one that was never sent. */
function envelopeOf(smtp: SmtpSettings, { to, subject, text, html, atMs, deliveryId, thread, headers }: Mail) {
  const domain = /@([^\s>]+)/.exec(smtp.from)?.[1] ?? "outpost.invalid";
  const first = `<outpost.${thread}@${domain}>`;
  return {
    from: smtp.from,
    to: { name: "", address: to },
    subject,
    text,
    html,
    date: new Date(atMs),
    messageId: `<${deliveryId}@${domain}>`,
    ...(thread !== null && { inReplyTo: first, references: first }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function sendMail(
  smtp: SmtpSettings,
  egress: Egress,
  limits: MailLimits,
  mail: ReturnType<typeof envelopeOf>,
  signal: AbortSignal,
): Promise<string> {
  const { response } = await withTransport({ smtp, egress, limits }, signal, (transport) => transport.sendMail(mail));
  return response;
}

/** Where a talk with the mail server ended that sends nothing; `text` has no password. */
export type MailTrial =
  | { readonly ok: true }
  | { readonly ok: false; readonly step: "connection" | "encryption" | "login" | "talk"; readonly text: string };

/** Connects, encrypts and signs in as every mail does, and ends there. @throws whatever `signal` was aborted with */
export async function tryMailServer(
  { smtp, egress, limits = usualMailLimits }: MailDeps & { readonly smtp: SmtpSettings },
  signal: AbortSignal,
): Promise<MailTrial> {
  let isConnected = false;
  try {
    await withDeadline(signal, limits.wholeMs, "the talk with the mail server", (bounded) =>
      withTransport({ smtp, egress, limits }, bounded, async (transport) => {
        isConnected = true;
        await transport.verify();
      }),
    );
    return { ok: true };
  } catch (error) {
    signal.throwIfAborted();
    const text = sayable(smtp, answerIn(error).response ?? failureText(innermost(error)));
    return { ok: false, step: isConnected ? stepOf(error, text) : "connection", text };
  }
}

function stepOf(error: unknown, text: string): "encryption" | "login" | "talk" {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "EAUTH") return "login";
  return code === "ETLS" || /certificate|CERT_|SELF_SIGNED|ERR_SSL|ERR_TLS|wrong version number/i.test(text) ? "encryption" : "talk";
}

interface Talk {
  readonly smtp: SmtpSettings;
  readonly egress: Egress;
  readonly limits: MailLimits;
}

async function withTransport<T>(
  { smtp, egress, limits }: Talk,
  signal: AbortSignal,
  use: (transport: ReturnType<typeof transportOn>) => Promise<T>,
): Promise<T> {
  const connection = await withDeadline(signal, limits.connectMs, "connecting to the mail server", (bounded) =>
    openConnection(smtp, egress, bounded),
  );
  try {
    return await untilAborted(signal, use(transportOn(connection, smtp, limits)));
  } finally {
    connection.destroy(); // nodemailer cannot be told to stop
  }
}

function transportOn(connection: Socket, smtp: SmtpSettings, limits: MailLimits) {
  return createTransport({ ...transportOptions(smtp, limits), getSocket: (_options, callback) => callback(null, { connection }) });
}

/** Its own, so that the egress policy is asked, and so that it can be ended. */
async function openConnection({ host, port, proxy }: SmtpSettings, egress: Egress, signal: AbortSignal): Promise<Socket> {
  if (proxy !== null) {
    await egress.checkBehindProxy(host, signal);
    return openTunnel(proxy, { host, port }, signal);
  }
  egress.checkLiteral(host);
  const socket = connect({ host, port, lookup: egress.lookup });
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    throw error;
  }
}

function transportOptions({ host, port, tls, verifiesCertificate, auth }: SmtpSettings, { idleMs }: MailLimits): SMTPTransportOptions {
  return {
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "off",
    tls: { rejectUnauthorized: verifiesCertificate, ...(isIP(host) === 0 && { servername: host }) },
    ...(auth !== null && { auth: { user: auth.user, pass: auth.password.reveal() } }),
    greetingTimeout: idleMs,
    socketTimeout: idleMs,
    logger: false,
  };
}

/** What a server answered with a number: 4xx for now, 5xx for good (RFC 5321 §4.2.1). */
function failureOf(smtp: SmtpSettings, error: unknown): DeliveryOutcome {
  if (error instanceof AppError && error.code === "forbidden") return permanentFailure(error.message);
  const { responseCode, response } = answerIn(error);
  const text = sayable(smtp, response ?? failureText(innermost(error)));
  if (responseCode === undefined) return { ok: false, status: text, isRetryable: true, isReceiverDown: true };
  const isForGood = responseCode >= 500;
  return {
    ok: false,
    status: text,
    isRetryable: !isForGood,
    isReceiverDown: responseCode === 421,
    ...(!isForGood && { retryAfterMs: greylistingMs }),
  };
}

function answerIn(error: unknown): { readonly responseCode?: number; readonly response?: string } {
  if (!(error instanceof Error) || !("responseCode" in error) || typeof error.responseCode !== "number") return {};
  return {
    responseCode: error.responseCode,
    ...("response" in error && typeof error.response === "string" && { response: error.response }),
  };
}

function sayable({ auth }: SmtpSettings, text: string): string {
  if (auth === null) return oneLine(text, 500);
  const password = auth.password.reveal();
  const sent = Buffer.from(`\0${auth.user}\0${password}`).toString("base64");
  return oneLine(createScrubber([password, sent]).scrubText(text), 500);
}
