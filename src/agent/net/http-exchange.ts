import type { ClientRequest, IncomingMessage } from "node:http";
import { nodeHttp } from "#daemon/node-http.ts";
import type { Socket } from "node:net";
import { readBody, type Body } from "./http-body.ts";
import { codeOf, ProbeError, socketFailure } from "./probe-error.ts";
import type { StepWatch } from "./step-watch.ts";

/** What goes over the wire. Header names and values alternate; framing headers are the exchange's own. */
export interface WireRequest {
  readonly method: string;
  /** A path with its query, or a whole URL for a proxy. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer | null;
}

/** Lower-case name to value, several values joined with ", "; without a prototype, since the names are the peer's words. */
export type HeaderRecord = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderRecord;
  /** Names and values alternate, as received. */
  readonly rawHeaders: readonly string[];
  /** Null where the caller did not want it. */
  readonly body: Body | null;
}

export interface ExchangeTrace {
  /** When the first byte of the response came. */
  responseMs: number | null;
  endMs: number | null;
  statusCode: number | null;
}

export interface ExchangeContext {
  readonly monotonicMs: () => number;
  readonly watch: StepWatch;
  /** Asked when the headers are there; false ends the exchange with them. */
  readonly wantsBody: (status: number, headers: HeaderRecord) => boolean;
  /** For messages: `10.0.0.1:443`. */
  readonly peer: string;
}

/** For the whole header block, interim responses included: Node.js stops neither a drip nor endless 100-continue (ms). */
const headersLimitMs = 10_000;
const headerBlockBytes = 16 * 1024;

/**
 * One request and its response on a connected socket, by node:http. The socket is destroyed at the end, whatever
 * happens: each run and each hop has a connection of its own.
 *
 * @throws {ProbeError} ECONNRESET, ETIMEDOUT, EPROTO, EHEADERSIZE, EBADHEADER, EBODYRATIO, EBODYENCODING
 * @throws the signal's reason
 */
export function exchange(socket: Socket, wire: WireRequest, context: ExchangeContext, trace: ExchangeTrace): Promise<Answer> {
  const { watch, monotonicMs } = context;
  return new Promise((resolve, reject) => {
    let open = true;
    const end = (settle: () => void): void => {
      if (!open) return;
      open = false;
      watch.leave();
      socket.destroy();
      settle();
    };
    const fail = (reason: unknown): void => end(() => reject(reason));
    const failHttp = (cause: unknown): void => fail(exchangeFailure(cause, context.peer, trace));
    const onResponse = (message: IncomingMessage): void => {
      const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = message;
      const headers = headerRecord(rawHeaders);
      const done = (body: Body | null): void => {
        if (open) trace.endMs = monotonicMs();
        end(() => resolve({ status, statusText, headers, rawHeaders, body }));
      };
      trace.statusCode = status;
      message.on("error", failHttp);
      if (context.wantsBody(status, headers)) readBody(message, headers, watch, { fail, done });
      else done(null);
    };

    watch.enter(`headers of the response from ${context.peer}`, headersLimitMs, fail);
    // Before node:http's own listener, and unlike `once` it does not start the flow: the stamp is taken before parsing.
    socket.prependOnceListener("data", () => {
      trace.responseMs = monotonicMs();
    });
    const request = openRequest(socket, wire, fail);
    if (request === null) return;
    request.on("error", failHttp);
    request.on("upgrade", () => fail(new ProbeError("EPROTO", `${context.peer} switched to a protocol that nobody asked for`)));
    request.on("response", onResponse);
    request.end(wire.body);
  });
}

/** Header names and values in turn as a record; names as they are, or lower-case. */
export function headerRecord(flat: readonly string[], lowerCase = true): Record<string, string> {
  const headers = { __proto__: null } as unknown as Record<string, string>;
  for (let index = 0; index < flat.length; index += 2) {
    const name = lowerCase ? (flat[index] ?? "").toLowerCase() : (flat[index] ?? "");
    const value = flat[index + 1] ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

function openRequest(socket: Socket, wire: WireRequest, fail: (reason: unknown) => void): ClientRequest | null {
  try {
    return nodeHttp.request({
      createConnection: () => socket,
      method: wire.method,
      path: wire.path,
      headers: wire.headers,
      setHost: false,
      maxHeaderSize: headerBlockBytes,
    });
  } catch (cause) {
    fail(new ProbeError("EBADHEADER", "a header or the address of the request holds characters that HTTP does not allow", { cause }));
    return null;
  }
}

function exchangeFailure(cause: unknown, peer: string, trace: ExchangeTrace): ProbeError {
  if (cause instanceof ProbeError) return cause;
  const code = codeOf(cause);
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ProbeError("EHEADERSIZE", `${peer} sent more than ${headerBlockBytes / 1024} KB of headers`, { cause });
  }
  if (code.startsWith("HPE_")) {
    return new ProbeError("EPROTO", `${peer} does not speak valid HTTP/1.1 (${code.slice(4).replaceAll("_", " ").toLowerCase()})`, { cause });
  }
  const step = trace.responseMs === null ? "before it answered" : trace.statusCode === null ? "within the headers" : "within the body";
  return socketFailure(cause, peer, step);
}
