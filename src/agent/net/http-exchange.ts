import type { Socket } from "node:net";
import type { BodyLease } from "./body-memory.ts";
import { type Body, type BodySink, bodySink } from "./http-body.ts";
import { requestHead, type WireRequest } from "./http-request.ts";
import { type HeaderRecord, type ResponseEvents, type ResponseHead, ResponseReader } from "./http-response.ts";
import type { Inbox } from "./inbox.ts";
import { ProbeError, socketFailure } from "./probe-error.ts";
import type { StepWatch } from "./step-watch.ts";

export interface Answer extends ResponseHead {
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
  /** Where the bytes of the body are counted; absent: nowhere. */
  readonly bodyMemory?: BodyLease | undefined;
}

/** For the whole header block, interim responses included: a drip of either never ends by itself (ms). */
const headersLimitMs = 10_000;
/** How long a body may stand still (ms). */
const bodyIdleLimitMs = 10_000;

/**
 * One request and its response on a connected socket whose bytes `inbox` gets. The socket is destroyed at the end,
 * whatever happens: each run and each hop has a connection of its own.
 *
 * @throws {ProbeError} ECONNRESET, ETIMEDOUT, EPROTO, EHEADERSIZE, EBADHEADER, EBODYRATIO, EBODYENCODING
 * @throws the signal's reason
 */
export function exchange(socket: Socket, inbox: Inbox, wire: WireRequest, context: ExchangeContext, trace: ExchangeTrace): Promise<Answer> {
  return new Promise((resolve, reject) => {
    new Exchange(socket, wire, context, trace, resolve, reject).start(inbox);
  });
}

/**
 * - head: waits for the head of the response. Leaves to body, or ends.
 * - body: its parts go to the sink. Ends with the sink's word.
 * - over: the promise is settled and the socket gone.
 */
type Phase = "head" | "body" | "over";

class Exchange implements ResponseEvents {
  readonly #socket: Socket;
  readonly #wire: WireRequest;
  readonly #context: ExchangeContext;
  readonly #trace: ExchangeTrace;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #reader: ResponseReader;
  #phase: Phase = "head";
  #head: ResponseHead | null = null;
  #sink: BodySink | null = null;

  constructor(
    socket: Socket,
    wire: WireRequest,
    context: ExchangeContext,
    trace: ExchangeTrace,
    resolve: (answer: Answer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#socket = socket;
    this.#wire = wire;
    this.#context = context;
    this.#trace = trace;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#reader = new ResponseReader(context.peer, this);
  }

  start(inbox: Inbox): void {
    const socket = this.#socket;
    this.#context.watch.enter(`headers of the response from ${this.#context.peer}`, headersLimitMs, this.#fail);
    inbox.open(socket, this.#onBytes);
    socket.on("error", this.#onError);
    socket.on("end", this.#onClose);
    socket.on("close", this.#onClose);
    try {
      const head = requestHead(this.#wire);
      if (this.#wire.body === null) socket.write(head, "latin1");
      else {
        socket.cork();
        socket.write(head, "latin1");
        socket.write(this.#wire.body);
        socket.uncork();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  onHead(head: ResponseHead): "as the head says" | "no" {
    this.#head = head;
    this.#trace.statusCode = head.status;
    if (!this.#context.wantsBody(head.status, head.headers)) {
      this.#finish(null);
      return "no";
    }
    const events = {
      done: (body: Body) => this.#finish(body),
      fail: this.#fail,
      pause: () => this.#socket.pause(),
      resume: () => this.#socket.resume(),
    };
    this.#sink = bodySink(head.headers["content-encoding"], events, this.#context.bodyMemory);
    return this.#wire.method === "HEAD" ? "no" : "as the head says";
  }

  onBody(part: Buffer): void {
    this.#sink?.add(part);
  }

  onEnd(): void {
    this.#sink?.end();
  }

  readonly #onBytes = (bytes: Buffer): void => {
    if (this.#phase === "over") return;
    this.#trace.responseMs ??= this.#context.monotonicMs();
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.#fail(error);
    }
    this.#watchBody();
  };

  /** Only bodies that do not come with their head are watched. */
  #watchBody(): void {
    if (this.#phase === "body") this.#context.watch.progress();
    if (this.#phase !== "head" || this.#head === null) return;
    this.#phase = "body";
    this.#context.watch.enter("body of the response: standing still", bodyIdleLimitMs, this.#fail);
  }

  readonly #onClose = (): void => {
    if (this.#phase === "over" || this.#reader.close()) return;
    this.#fail(new ProbeError("ECONNRESET", `${this.#context.peer} closed the connection (${this.#step()})`));
  };

  readonly #onError = (cause: unknown): void => {
    if (!this.#reader.isDone) this.#fail(socketFailure(cause, this.#context.peer, this.#step()));
  };

  #step(): string {
    const { responseMs, statusCode } = this.#trace;
    if (responseMs === null) return "before it answered";
    return statusCode === null ? "within the headers" : "within the body";
  }

  #finish(body: Body | null): void {
    if (this.#head === null || this.#phase === "over") return;
    this.#trace.endMs = this.#context.monotonicMs();
    this.#end();
    const { status, statusText, headers, rawHeaders } = this.#head;
    this.#resolve({ status, statusText, headers, rawHeaders, body });
  }

  readonly #fail = (reason: unknown): void => {
    if (this.#end()) this.#reject(reason);
  };

  #end(): boolean {
    if (this.#phase === "over") return false;
    this.#phase = "over";
    this.#context.watch.leave();
    this.#sink?.destroy();
    this.#socket.destroy();
    return true;
  }
}
