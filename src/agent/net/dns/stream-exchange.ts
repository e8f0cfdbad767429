import type { Socket } from "node:net";
import type { Inbox } from "../inbox.ts";
import { ProbeError, socketFailure } from "../probe-error.ts";
import type { StepWatch } from "../step-watch.ts";
import { answersQuery, type Query } from "./message.ts";
import type { Received } from "./udp-exchange.ts";

export interface StreamContext {
  readonly monotonicMs: () => number;
  readonly watch: StepWatch;
  /** For messages: `10.0.0.1:853`. */
  readonly peer: string;
  readonly limitMs: number;
}

/** So many messages may answer other questions before we stop to read. */
const maxPassedOver = 100;

/**
 * One question over a connection (RFC 7766 §8: each message after its length), which is destroyed at the end.
 * @throws {ProbeError} ECONNRESET, ETIMEDOUT, EDNSFORMAT
 * @throws the signal's reason
 */
export function exchangeStream(socket: Socket, inbox: Inbox, query: Query, context: StreamContext): Promise<Received> {
  const { peer, watch, monotonicMs } = context;
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const frames = new Frames();
  let sentMs = 0;
  let passedOver = 0;
  let isOver = false;
  const end = (settle: () => void): void => {
    if (isOver) return;
    isOver = true;
    watch.leave();
    socket.destroy();
    settle();
  };
  const fail = (reason: unknown): void => end(() => reject(reason));
  const onBytes = (bytes: Buffer): void => {
    const receivedMs = monotonicMs();
    for (let at = 0; at < bytes.length && !isOver; ) {
      const { next, packet } = frames.take(bytes, at);
      at = next;
      if (packet === null) continue;
      if (answersQuery(packet, query)) return end(() => resolve({ packet, sentMs, receivedMs }));
      passedOver += 1;
      if (passedOver > maxPassedOver) return fail(new ProbeError("EDNSFORMAT", `${peer} answers questions that nobody asked`));
    }
  };
  const onClose = (): void => {
    const step = frames.missing === null ? "before it answered" : `within its answer, ${frames.missing} bytes too early`;
    fail(new ProbeError("ECONNRESET", `${peer} closed the connection ${step}`));
  };
  watch.enter(`answer of ${peer}`, context.limitMs, fail);
  inbox.open(socket, onBytes);
  socket.on("error", (cause) => fail(socketFailure(cause, peer, "before it answered")));
  socket.on("end", onClose);
  socket.on("close", onClose);
  sentMs = monotonicMs();
  if (!isOver) socket.write(framed(query.packet));
  return promise;
}

function framed(packet: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(2 + packet.length);
  frame.writeUInt16BE(packet.length);
  packet.copy(frame, 2);
  return frame;
}

/** Puts messages together from bytes as they come, however they are cut. */
class Frames {
  #firstLengthByte: number | null = null;
  #packet: Buffer | null = null;
  #filled = 0;

  /** Bytes that the message under way lacks, or null between messages. */
  get missing(): number | null {
    if (this.#packet !== null) return this.#packet.length - this.#filled;
    return this.#firstLengthByte === null ? null : 1;
  }

  /** @returns where to go on, and a message that is now whole */
  take(bytes: Buffer, at: number): { next: number; packet: Buffer | null } {
    if (this.#packet === null) {
      const byte = bytes[at] ?? 0;
      if (this.#firstLengthByte === null) this.#firstLengthByte = byte;
      else {
        this.#packet = Buffer.allocUnsafe(this.#firstLengthByte * 0x100 + byte);
        this.#firstLengthByte = null;
        this.#filled = 0;
      }
      return this.#wholeAt(at + 1);
    }
    const copied = bytes.copy(this.#packet, this.#filled, at);
    this.#filled += copied;
    return this.#wholeAt(at + copied);
  }

  #wholeAt(next: number): { next: number; packet: Buffer | null } {
    const packet = this.#packet !== null && this.#filled === this.#packet.length ? this.#packet : null;
    if (packet !== null) this.#packet = null;
    return { next, packet };
  }
}
