import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import request from "undici/lib/api/api-request.js";
import Agent from "undici/lib/dispatcher/agent.js";
import { withDeadline } from "#daemon/deadline.ts";
import { createProxyDispatcher } from "#daemon/proxy-dispatcher.ts";
import type { Secret } from "#daemon/secret.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError } from "#domain/app-error.ts";
import { usualCas } from "../host/extra-ca.ts";

const connectTimeoutMs = 10_000;
/** More than any reply of the protocol needs: 1,000 jobs of 32 KB. */
const replyLimitBytes = 64 * 1024 * 1024;

export interface ClientRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are read for this one exchange; `headers` then tell their length. The next chunk is asked for when the socket has taken the one before. */
  readonly body: string | Buffer | (() => AsyncIterable<Buffer>) | null;
  /** Bounds the whole exchange: connect, headers and body. */
  readonly limitMs: number;
  /** Of the reply; 64 MiB where absent. */
  readonly mostBytes?: number;
  /** The body of the reply is no text. */
  readonly wantsBytes?: boolean;
}

export interface ClientReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Where they were asked for. */
  readonly bytes?: Buffer;
}

/** Sends one request to the control plane and reads the reply. It never retries and gives no status a meaning. */
export interface ControlPlaneClient {
  /**
   * @throws {AppError} deadline_exceeded, unreachable or too_large
   * @throws whatever `signal` was aborted with
   */
  send(request: ClientRequest, signal: AbortSignal): Promise<ClientReply>;
  close(): Promise<void>;
}

/** @param extraCas PEM blocks that are trusted beside the usual CAs */
export function createControlPlaneClient(baseUrl: URL, proxy: Secret | null, extraCas: readonly string[]): ControlPlaneClient {
  const dispatcher = createDispatcher(proxy, extraCas);
  const prefix = baseUrl.pathname.replace(/\/$/, "");
  return {
    async send(request, signal) {
      try {
        // undici looks at the signal only when it has a connection; a request that is given up before is then not sent.
        return await withDeadline(signal, request.limitMs, `${request.method} ${request.path}`, (bounded) =>
          untilAborted(bounded, exchange(dispatcher, baseUrl.origin, prefix, request, bounded)),
        );
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof AppError) throw cause;
        throw new AppError("unreachable", describeFailure(cause), { cause });
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** Keep-alive connections live shorter than the usual 60 s of a load balancer, which would cut them in mid request. */
function createDispatcher(proxy: Secret | null, extraCas: readonly string[]): Dispatcher {
  const trust = extraCas.length === 0 ? {} : { ca: [...usualCas(), ...extraCas] };
  const connect = { timeout: connectTimeoutMs, ...trust };
  const options = { keepAliveTimeout: 30_000, keepAliveMaxTimeout: 55_000, connections: 16 };
  return proxy === null ? new Agent({ ...options, connect }) : createProxyDispatcher(proxy, { ...options, connect });
}

async function exchange(
  dispatcher: Dispatcher,
  origin: string,
  prefix: string,
  asked: ClientRequest,
  signal: AbortSignal,
): Promise<ClientReply> {
  const reply = await request.call(dispatcher, {
    origin,
    path: prefix + asked.path,
    method: asked.method,
    headers: asked.headers,
    body: typeof asked.body === "function" ? asBody(asked.body()) : asked.body,
    headersTimeout: asked.limitMs,
    bodyTimeout: asked.limitMs,
    signal,
  });
  const { mostBytes = replyLimitBytes } = asked;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of reply.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new AppError("too_large", `the reply to ${asked.method} ${asked.path} is over ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const { statusCode: status, headers } = reply;
  return asked.wantsBytes === true && status < 300
    ? { status, headers, text: "", bytes: body }
    : { status, headers, text: body.toString("utf8") };
}

/** undici takes any iterable as a body (and waits for the socket between its chunks), which its types do not know. */
function asBody(bytes: AsyncIterable<Buffer>): Readable {
  return bytes as Readable;
}

/** The innermost reason, as `CODE: message`; a failed connect to several addresses counts as its last one. */
function describeFailure(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeFailure(error.errors.at(-1));
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error && error.cause !== error) return describeFailure(error.cause);
  const code = "code" in error && typeof error.code === "string" ? `${error.code}: ` : "";
  return `${code}${error.message}`;
}
