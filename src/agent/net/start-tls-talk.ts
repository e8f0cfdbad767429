import type { Socket } from "node:net";
import type { StepContext } from "./connection.ts";
import { ProbeError, socketFailure } from "./probe-error.ts";

/** For the whole talk in the clear (ms). */
const talkLimitMs = 10_000;
const maxLineBytes = 4 * 1024;
const maxBytes = 32 * 1024;
const maxLines = 200;

/**
 * The talk in the clear that comes before TLS: lines and bytes in the order they came, bounded in size, number and time.
 * One reader at a time. After `done` or an error nothing of it is left on the socket.
 */
export class ClearTalk {
  readonly #socket: Socket;
  readonly #context: StepContext;
  readonly #peer: string;
  #pending: Buffer = Buffer.alloc(0);
  #receivedBytes = 0;
  #lines = 0;
  #failure: unknown;
  #wake: (() => void) | undefined;

  /** @param step for messages: `STARTTLS with 10.0.0.1:25` */
  constructor(socket: Socket, step: string, peer: string, context: StepContext) {
    this.#socket = socket;
    this.#context = context;
    this.#peer = peer;
    socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd).on("error", this.#onError);
    context.watch.enter(step, talkLimitMs, this.#fail);
  }

  /** The socket's own address, for protocols that want to know who speaks. */
  get localAddress(): string {
    return this.#socket.localAddress ?? "";
  }

  say(words: string | Buffer): void {
    this.#socket.write(words);
  }

  /** The next line, without its end. @throws {ProbeError} ESTARTTLS, ECONNRESET, ETIMEDOUT */
  async line(): Promise<string> {
    this.#lines += 1;
    if (this.#lines > maxLines) throw this.failure(`sent more than ${maxLines} lines`);
    let end = this.#pending.indexOf(10);
    while (end < 0) {
      if (this.#pending.length > maxLineBytes) break;
      await this.#more();
      end = this.#pending.indexOf(10);
    }
    if (end < 0 || end > maxLineBytes) throw this.failure(`sent a line of more than ${maxLineBytes} bytes`);
    return this.#take(end + 1)
      .toString("latin1")
      .replace(/\r?\n$/, "");
  }

  /** The next bytes, exactly so many. @throws {ProbeError} as `line` */
  async bytes(count: number): Promise<Buffer> {
    if (count > maxBytes) throw this.failure(`announced an answer of ${count} bytes`);
    while (this.#pending.length < count) await this.#more();
    return this.#take(count);
  }

  /**
   * Ends the talk. What was already sent in the clear must not be taken for what comes over TLS (CVE-2011-0411, CVE-2021-23222):
   * it may be from somebody else.
   *
   * @throws {ProbeError} EINJECTION
   */
  done(): void {
    const left = this.#pending.length;
    if (left > 0)
      throw new ProbeError("EINJECTION", `${this.#peer} sent ${left} bytes in the clear after it agreed to TLS; they may not be its own`);
    this.#leave();
  }

  /** Ends the talk and the connection. */
  abandon(): void {
    this.#leave();
    this.#socket.destroy();
  }

  /** `10.0.0.1:25 does not offer STARTTLS`; what it said is made printable and short. */
  failure(what: string, said?: string): ProbeError {
    return new ProbeError("ESTARTTLS", `${this.#peer} ${what}${said ? `: it said "${printable(said)}"` : ""}`);
  }

  #more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#wake = undefined;
        if (this.#failure === undefined) resolve();
        else reject(this.#failure);
      };
      if (this.#failure === undefined) this.#wake = settle;
      else settle();
    });
  }

  #take(count: number): Buffer {
    const taken = this.#pending.subarray(0, count);
    this.#pending = this.#pending.subarray(count);
    return taken;
  }

  #leave(): void {
    this.#context.watch.leave();
    this.#socket.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd).off("error", this.#onError);
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#receivedBytes += bytes.length;
    if (this.#receivedBytes > maxBytes) return this.#fail(this.failure(`sent more than ${maxBytes} bytes before TLS`));
    this.#pending = Buffer.concat([this.#pending, bytes]);
    this.#wake?.();
  };

  readonly #onEnd = (): void =>
    this.#fail(new ProbeError("ECONNRESET", `${this.#peer} closed the connection before TLS could begin (STARTTLS)`));

  readonly #onError = (cause: Error): void => this.#fail(socketFailure(cause, this.#peer, "STARTTLS"));

  readonly #fail = (reason: unknown): void => {
    this.#failure ??= reason;
    this.#wake?.();
  };
}

/** One line of at most 100 characters that a terminal and a page can show. */
function printable(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, "?");
  return clean.length > 100 ? `${clean.slice(0, 100)}…` : clean;
}
