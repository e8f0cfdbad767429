// By path, because undici's index also loads fetch, WebSocket, caches and mocks.
import type { Dispatcher } from "undici";
import request from "undici/lib/api/api-request.js";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import { withDeadline } from "#daemon/deadline.ts";
import { noProxies, type ProxySettings } from "#daemon/proxy.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { version } from "#daemon/version.ts";
import { AppError } from "#domain/app-error.ts";
import { retryAfterMs } from "#domain/backoff.ts";
import type { Egress } from "./egress.ts";
import { failureText, innermost } from "./failure-text.ts";
import { createProxyDispatchers } from "./proxies.ts";

export interface HttpCall {
  readonly method: "GET" | "POST" | "PUT" | "HEAD" | "DELETE" | "PATCH";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its beginning; what comes late or on top is not waited for. */
  readonly text: string;
  /** What it asks for, where it does. */
  readonly retryAfterMs: number | undefined;
}

/** How long each part of an exchange may take, in milliseconds. */
export interface HttpLimits {
  readonly connectMs: number;
  readonly headersMs: number;
  /** What the receiver says is read for the log alone, so a slow one is not waited for. */
  readonly bodyMs: number;
  readonly wholeMs: number;
}

export const usualHttpLimits: HttpLimits = { connectMs: 5_000, headersMs: 10_000, bodyMs: 2_000, wholeMs: 15_000 };

/** Sends one request of a channel. It follows no redirect, retries nothing and gives no status a meaning. */
export interface ChannelHttp {
  /**
   * @throws {AppError} deadline_exceeded, forbidden (by the egress policy) or unreachable; messages without the address
   * @throws whatever `signal` was aborted with
   */
  send(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

const usualAnswerBytes = 16 * 1024;

export interface ChannelHttpOptions {
  readonly egress: Egress;
  readonly nowMs: () => number;
  readonly limits?: HttpLimits;
  readonly proxies?: ProxySettings;
  /** PEM blocks that are trusted instead of the usual CAs. */
  readonly cas?: readonly string[];
  /** Of an answer, what is read; 16 KiB when absent. */
  readonly answerBytes?: number;
}

export function createChannelHttp(options: ChannelHttpOptions): ChannelHttp {
  const { egress, nowMs, limits = usualHttpLimits, proxies = noProxies, cas, answerBytes = usualAnswerBytes } = options;
  const connect = checkedConnector(egress, limits, cas);
  // Messages are rare: a connection is kept for a burst of them, not for the next one. As many as there are requests: who sends bounds them, and a
  // limit here would let requests of one account wait for those of another that hang at the same service.
  const kept = { pipelining: 1, allowH2: false, keepAliveTimeout: 2_000, keepAliveMaxTimeout: 5_000 };
  const direct = new Agent({ ...kept, connect });
  const proxied = createProxyDispatchers(proxies, {
    ...kept,
    connect: { timeout: limits.connectMs, ...(cas !== undefined && { ca: cas }) },
  });

  async function wayTo(url: URL, signal: AbortSignal): Promise<Dispatcher> {
    const proxy = proxied.to(url);
    if (proxy !== null) await egress.checkBehindProxy(url.hostname.replace(/^\[|\]$/g, ""), signal);
    return proxy ?? direct;
  }

  return {
    async send(call, signal) {
      try {
        return await withDeadline(signal, limits.wholeMs, "the request", async (bounded) =>
          untilAborted(bounded, exchange(await wayTo(call.url, bounded), call, { ...limits, answerBytes }, nowMs, bounded)),
        );
      } catch (cause) {
        signal.throwIfAborted();
        throw failureOf(cause);
      }
    },
    close: async () => void (await Promise.all([direct.destroy(), proxied.close()])),
  };
}

/** Names are checked when they are resolved, and addresses, which nobody resolves, before. */
function checkedConnector(egress: Egress, { connectMs }: HttpLimits, cas?: readonly string[]): buildConnector.connector {
  const trust = cas === undefined ? {} : { ca: [...cas] };
  const connect = buildConnector({ timeout: connectMs, lookup: egress.lookup, allowH2: false, ...trust });
  return (options, callback) => {
    try {
      egress.checkLiteral(options.hostname);
    } catch (refused) {
      return callback(refused as AppError, null); // it throws nothing else
    }
    return connect(options, callback);
  };
}

async function exchange(
  dispatcher: Dispatcher,
  call: HttpCall,
  limits: HttpLimits & { readonly answerBytes: number },
  nowMs: () => number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const answer = await request.call(dispatcher, {
    origin: call.url.origin,
    path: `${call.url.pathname}${call.url.search}`,
    method: call.method,
    headers: { "user-agent": `Outpost/${version}`, accept: "*/*", ...call.headers },
    body: call.body,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    signal,
  });
  const { statusCode: status, headers } = answer;
  const wish = headers["retry-after"];
  const askedMs = retryAfterMs(Array.isArray(wish) ? wish[0] : wish, nowMs());
  return { status, headers, text: await beginningOf(answer.body, limits, signal), retryAfterMs: askedMs };
}

/** The status counts, and it is there: whatever happens to the rest of the answer, this is what came of it. */
async function beginningOf(
  body: Dispatcher.ResponseData["body"],
  { bodyMs, answerBytes }: Pick<HttpLimits, "bodyMs"> & { readonly answerBytes: number },
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const read = async (): Promise<void> => {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= answerBytes) return;
    }
  };
  try {
    await withDeadline(signal, bodyMs, "the answer", (bounded) => untilAborted(bounded, read()));
  } catch {
    signal.throwIfAborted();
  }
  body.on("error", () => undefined).destroy();
  return Buffer.concat(chunks).subarray(0, answerBytes).toString("utf8");
}

function failureOf(cause: unknown): AppError {
  const inner = innermost(cause);
  if (inner instanceof AppError) return inner;
  return new AppError("unreachable", failureText(inner), { cause });
}
