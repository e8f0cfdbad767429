import { htmlEntities } from "./html-entities.ts";

/** No escape takes more bytes: `\xf0\x9f\x98\x80`. */
export const longestEscape = 16;
/** Nor an entity: `&thetasym;`. */
const longestEntity = 12;

const [backslash, percent, ampersand, semicolon, hash, digitZero] = [0x5c, 0x25, 0x26, 0x3b, 0x23, 0x30];
const [letterU, capitalU, letterX, openBrace, closeBrace] = [0x75, 0x55, 0x78, 0x7b, 0x7d];

/** 1 for each byte that begins an escape. */
export const introducers = new Uint8Array(256);
for (const introducer of [backslash, percent, ampersand]) introducers[introducer] = 1;

/** What may follow each of them. */
export const behindIntroducers: readonly (readonly [introducer: string, next: RegExp])[] = [
  ["\\", /["'`\\/bfnrtvxuU]/],
  ["%", /[0-9a-fA-Fu]/],
  ["&", /[#0-9a-zA-Z]/],
];

/** What a character behind a backslash stands for (RFC 8259 §7, and what JavaScript, Python and PHP add); 0 for nothing. */
const behindBackslash = new Uint8Array(256);
for (const [index, letter] of Array.from("bfnrtv").entries()) behindBackslash[letter.charCodeAt(0)] = "\b\f\n\r\t\v".charCodeAt(index);
for (const itself of `"'\`\\/`) behindBackslash[itself.charCodeAt(0)] = itself.charCodeAt(0);

const lastCodePoint = 0x10ffff;
const replacement = 0xfffd;

/**
 * Reads one escape of JSON, of a programming language, of HTML or of a URL, in whatever text it stands: `\"`, `\/`, `\u003c`, `\u{3c}`, `\x3c`,
 * `&lt;`, `&#60;`, `&#x3C;`, `%3C`, `%u003C`. One object for many, as there may be millions.
 */
export class EscapeReader {
  /** How many bytes the escape takes. */
  length = 0;
  /** The code point that it stands for. */
  value = 0;

  /** Whether one stands at `at` and ends before `end`. */
  read(bytes: Uint8Array, at: number, end: number): boolean {
    const first = bytes[at];
    if (first === percent) return this.#percent(bytes, at, end);
    if (first === backslash) return this.#backslash(bytes, at, end);
    return first === ampersand && this.#entity(bytes, at, end);
  }

  #is(length: number, value: number): boolean {
    if (value < 0 || value > lastCodePoint) return false;
    this.length = length;
    this.value = value;
    return true;
  }

  #percent(bytes: Uint8Array, at: number, end: number): boolean {
    if (bytes[at + 1] === letterU) return this.#unit(bytes, at, end);
    return this.#character(bytes, at, 1, end);
  }

  /** Bytes in escapes of their own, `%c3%a9`, are one character in UTF-8; one that is none in UTF-8 is one of Latin-1. @param skip up to the digits */
  #character(bytes: Uint8Array, at: number, skip: 1 | 2, end: number): boolean {
    const first = hexadecimal(bytes, at + skip, 2, end);
    const each = skip + 2;
    const more = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let value = first & (0x3f >> more);
    for (let index = 1; index <= more; index += 1) {
      const next = at + index * each;
      const isAlike = bytes[next] === bytes[at] && bytes[next + skip - 1] === bytes[at + skip - 1];
      const byte = isAlike ? hexadecimal(bytes, next + skip, 2, end) : -1;
      if (byte >>> 6 !== 2) return this.#is(each, first);
      value = (value << 6) | (byte & 0x3f);
    }
    return more === 0 ? this.#is(each, first) : this.#is(each * (more + 1), value);
  }

  #backslash(bytes: Uint8Array, at: number, end: number): boolean {
    if (at + 1 >= end) return false;
    const next = bytes[at + 1] as number;
    const letter = behindBackslash[next] as number;
    if (letter !== 0) return this.#is(2, letter);
    if (next === letterX) return this.#character(bytes, at, 2, end);
    if (next === capitalU) return this.#is(10, hexadecimal(bytes, at + 2, 8, end));
    if (next !== letterU) return false;
    return bytes[at + 2] === openBrace ? this.#braces(bytes, at, end) : this.#unit(bytes, at, end);
  }

  /** `\ud83d`, `%ud83d`: a unit of UTF-16, of which two may be one character. */
  #unit(bytes: Uint8Array, at: number, end: number): boolean {
    const high = hexadecimal(bytes, at + 2, 4, end);
    if (high < 0xd800 || high > 0xdfff) return this.#is(6, high);
    const hasNext = bytes[at + 6] === bytes[at] && bytes[at + 7] === letterU;
    const low = hasNext ? hexadecimal(bytes, at + 8, 4, end) : -1;
    if (high > 0xdbff || low < 0xdc00 || low > 0xdfff) return this.#is(6, replacement);
    return this.#is(12, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
  }

  #braces(bytes: Uint8Array, at: number, end: number): boolean {
    for (let close = at + 4; close <= at + 9 && close < end; close += 1) {
      if (bytes[close] === closeBrace) return this.#is(close + 1 - at, hexadecimal(bytes, at + 3, close - at - 3, end));
    }
    return false;
  }

  #entity(bytes: Uint8Array, at: number, end: number): boolean {
    let close = at + 2;
    while (close < end && close < at + longestEntity && (bytes[close] as number) >= digitZero && bytes[close] !== semicolon) close += 1;
    if (close >= end || bytes[close] !== semicolon) return false;
    const length = close + 1 - at;
    if (bytes[at + 1] !== hash) return this.#is(length, entityNamed(bytes, at + 1, close));
    const isHexadecimal = ((bytes[at + 2] as number) | 0x20) === letterX;
    return this.#is(length, isHexadecimal ? hexadecimal(bytes, at + 3, length - 4, end) : decimal(bytes, at + 2, length - 3));
  }
}

/** By the first four letters of its name as a number, as texts are made for each look-up otherwise. */
const shortEntities = new Map(
  [...htmlEntities].filter(([name]) => name.length <= 4).map(([name, value]) => [numberOf(Buffer.from(name), 0, name.length), value]),
);

/** The code point, or -1. */
function entityNamed(bytes: Uint8Array, from: number, to: number): number {
  const value =
    to - from <= 4 ? shortEntities.get(numberOf(bytes, from, to)) : htmlEntities.get(String.fromCharCode(...bytes.subarray(from, to)));
  return value ?? -1;
}

function numberOf(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) number = number * 256 + (bytes[at] as number);
  return number;
}

/** The number that the digits are, or -1. */
function hexadecimal(bytes: Uint8Array, at: number, digits: number, end: number): number {
  if (at + digits > end || digits < 1) return -1;
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const digit = hexadecimalDigits[bytes[index] as number] as number;
    if (digit < 0 || value > lastCodePoint) return -1;
    value = value * 16 + digit;
  }
  return value;
}

const hexadecimalDigits = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit += 1) {
  for (const written of [digit.toString(16), digit.toString(16).toUpperCase()]) hexadecimalDigits[written.charCodeAt(0)] = digit;
}

function decimal(bytes: Uint8Array, at: number, digits: number): number {
  if (digits < 1) return -1;
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const digit = (bytes[index] as number) - digitZero;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Writes a code point as UTF-8, of at most four bytes. @returns where it ends */
export function writeUtf8(out: Uint8Array, at: number, codePoint: number): number {
  if (codePoint < 0x80) {
    out[at] = codePoint;
    return at + 1;
  }
  const more = codePoint < 0x800 ? 1 : codePoint < 0x10000 ? 2 : 3;
  out[at] = (0xff80 >> more) | (codePoint >> (6 * more)); // as many leading ones as bytes; the upper half is cut off
  for (let index = 1; index <= more; index += 1) out[at + index] = 0x80 | ((codePoint >> (6 * (more - index))) & 0x3f);
  return at + more + 1;
}
