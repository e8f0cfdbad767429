import { DecodedText, type Source } from "./decoded-text.ts";

/** So many numbers make a list; shorter ones hold no secret. */
const leastItems = 4;
/** Blanks between two numbers: `util.inspect` pads them and writes them in lines with an indentation. */
const mostBlanks = 40;
/** No four numbers, with what stands between them, take more bytes. */
export const longestListStart = leastItems * (2 * mostBlanks + 6);

/** What may follow a comma between two numbers. */
export const behindComma: readonly [comma: string, next: RegExp] = [",", /[0-9\s+-]/];

const [comma, minus, plus, zero, letterX, dot] = [0x2c, 0x2d, 0x2b, 0x30, 0x78, 0x2e];
const ellipsis = Buffer.from("…");

/** Whether a list may go on behind this comma; costs little. */
function isListComma(bytes: Uint8Array, at: number): boolean {
  if (at === 0 || !isHexadecimal(bytes[at - 1] as number)) return false;
  const next = bytes[at + 1] as number;
  return isDecimal(next) || isBlank(next) || next === minus;
}

/** The bytes of all lists of a source, one behind another, so that they are searched at once. */
export class ByteLists {
  readonly #source: Source;
  #text: DecodedText | null = null;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Null where there is none. */
  get text(): DecodedText | null {
    return this.#text;
  }

  /** Adds the list around its first comma, if there is one. Of one that may go on, its last number may be cut. @returns where to look further */
  add(firstComma: number): number {
    if (this.#text !== null && firstComma < this.#text.end) return this.#text.end;
    const { bytes, length, isEnd, isCut } = this.#source;
    if (!isListComma(bytes, firstComma)) return firstComma + 1;
    const first = firstItem(bytes, firstComma);
    if (!areEnough(bytes, first, length)) return firstComma + 1;
    const text = this.#textFrom(first);
    const isOpen = this.#addNumbers(text, first);
    const isLast = skipBlanks(bytes, text.end, length) === length;
    text.isOpen = isOpen || (!isEnd && isLast);
    text.isCut = isCut && isLast;
    if (isCutBehind(bytes, text.end, length)) text.length += ellipsis.copy(text.bytes, text.length);
    return text.end;
  }

  /** @returns whether more of them may come */
  #addNumbers(text: DecodedText, first: number): boolean {
    const { bytes, length, isEnd } = this.#source;
    for (let at = first; at !== -1; at = nextItem(bytes, text.end, length)) {
      if (at === length) return !isEnd;
      const after = itemEnd(bytes, at, length);
      if (after === -1) return false;
      if (after === length && !isEnd) return true; // its digits may go on
      text.bytes[text.length] = valueOf(bytes, at, after);
      text.length += 1;
      text.mark(text.length - 1, text.length, at, after);
      text.end = after;
    }
    return false;
  }

  #textFrom(start: number): DecodedText {
    const text = this.#text ?? new DecodedText(start);
    if (this.#text === null) text.bytes = Buffer.allocUnsafe(this.#source.length);
    else text.length = text.bytes.writeUInt8(0, text.length); // no secret goes on in the next list
    this.#text = text;
    return text;
  }
}

/** Few commas stand in lists of numbers: nothing is made for the others. */
function areEnough(bytes: Uint8Array, first: number, length: number): boolean {
  let at = first;
  for (let count = 1; ; count += 1) {
    const after = itemEnd(bytes, at, length);
    if (after === -1) return false;
    if (count === leastItems) return true;
    at = nextItem(bytes, after, length);
    if (at === -1) return false;
  }
}

/** Of the number before a comma, or of the one behind it where there is none. */
function firstItem(bytes: Uint8Array, at: number): number {
  for (let from = Math.max(0, at - 5); from < at; from += 1) {
    if ((from === 0 || !isWord(bytes[from - 1] as number)) && itemEnd(bytes, from, at) === at) return from;
  }
  return skipBlanks(bytes, at + 1, at + 1 + mostBlanks);
}

/** Where the number that begins at `at` ends; -1 where there is none. */
function itemEnd(bytes: Uint8Array, at: number, length: number): number {
  const from = bytes[at] === minus ? at + 1 : at;
  const isPrefixed = bytes[from] === zero && ((bytes[from + 1] as number) | 0x20) === letterX;
  const digits = isPrefixed ? from + 2 : from;
  const most = Math.min(length, digits + (isPrefixed ? 2 : 3));
  let end = digits;
  while (end < most && (isPrefixed ? isHexadecimal(bytes[end] as number) : isDecimal(bytes[end] as number))) end += 1;
  return end === digits || (end < length && isWord(bytes[end] as number)) ? -1 : end;
}

/** Where the next number may begin; -1 where no comma leads to it. */
function nextItem(bytes: Uint8Array, at: number, length: number): number {
  const before = skipBlanks(bytes, at, length);
  return before < length && bytes[before] === comma ? skipBlanks(bytes, before + 1, length) : -1;
}

function skipBlanks(bytes: Uint8Array, from: number, length: number): number {
  let at = from;
  while (at < length && at < from + mostBlanks && isBlank(bytes[at] as number)) at += 1;
  return at;
}

/** Java and others write bytes from 128 on as negative numbers. */
function valueOf(bytes: Uint8Array, from: number, to: number): number {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  const base = ((bytes[first + 1] as number) | 0x20) === letterX ? 16 : 10;
  let value = 0;
  for (let at = base === 16 ? first + 2 : first; at < to; at += 1) {
    const digit = bytes[at] as number;
    value = value * base + (isDecimal(digit) ? digit - zero : (digit | 0x20) - 0x57); // 0x57: `a` less ten
  }
  return (isNegative ? -value : value) & 0xff;
}

/** `util.inspect` writes 100 numbers of an array, and `... 23 more items`. */
function isCutBehind(bytes: Uint8Array, end: number, length: number): boolean {
  const next = nextItem(bytes, end, length);
  const at = next === -1 ? skipBlanks(bytes, end, length) : next;
  return at < length && ((bytes[at] === dot && bytes[at + 1] === dot) || bytes[at] === ellipsis[0]);
}

/** `+` is one in forms. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === plus || (byte >= 0x09 && byte <= 0x0d);
}

function isDecimal(byte: number): boolean {
  return byte >= zero && byte <= 0x39;
}

function isHexadecimal(byte: number): boolean {
  return isDecimal(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function isWord(byte: number): boolean {
  return isDecimal(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}
