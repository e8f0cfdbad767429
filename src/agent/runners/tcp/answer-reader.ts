import type { Socket } from "node:net";
import type { TcpCheckResult } from "#contract/checks/tcp.ts";
import type { StepContext } from "../../net/connection.ts";
import type { Inbox } from "../../net/inbox.ts";
import { ProbeError, socketFailure } from "../../net/probe-error.ts";
import type { Expectation } from "./expectation.ts";

/** How much of an answer is read. */
const answerLimitBytes = 64 * 1024;
/** How long after the last bytes an answer counts as whole, where nothing is expected (ms). */
const quietMs = 300;

export interface AnswerWanted {
  /** What is sent first; null listens only. */
  readonly data: string | null;
  /** Null takes what comes. */
  readonly expectation: Expectation | null;
  /** For the whole answer (ms). */
  readonly limitMs: number;
  /** For messages: `10.0.0.1:25`. */
  readonly peer: string;
}

export interface Answer {
  /** At most 64 KB. */
  readonly bytes: Buffer;
  readonly bytesReceived: number;
  readonly truncated: boolean;
  readonly endedBy: NonNullable<TcpCheckResult["response"]>["endedBy"];
  /** When the answer was there; quiet after it does not count. */
  readonly endMs: number;
  /** It ended, and what was expected did not come: EEXPECT. */
  readonly failure: ProbeError | null;
}

/**
 * Sends `data` and reads what comes, to the first of: the expectation is met, the peer closes, 300 ms of quiet where
 * nothing is expected, 64 KB, the limit. The socket is left to the caller.
 *
 * @throws {ProbeError} ETIMEDOUT when nothing came in time, ECONNRESET when the peer broke off before anything did
 * @throws the signal's reason
 */
export function readAnswer(socket: Socket, inbox: Inbox, wanted: AnswerWanted, context: StepContext): Promise<Answer> {
  return new Promise((resolve, reject) => new AnswerReader(socket, wanted, context, resolve, reject).start(inbox));
}

class AnswerReader {
  readonly #socket: Socket;
  readonly #wanted: AnswerWanted;
  readonly #context: StepContext;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #keptBytes = 0;
  #receivedBytes = 0;
  #lastMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    socket: Socket,
    wanted: AnswerWanted,
    context: StepContext,
    resolve: (answer: Answer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#socket = socket;
    this.#wanted = wanted;
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#lastMs = context.monotonicMs();
  }

  start(inbox: Inbox): void {
    const { peer, limitMs, data } = this.#wanted;
    this.#context.watch.enter(`answer of ${peer}`, limitMs, this.#onLimit);
    this.#socket.on("end", this.#onClose).on("close", this.#onClose).on("error", this.#onError);
    inbox.open(this.#socket, this.#onBytes);
    if (data !== null && !this.#isOver) this.#socket.write(data);
  }

  readonly #onBytes = (bytes: Buffer): void => {
    if (this.#isOver) return;
    this.#lastMs = this.#context.monotonicMs();
    this.#receivedBytes += bytes.length;
    const kept = Buffer.from(bytes.subarray(0, answerLimitBytes - this.#keptBytes)); // the inbox's bytes go with this call
    this.#chunks.push(kept);
    this.#keptBytes += kept.length;
    if (this.#receivedBytes > answerLimitBytes) this.#end("limit");
    else this.#goOn();
  };

  /** Looks for what is expected, now or a little later; without it waits for quiet. */
  #goOn(): void {
    const { expectation } = this.#wanted;
    if (expectation === null) {
      if (this.#timer === undefined) this.#timer = setTimeout(() => this.#end("quiet"), quietMs);
      else this.#timer.refresh();
      return;
    }
    if (this.#timer !== undefined) return;
    const waitMs = expectation.waitMs(this.#keptBytes);
    if (waitMs === 0) this.#look(expectation);
    else this.#timer = setTimeout(() => this.#look(expectation), waitMs);
  }

  #look(expectation: Expectation): void {
    this.#timer = undefined;
    if (expectation.isMetBy(this.#bytes())) this.#settle("expect", null);
  }

  readonly #onClose = (): void => this.#end("close");

  /** A reset after an answer is how servers close that did not read all of `data`. */
  readonly #onError = (cause: Error): void => {
    if (this.#receivedBytes > 0) this.#end("close");
    else this.#fail(socketFailure(cause, this.#wanted.peer, "answer"));
  };

  readonly #onLimit = (reason: unknown): void => {
    if (this.#receivedBytes > 0 && reason instanceof ProbeError) this.#end("limit");
    else this.#fail(reason);
  };

  #end(endedBy: "close" | "quiet" | "limit"): void {
    if (this.#isOver) return;
    const { expectation, peer } = this.#wanted;
    if (expectation === null) return this.#settle(endedBy, null);
    if (expectation.isMetBy(this.#bytes())) return this.#settle("expect", null);
    const seen = `${this.#receivedBytes} bytes came${endedBy === "close" ? ", then it closed the connection" : ""}`;
    const why = expectation.problem ?? seen;
    this.#settle(endedBy, new ProbeError("EEXPECT", `nothing that ${peer} sent matches the expected expression (${why})`));
  }

  #bytes(): Buffer {
    if (this.#chunks.length > 1) this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks));
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #settle(endedBy: Answer["endedBy"], failure: ProbeError | null): void {
    if (endedBy === "close" || this.#receivedBytes === 0) this.#lastMs = this.#context.monotonicMs();
    this.#leave();
    const truncated = this.#receivedBytes > this.#keptBytes;
    this.#resolve({ bytes: this.#bytes(), bytesReceived: this.#receivedBytes, truncated, endedBy, endMs: this.#lastMs, failure });
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#leave();
    this.#reject(reason);
  }

  /** The listener for errors stays: one after the end has nobody else to hear it. */
  #leave(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#context.watch.leave();
  }
}
