import { createHmac } from "node:crypto";
import type { WebhookEntry } from "#contract/alert-channel-configs.ts";
import type { AlertMessage } from "#domain/alerting/alert-message.ts";
import { deliveryIdHeader } from "#domain/alerting/delivery-id.ts";
import type { DeliveryOutcome } from "#domain/alerting/delivery-plan.ts";
import { presetBody } from "#domain/alerting/webhook-presets.ts";
import { AppError } from "#domain/app-error.ts";
import { placeOf } from "#domain/templates/place-encoder.ts";
import { type NotificationContext, renderNotification } from "#domain/templates/render-notification.ts";
import type { ChannelHttp, HttpCall } from "../../outgoing/http-client.ts";
import { deliverByHttp, permanentFailure, secretsOfUrl } from "../../outgoing/http-outcome.ts";
import type { ChannelSender, OpenConfig } from "./channel-sender.ts";

type WebhookConfig = OpenConfig<"WEBHOOK">;

export interface WebhookDeps extends Pick<NotificationContext, "random" | "uuid"> {
  readonly http: ChannelHttp;
  readonly nowMs: () => number;
}

/** What undici or the exchange decides by itself. */
const ownHeaders = new Set(["content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "expect"]);
const bodiless = new Set(["GET", "HEAD"]);

/** A request as its user wrote it: address and body are templates (behaviour 2.7), the body is signed. */
export function webhookSender({ http, nowMs, random, uuid }: WebhookDeps): ChannelSender<WebhookConfig> {
  return {
    async send(config, message, deliveryId, signal) {
      const context = { variables: message.variables, nowMs: nowMs(), random, uuid };
      try {
        const { call, unknown } = webhookCall(config, message, deliveryId, context);
        const outcome = await deliverByHttp(
          http,
          { call, secrets: secretsOf(config, call.url), repeatsAll4xx: true, hidesAnswer: true },
          signal,
        );
        return withNote(outcome, unknown);
      } catch (error) {
        if (error instanceof AppError && error.code === "invalid_input") return permanentFailure(`not sent: ${error.message}`);
        throw error;
      }
    },
  };
}

/** @throws {AppError} invalid_input for what cannot be sent */
function webhookCall(config: WebhookConfig, message: AlertMessage, deliveryId: string, context: NotificationContext) {
  const address = renderNotification(config.url, context, "url");
  const url = addressOf(address.text);
  for (const { key, value } of config.queryParameters) url.searchParams.append(key, value);
  const headers = headersOf(config.headers);
  const method = config.method.toUpperCase() as Uppercase<typeof config.method>;
  const { body, type, unknown } = bodiless.has(method) ? noBody : bodyOf(config, message, headers["content-type"], context);
  const call: HttpCall = {
    method,
    url,
    headers: {
      ...(type !== null && { "content-type": type }),
      ...credentialsOf(url),
      ...headers,
      ...signature(config.webhookSecret ?? "", body ?? ""),
      "x-service-timestamp": String(message.atMs),
      [deliveryIdHeader]: deliveryId,
    },
    body,
  };
  return { call, unknown: [...new Set([...address.unknown, ...unknown])] };
}

interface WebhookBody {
  readonly body: string | null;
  readonly type: string | null;
  readonly unknown: readonly string[];
}
const noBody: WebhookBody = { body: null, type: null, unknown: [] };

/** The template, or what the named service expects. */
function bodyOf(
  { template, webhookType }: WebhookConfig,
  message: AlertMessage,
  contentType: string | undefined,
  context: NotificationContext,
): WebhookBody {
  const json = "application/json";
  if (!template) return { body: JSON.stringify(presetBody(webhookType ?? null, message)), type: json, unknown: [] };
  const place = placeOf(contentType, template);
  const { text, unknown } = renderNotification(template, context, place);
  return { body: text, type: place === "json" ? json : "text/plain; charset=utf-8", unknown };
}

/** Behaviour 2.7: hexadecimal HMAC-SHA256 of the body. */
function signature(secret: string, body: string): Readonly<Record<string, string>> {
  return secret === "" ? {} : { "x-service-signature": createHmac("sha256", secret).update(body, "utf8").digest("hex") };
}

function addressOf(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new AppError("invalid_input", "url must be an http or https address once its templates are filled in");
}

/** A user and a password in the address, as other clients send them. */
function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  return { authorization: `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}` };
}

/** A `%` that encodes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function headersOf(entries: readonly WebhookEntry[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { key, value } of entries) {
    const name = key.trim().toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new AppError("invalid_input", "a name in headers has signs that no header name may have");
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new AppError("invalid_input", `the value of the header ${name} has line breaks or signs that no header may have`);
    if (!ownHeaders.has(name)) headers[name] = value.trim();
  }
  return headers;
}

/** Header values too: what is not locked may be a key all the same. */
function secretsOf(config: WebhookConfig, url: URL): readonly string[] {
  const entries = [...config.headers, ...config.queryParameters].filter(
    ({ key, locked }) => locked || /auth|token|key|secret|cookie/i.test(key),
  );
  const values = entries.flatMap(({ value }) => [value, value.replace(/^(bearer|basic|token)\s+/i, "")]);
  const credentials = Object.values(credentialsOf(url)).map((value) => value.replace("Basic ", ""));
  return [...values, ...credentials, decoded(url.password), config.webhookSecret ?? "", ...secretsOfUrl(url)].filter(
    (value) => value !== "",
  );
}

function withNote(outcome: DeliveryOutcome, unknown: readonly string[]): DeliveryOutcome {
  if (unknown.length === 0) return outcome;
  return { ...outcome, status: `${outcome.status} (sent as written, because nothing fills it: ${unknown.join(" ").slice(0, 200)})` };
}
