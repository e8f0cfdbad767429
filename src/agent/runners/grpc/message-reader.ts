import { ProbeError } from "../../net/probe-error.ts";

/** What is read of one message, before and after decompression. */
export const messageLimitBytes = 4 * 1024 * 1024;

/** One message as it came. */
export interface WireMessage {
  readonly isCompressed: boolean;
  readonly bytes: Buffer;
}

const prefixBytes = 5;

/** Cuts the bytes of a stream into messages: a flag, four bytes of length, the message (gRPC, doc/PROTOCOL-HTTP2.md). */
export class MessageReader {
  readonly #peer: string;
  #rest: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #missing = prefixBytes;
  #isCompressed: boolean | null = null;

  constructor(peer: string) {
    this.#peer = peer;
  }

  /** Whether the bytes so far end between two messages. */
  get isBetween(): boolean {
    return this.#isCompressed === null && this.#missing === prefixBytes;
  }

  /**
   * The messages that are whole now. A message that says that it is too long is refused before it is read.
   *
   * @throws {ProbeError} EGRPCSIZE, EGRPCFORMAT
   */
  push(bytes: Buffer): WireMessage[] {
    const whole: WireMessage[] = [];
    this.#rest = bytes;
    while (this.#fill()) {
      const part = this.#take();
      if (this.#isCompressed !== null) {
        whole.push({ isCompressed: this.#isCompressed, bytes: part });
        this.#isCompressed = null;
        this.#missing = prefixBytes;
      } else this.#readPrefix(part);
    }
    return whole;
  }

  /** Moves what is wanted out of the rest; true when all of it is there. */
  #fill(): boolean {
    if (this.#rest.length === 0 && this.#missing > 0) return false;
    const part = this.#rest.subarray(0, this.#missing);
    this.#rest = this.#rest.subarray(part.length);
    this.#missing -= part.length;
    this.#parts.push(part);
    return this.#missing === 0;
  }

  #take(): Buffer {
    const part = Buffer.concat(this.#parts);
    this.#parts = [];
    return part;
  }

  #readPrefix(prefix: Buffer): void {
    const flag = prefix.readUInt8(0);
    const length = prefix.readUInt32BE(1);
    if (flag > 1) throw new ProbeError("EGRPCFORMAT", `${this.#peer} sent something that is no gRPC message (it begins with ${flag})`);
    if (length > messageLimitBytes) throw tooLarge(this.#peer, `is ${length} bytes long`);
    this.#isCompressed = flag === 1;
    this.#missing = length;
  }
}

/** A message as it goes on the wire, uncompressed. */
export function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** @param how `is 5 bytes long`, `unpacks to more` */
export function tooLarge(peer: string, how: string): ProbeError {
  return new ProbeError("EGRPCSIZE", `a message of ${peer} ${how}; at most ${messageLimitBytes} bytes (4 MB) are read`);
}
