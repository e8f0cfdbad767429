import { maxNameBytes } from "./domain-name.ts";

/** A message that breaks the rules of DNS; whoever knows the peer makes a ProbeError of it (EDNSFORMAT). */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

/** What the names and data of one message may grow to as text. Compression makes 64 KB stand for some 8 MB; honest answers stay far below. */
const textLimit = 256 * 1024;

/** Each jump of an honest name skips a label at least. */
const maxJumps = 127;

interface NameInPacket {
  readonly text: string;
  readonly wireBytes: number;
  /** Where the next field begins. */
  readonly end: number;
}

/** Bytes that stand for themselves in a name; zone files escape the others (as dig does). */
const plainInNames = new Uint8Array(256).map((_zero, code) =>
  code > 0x20 && code < 0x7f && !'"().;\\@$'.includes(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * Reads one DNS message. Every read is checked against the end; compression pointers must lead backwards, so that no
 * name can turn in a circle (RFC 9267).
 */
export class PacketReader {
  readonly #packet: Buffer;
  /** Names that pointers led to: most records of an answer share theirs. */
  readonly #names = new Map<number, NameInPacket>();
  #textLeft = textLimit;
  at = 0;

  constructor(packet: Buffer) {
    this.#packet = packet;
  }

  u8(): number {
    const value = this.#packet[this.at];
    if (value === undefined) throw cutShort();
    this.at += 1;
    return value;
  }

  u16(): number {
    return this.u8() * 0x100 + this.u8();
  }

  u32(): number {
    return this.u16() * 0x1_0000 + this.u16();
  }

  /** A view of the next bytes. */
  bytes(length: number): Buffer {
    const end = this.at + length;
    if (length < 0 || end > this.#packet.length) throw cutShort();
    const bytes = this.#packet.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  /** Counts text that is kept. @throws {MalformedMessage} when a message grows beyond reason */
  spend(text: string): string {
    this.#textLeft -= text.length;
    if (this.#textLeft < 0) throw new MalformedMessage("it unpacks to more than 256 KB");
    return text;
  }

  /** A name as zone files write it, with its final dot. */
  name(): string {
    const { text, end } = this.#nameAt(this.at, 0);
    this.at = end;
    return this.spend(text === "" ? "." : text);
  }

  #nameAt(start: number, jumps: number): NameInPacket {
    const packet = this.#packet;
    let at = start;
    let text = "";
    let wireBytes = 1;
    for (;;) {
      const length = packet[at];
      if (length === undefined) throw cutShort();
      if (length === 0) return { text, wireBytes, end: at + 1 };
      if (length >= 0xc0) {
        const target = (length & 0x3f) * 0x100 + (packet[at + 1] ?? 0x1_0000);
        if (target >= start || jumps === maxJumps) throw new MalformedMessage("a compressed name does not lead to its end");
        const rest = this.#nameAgain(target, jumps + 1);
        if (wireBytes + rest.wireBytes > maxNameBytes + 1) throw tooLong();
        return { text: text + rest.text, wireBytes: wireBytes + rest.wireBytes - 1, end: at + 2 };
      }
      if (length > 63) throw new MalformedMessage("a label is of an unknown kind");
      wireBytes += length + 1;
      if (wireBytes > maxNameBytes) throw tooLong();
      text += this.#label(at + 1, at + 1 + length);
      at += 1 + length;
    }
  }

  #nameAgain(at: number, jumps: number): NameInPacket {
    let known = this.#names.get(at);
    if (known === undefined) {
      known = this.#nameAt(at, jumps);
      this.#names.set(at, known);
    }
    return known;
  }

  #label(start: number, end: number): string {
    const packet = this.#packet;
    if (end > packet.length) throw cutShort();
    let isPlain = true;
    for (let at = start; at < end; at += 1) isPlain &&= plainInNames[packet[at] ?? 0] === 1;
    const label = packet.toString("latin1", start, end);
    return `${isPlain ? label : escaped(label, plainInNames)}.`;
  }
}

const plainInStrings = new Uint8Array(256).map((_zero, code) => (code >= 0x20 && code < 0x7f && code !== 0x22 && code !== 0x5c ? 1 : 0));

/** A character-string as zone files write it, in quotes. */
export function quoted(bytes: Buffer): string {
  return `"${escaped(bytes.toString("latin1"), plainInStrings)}"`;
}

/** Printable characters get a backslash, others their number (RFC 1035 §5.1). */
function escaped(latin1: string, plain: Uint8Array): string {
  let text = "";
  for (const character of latin1) {
    const code = character.charCodeAt(0);
    if (plain[code] === 1) text += character;
    else text += code > 0x20 && code < 0x7f ? `\\${character}` : `\\${String(code).padStart(3, "0")}`;
  }
  return text;
}

function tooLong(): MalformedMessage {
  return new MalformedMessage("a name is longer than 255 bytes");
}

function cutShort(): MalformedMessage {
  return new MalformedMessage("it ends too early");
}
