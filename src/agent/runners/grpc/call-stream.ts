import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import type { GrpcMetadataEntry } from "#contract/checks/grpc.ts";
import type { StepContext } from "../../net/connection.ts";
import { ProbeError } from "../../net/probe-error.ts";
import { type CallSession, headersLimitBytes, headersTooLarge } from "./call-session.ts";
import { framed, MessageReader, type WireMessage } from "./message-reader.ts";
import { metadataEntries } from "./metadata.ts";
import { type GrpcStatus, statusIn } from "./status.ts";

/** One call as it is sent. */
export interface CallWish {
  /** `/package.Service/Method` */
  readonly path: string;
  readonly metadata: readonly (readonly [string, string])[];
  readonly acceptedEncodings: string;
  readonly userAgent: string;
  /** What is left of the deadline (ms). */
  readonly limitMs: number;
  /** For messages: `answer`, `reflection`. */
  readonly step: string;
}

/** How a call ended. */
export interface CallEnd {
  readonly status: GrpcStatus;
  readonly metadata: readonly GrpcMetadataEntry[];
  /** The header `grpc-encoding`. */
  readonly encoding: string | undefined;
  /** When the headers came, and when the call was over, on the run's clock. */
  readonly headMs: number;
  readonly endMs: number;
}

/** A call under way. `done` is settled once, with the status or a failure, and the stream is gone then. */
export interface OpenCall {
  send(message: Uint8Array): void;
  /** No more messages from us. */
  finish(): void;
  /** Nobody waits for the rest. */
  abandon(): void;
  readonly done: Promise<CallEnd>;
}

/**
 * Opens a call (gRPC, doc/PROTOCOL-HTTP2.md). `onMessage` is called with each message; what it throws ends the call.
 *
 * `done` throws {ProbeError} EGRPCHTTP, EGRPCSTATUS, EGRPCFORMAT, EGRPCSIZE, EHEADERSIZE, EPROTO, EFLOOD, ECONNRESET or ETIMEDOUT; or the
 * signal's reason.
 */
export function openCall(session: CallSession, wish: CallWish, context: StepContext, onMessage: (message: WireMessage) => void): OpenCall {
  const stream = session.open({
    ":method": "POST",
    ":path": wish.path,
    te: "trailers",
    "content-type": "application/grpc",
    "user-agent": wish.userAgent,
    "grpc-timeout": timeoutText(wish.limitMs),
    "grpc-accept-encoding": wish.acceptedEncodings,
    ...multiMap(wish.metadata),
  });
  const reading = new CallReading(stream, session, wish, context, onMessage);
  return {
    send: (message) => void stream.write(framed(message)),
    finish: () => void stream.end(),
    abandon: () => reading.abandon(),
    done: reading.done,
  };
}

/** At most eight digits and a unit (gRPC, doc/PROTOCOL-HTTP2.md). */
function timeoutText(limitMs: number): string {
  return `${Math.min(99_999_999, Math.max(1, Math.ceil(limitMs)))}m`;
}

function multiMap(pairs: CallWish["metadata"]): Record<string, string | string[]> {
  const map = new Map<string, string[]>();
  for (const [key, value] of pairs) map.set(key, [...(map.get(key) ?? []), value]);
  return Object.fromEntries(map);
}

class CallReading {
  readonly done: Promise<CallEnd>;
  readonly #stream: ClientHttp2Stream;
  readonly #session: CallSession;
  readonly #context: StepContext;
  readonly #reader: MessageReader;
  readonly #onMessage: (message: WireMessage) => void;
  readonly #resolve: (end: CallEnd) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #metadata: GrpcMetadataEntry[] = [];
  #headMs: number | null = null;
  #encoding: string | undefined;
  #status: GrpcStatus | null = null;
  #isOver = false;

  constructor(
    stream: ClientHttp2Stream,
    session: CallSession,
    { step, limitMs }: CallWish,
    context: StepContext,
    onMessage: (message: WireMessage) => void,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<CallEnd>();
    this.done = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stream = stream;
    this.#session = session;
    this.#context = context;
    this.#onMessage = onMessage;
    this.#reader = new MessageReader(session.peer);
    stream.on("error", (cause) => this.#onBroken(cause)); // stays on: what comes late has nobody else to hear it
    stream.on("response", (headers, _flags, raw?: readonly string[]) => this.#guarded(() => this.#onHead(headers, raw ?? [])));
    stream.on("trailers", (headers, _flags, raw?: readonly string[]) => this.#guarded(() => this.#onTrailers(headers, raw ?? [])));
    stream.on("end", () => this.#guarded(() => this.#onEnd()));
    stream.on("close", () => this.#onBroken(undefined)); // after its end, where that came
    // The signal ends with the deadline; this is for clocks that disagree.
    context.watch.enter(`${step} of ${session.peer}`, Math.max(0, Math.ceil(limitMs)) + 1_000, (reason) => this.#fail(reason));
  }

  abandon(): void {
    this.#fail(new ProbeError("ECONNRESET", "the call was given up"));
  }

  #onHead(headers: IncomingHttpHeaders & { readonly ":status"?: number | undefined }, raw: readonly string[]): void {
    this.#headMs = this.#context.monotonicMs();
    this.#bound(raw);
    const { ":status": status = 0, "content-type": type } = headers;
    if (status !== 200 || !isGrpc(type)) throw noGrpc(this.#session.peer, status, type);
    const encoding: unknown = headers["grpc-encoding"];
    this.#encoding = typeof encoding === "string" ? encoding : undefined;
    this.#status = statusIn(headers); // where nothing else follows
    this.#metadata.push(...metadataEntries(raw, false));
    // Not before: node:http2 tells the headers a turn later than the bytes behind them.
    this.#stream.on("data", (bytes: Buffer) => this.#guarded(() => this.#onBytes(bytes)));
  }

  #bound(raw: readonly string[]): void {
    if (raw.reduce((sum, text) => sum + text.length, 0) > headersLimitBytes) throw headersTooLarge(this.#session.peer);
  }

  #onTrailers(headers: IncomingHttpHeaders, raw: readonly string[]): void {
    this.#bound(raw);
    this.#status = statusIn(headers);
    this.#metadata.push(...metadataEntries(raw, true));
  }

  #onBytes(bytes: Buffer): void {
    if (this.#isOver) return;
    for (const message of this.#reader.push(bytes)) this.#onMessage(message);
  }

  /** The trailers are told in the same turn, before or after. */
  #onEnd(): void {
    const endMs = this.#context.monotonicMs();
    setImmediate(() => this.#guarded(() => this.#finish(endMs)));
  }

  #finish(endMs: number): void {
    const { peer } = this.#session;
    if (this.#headMs === null || this.#stream.aborted) return this.#onBroken(undefined);
    const status = this.#status;
    if (status === null) throw new ProbeError("EGRPCSTATUS", `${peer} ended the call without a status (grpc-status in the trailers)`);
    if (status.code === 0 && !this.#reader.isBetween)
      throw new ProbeError("EGRPCFORMAT", `${peer} ended the call in the middle of a message`);
    const end = { status, metadata: this.#metadata, encoding: this.#encoding, headMs: this.#headMs, endMs };
    this.#settle(() => this.#resolve(end));
  }

  #onBroken(cause: unknown): void {
    if (this.#isOver) return;
    if (cause instanceof ProbeError) return this.#fail(cause);
    // What the connection died of is told by the session's own events, in the same turn; and an end is looked at first.
    setImmediate(() => setImmediate(() => this.#fail(this.#session.failureOf(cause, this.#stream.rstCode))));
  }

  #guarded(handle: () => void): void {
    if (this.#isOver) return;
    try {
      handle();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(reason: unknown): void {
    this.#settle(() => this.#reject(reason));
  }

  #settle(settle: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#context.watch.leave();
    this.#stream.destroy();
    settle();
  }
}

/** `application/grpc`, with `+proto` or parameters behind it; not `application/grpc-web`. */
function isGrpc(type: string | undefined): boolean {
  return /^application\/grpc($|[+; ])/i.test(type ?? "");
}

function noGrpc(peer: string, status: number, type: string | undefined): ProbeError {
  const told = type === undefined ? "no content type" : `the content type ${JSON.stringify(type.slice(0, 100))}`;
  return new ProbeError("EGRPCHTTP", `${peer} did not answer as a gRPC server: HTTP status ${status}, ${told}`);
}
