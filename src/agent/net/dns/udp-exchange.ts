import { peerName } from "../connection.ts";
import { codeOf, ProbeError, socketFailure } from "../probe-error.ts";
import { answersQuery, type Query } from "./message.ts";
import { openUdpSocket, type UdpSocket } from "./udp-socket.ts";

/** What every exchange needs. */
export interface AskContext {
  readonly signal: AbortSignal;
  readonly monotonicMs: () => number;
  /** The times of UDP answers are wanted as the kernel saw them. */
  readonly isMeasured?: boolean;
}

/** The packet that answers a query, and when the first question left and the answer came. */
export interface Received {
  readonly packet: Buffer;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** After so long the question is asked again; the waits double. A lost packet must not cost a check its answer. */
const firstWaitMs = 300;

/**
 * One question over UDP, from a socket of its own: connected, so that the kernel drops what other addresses send and
 * tells at once that nothing listens; its random port and the query's random id are what a forger must guess. Packets
 * that do not answer the question are passed over.
 *
 * @throws {ProbeError} ETIMEDOUT, ECONNREFUSED, EHOSTUNREACH …
 * @throws the signal's reason
 */
export function exchangeUdp(address: string, port: number, query: Query, limitMs: number, context: AskContext): Promise<Received> {
  return new Promise((resolve, reject) => {
    if (context.signal.aborted) reject(context.signal.reason);
    else new UdpExchange(address, port, query, limitMs, context, resolve, reject).start();
  });
}

class UdpExchange {
  readonly #address: string;
  readonly #port: number;
  readonly #query: Query;
  readonly #limitMs: number;
  readonly #context: AskContext;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #udp: UdpSocket;
  #timer: NodeJS.Timeout | undefined;
  #startedMs = 0;
  #sentMs = 0;
  #waitMs = firstWaitMs;
  #passedOver = 0;
  #isOver = false;

  constructor(
    address: string,
    port: number,
    query: Query,
    limitMs: number,
    context: AskContext,
    resolve: (received: Received) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#address = address;
    this.#port = port;
    this.#query = query;
    this.#limitMs = limitMs;
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#udp = openUdpSocket(address, context.isMeasured ?? false);
  }

  start(): void {
    const { signal, monotonicMs } = this.#context;
    const { socket } = this.#udp;
    signal.addEventListener("abort", this.#onAbort);
    socket.on("error", this.#onError);
    socket.on("message", this.#onMessage);
    this.#startedMs = monotonicMs();
    socket.connect(this.#port, this.#address, this.#onConnect);
  }

  readonly #onConnect = (error?: unknown): void => {
    if (this.#isOver) return;
    if (error instanceof Error) return this.#onError(error);
    this.#sentMs = this.#context.monotonicMs();
    this.#send();
  };

  #send(): void {
    this.#udp.socket.send(this.#query.packet);
    const restMs = Math.max(1, this.#startedMs + this.#limitMs - this.#context.monotonicMs());
    const isLast = restMs <= this.#waitMs;
    this.#timer = setTimeout(isLast ? this.#onLate : this.#onSilence, Math.ceil(isLast ? restMs : this.#waitMs));
    this.#waitMs *= 2;
  }

  readonly #onSilence = (): void => this.#send();

  /** A loop that was late may find the time over and the answer here: that is read first. */
  readonly #onLate = (): void => void setImmediate(this.#onTimeOver);

  readonly #onTimeOver = (): void => {
    const noise = this.#passedOver === 0 ? "" : ` (${this.#passedOver} packets came that do not answer the question)`;
    this.#fail(new ProbeError("ETIMEDOUT", `${this.#peer()} did not answer over UDP within ${this.#limitMs} ms${noise}`));
  };

  readonly #onMessage = (packet: Buffer): void => {
    const receivedMs = this.#context.monotonicMs();
    if (this.#isOver) return;
    if (!answersQuery(packet, this.#query)) {
      this.#passedOver += 1;
      return;
    }
    const arrivedMs = Math.max(this.#sentMs, receivedMs - this.#udp.ageMs());
    this.#end();
    this.#resolve({ packet, sentMs: this.#sentMs, receivedMs: arrivedMs });
  };

  readonly #onError = (cause: Error): void => {
    if (codeOf(cause) === "ECONNREFUSED")
      this.#fail(new ProbeError("ECONNREFUSED", `${this.#peer()} refused the question: nothing listens there over UDP`, { cause }));
    else this.#fail(socketFailure(cause, this.#peer(), "question over UDP"));
  };

  readonly #onAbort = (): void => this.#fail(this.#context.signal.reason);

  #peer(): string {
    return peerName(this.#address, this.#port);
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#reject(reason);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#context.signal.removeEventListener("abort", this.#onAbort);
    this.#udp.socket.close();
  }
}
