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
export function isListComma(bytes: Uint8Array, at: number): boolean {
  if (at === 0 || !isHexadecimal(bytes[at - 1] as number)) return false;
  const next = bytes[at + 1] as number;
  return isDecimal(next) || isBlank(next) || next === minus;
}

/** The bytes of the list around its first comma; null where there are too few numbers. Of one that may go on, its last number may be cut. */
export function listAt(source: Source, firstComma: number): DecodedText | null {
  const { bytes, length, isEnd, isCut } = source;
  const { items, isOpen } = numbersAt(source, firstItem(bytes, firstComma));
  if (items.length / 2 < leastItems) return null;
  const list = new DecodedText(items[0] as number);
  list.bytes = Buffer.allocUnsafe(items.length / 2);
  for (let index = 0; index < items.length; index += 2) {
    const [from, to] = [items[index] as number, items[index + 1] as number];
    list.bytes[list.length] = valueOf(bytes, from, to);
    list.length += 1;
    list.mark(list.length - 1, list.length, from, to);
  }
  list.end = items.at(-1) as number;
  const isLast = skipBlanks(bytes, list.end, length) === length;
  list.isOpen = isOpen || (!isEnd && isLast);
  list.isCut = isCutBehind(bytes, list.end, length) || (isCut && isLast);
  return list;
}

/** Where each number begins and ends, and whether more of them may come. */
function numbersAt({ bytes, length, isEnd }: Source, first: number): { readonly items: readonly number[]; readonly isOpen: boolean } {
  const items: number[] = [];
  for (let at = first; at !== -1; ) {
    if (at === length) return { items, isOpen: !isEnd };
    const after = itemEnd(bytes, at, length);
    if (after === -1) break;
    if (after === length && !isEnd) return { items, isOpen: true };
    items.push(at, after);
    at = nextItem(bytes, after, length);
  }
  return { items, isOpen: false };
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
