import { type Packet, parser } from "mqtt-packet";
import { AppError } from "#domain/app-error.ts";

/** Whoever follows results sends nothing larger: a name, a key, some topics. */
export const maxPacketBytes = 8_192;

/**
 * Cuts MQTT packets out of what comes, however it is cut. How long a packet is says its first bytes; one that is too long is refused before
 * the rest of it is kept.
 */
export class PacketReader {
  readonly #parser = parser();
  readonly #parsed: Packet[] = [];
  #problem: Error | undefined;
  #held: Buffer = Buffer.alloc(0);

  constructor() {
    this.#parser.on("packet", (packet) => this.#parsed.push(packet));
    this.#parser.on("error", (error: Error) => {
      this.#problem = error;
    });
  }

  /** @throws {AppError} too_large, invalid_input */
  read(bytes: Buffer): readonly Packet[] {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    for (let size = sizeOf(this.#held); size !== null && size <= this.#held.length; size = sizeOf(this.#held)) {
      this.#parser.parse(this.#held.subarray(0, size));
      this.#held = this.#held.subarray(size);
      if (this.#problem !== undefined) throw new AppError("invalid_input", "A packet is no MQTT 3.1.1", { cause: this.#problem });
    }
    return this.#parsed.splice(0);
  }
}

/**
 * Of the packet that the bytes begin with, all of it; null as long as too few are there (MQTT 3.1.1 §2.2.3).
 *
 * @throws {AppError} too_large, invalid_input
 */
function sizeOf(bytes: Buffer): number | null {
  let rest = 0;
  for (let index = 1; index <= 4; index += 1) {
    const byte = bytes[index];
    if (byte === undefined) return null;
    rest += (byte & 0x7f) * 128 ** (index - 1);
    if ((byte & 0x80) !== 0) continue;
    const size = 1 + index + rest;
    if (size > maxPacketBytes) throw new AppError("too_large", `A packet has at most ${maxPacketBytes} bytes`);
    return size;
  }
  throw new AppError("invalid_input", "The length of a packet has at most 4 bytes");
}
