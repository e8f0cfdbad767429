import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";
import { type ProxySettings, proxyFor } from "#daemon/proxy.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { encodedPath, encodedQuery, type S3Credentials, sha256, signedHeaders } from "./s3-signature.ts";

export interface S3Settings extends S3Credentials {
  readonly endpoint: URL;
  readonly bucket: string;
  /** The bucket in the path; else in front of the host. */
  readonly pathStyle: boolean;
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Requests to one bucket. Statuses are for the caller to judge; no answer is an AppError unavailable. */
export interface S3Client {
  /** Small things, tried up to three times. */
  send(request: S3Request): Promise<S3Answer>;
  /** Sends bytes as they come, once. */
  upload(request: Omit<S3Request, "text">, size: number, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<S3Answer>;
  /** The answer's body is still to be read. */
  download(request: S3Request): Promise<IncomingMessage>;
}

/** Without a byte for so long a connection is given up, ms. */
const idleMs = 30_000;
const tries = 3;
/** No answer that is read whole is longer, but for one that is not S3's. */
const answerLimitBytes = 65_536;
const never = new AbortController().signal;

export function createS3Client(settings: S3Settings, proxies: ProxySettings, nowMs: () => number): S3Client {
  const isTls = settings.endpoint.protocol === "https:";
  const agent = connections(settings, proxies);

  function begin({ method, key, query = {}, headers = {} }: S3Request, payloadHash: string): ClientRequest {
    const url = addressOf(settings, key, query);
    const signed = signedHeaders({ method, url, headers, payloadHash, nowMs: nowMs() }, settings);
    const open = isTls ? httpsRequest : httpRequest;
    const request = open(url, { method, headers: signed, agent });
    request.setTimeout(idleMs, () => request.destroy(new AppError("unavailable", `the artifact store was silent for ${idleMs / 1000} s`)));
    return request;
  }

  async function answered(asked: S3Request): Promise<IncomingMessage> {
    const { text = "" } = asked;
    const headers = { ...asked.headers, "content-length": String(Buffer.byteLength(text)) };
    const request = begin({ ...asked, headers }, sha256(text));
    const answer = answerOf(request);
    request.end(text);
    return answer;
  }

  /** What fails in passing is tried again: these requests may come twice. */
  async function again<T extends { readonly status: number }>(attempt: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      const got = await attempt().catch((error: unknown) => {
        if (failures < tries && hasCode(error, "unavailable")) return null;
        throw error;
      });
      if (got !== null && (failures >= tries || (got.status < 500 && got.status !== 429))) return got;
      await sleep(100 * 4 ** failures, never);
    }
  }

  return {
    send: (asked) => again(async () => readWhole(await answered(asked))),
    async upload(asked, size, bytes, signal) {
      const headers = { ...asked.headers, "content-length": String(size) };
      const request = begin({ ...asked, headers }, "UNSIGNED-PAYLOAD");
      const answer = answerOf(request);
      let problem: { readonly cause: unknown } | null = null;
      async function* source(): AsyncGenerator<Uint8Array> {
        try {
          yield* bytes;
        } catch (cause) {
          problem = { cause };
          throw cause;
        }
      }
      // The way to the server may end before the bytes do, with or without its answer: then that counts.
      await pipeline(source(), request, { signal }).catch(() => {
        if (problem !== null) throw problem.cause;
        signal.throwIfAborted();
      });
      return readWhole(await answer);
    },
    async download(asked) {
      const answer = await again(async () => {
        const message = await answered(asked);
        return { status: message.statusCode ?? 0, message };
      });
      return answer.message;
    },
  };
}

function connections(settings: S3Settings, proxies: ProxySettings): HttpAgent {
  const proxy = proxyFor(addressOf(settings, "", {}), proxies)?.reveal();
  const proxyEnv = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
  const options = { keepAlive: true, ...(proxy !== undefined && { proxyEnv }) };
  return settings.endpoint.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
}

/** @throws {AppError} unavailable, also when the request is given up */
function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const fail = (cause?: unknown): void => reject(cause instanceof AppError ? cause : unreachable(cause));
  request.once("response", resolve).once("error", fail).once("close", fail);
  promise.catch(() => undefined); // whoever sends hears of it later
  return promise;
}

/** @throws {AppError} unavailable when it ends in its middle */
export async function readWhole(message: IncomingMessage): Promise<S3Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= answerLimitBytes) chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : unreachable(cause);
  }
  return { status: message.statusCode ?? 0, headers: message.headers, text: Buffer.concat(chunks).toString("utf8") };
}

function unreachable(cause: unknown): AppError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no answer";
  return new AppError("unavailable", `the artifact store cannot be reached (${code})`, { cause });
}

function addressOf({ endpoint, bucket, pathStyle }: S3Settings, key: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${endpoint.hostname}`;
  const before = endpoint.pathname.split("/").filter((part) => part !== "");
  url.pathname = encodedPath([...before, ...(pathStyle ? [bucket] : []), ...key.split("/")]);
  url.search = encodedQuery(query);
  return url;
}
