import type { EncodedForm } from "./encoded-forms.ts";

/** What is compared at a position: `head` byte by byte, then `tail` from `tailFrom` on, passing over line breaks. */
interface Pattern {
  readonly head: Uint8Array;
  readonly tail: Uint8Array | null;
  readonly tailFrom: number;
}

/** Longest window, bytes. Longer ones hardly skip more and make building slower. */
const maxWindow = 16;
const blockBytes = 3;
const lineBreaks = ["\n", "\r\n", "\\n", "\\r\\n"] as const;
const longestLineBreak = 4;

/**
 * Finds many byte patterns in one pass (Wu–Manber over blocks of three bytes): the hash of the window's last block
 * says how far to skip. Several hundred MB/s with thousands of patterns; a text made of a secret's own prefix is slower.
 *
 * Base64 folded into lines is found too: a break inside the window is a pattern of its own, later ones are passed over.
 */
export class Scanner {
  /** No hit is longer, breaks included. */
  readonly maxLength: number;
  readonly patternCount: number;
  readonly #window: number;
  readonly #patterns: readonly Pattern[];
  readonly #prefixes: Int32Array;
  readonly #mask: number;
  readonly #shifts: Uint8Array;
  readonly #chainMask: number;
  readonly #chains: Int32Array;
  readonly #nextInChain: Int32Array;

  /** @param forms at least one, each of at least four bytes */
  constructor(forms: readonly EncodedForm[]) {
    const patterns = forms.flatMap(patternsOf);
    this.#patterns = patterns;
    this.patternCount = patterns.length;
    this.maxLength = forms.reduce((longest, form) => Math.max(longest, longestHit(form)), 0);
    this.#window = patterns.reduce((shortest, { head }) => Math.min(shortest, head.length), maxWindow);
    this.#prefixes = Int32Array.from(patterns, ({ head }) => prefixAt(head, 0));
    const bits = Math.min(17, Math.max(11, Math.ceil(Math.log2(patterns.length * this.#window * 4))));
    this.#mask = 2 ** bits - 1;
    this.#shifts = new Uint8Array(2 ** bits).fill(this.#window - blockBytes + 1);
    this.#chainMask = 2 ** Math.ceil(Math.log2(patterns.length * 2)) - 1;
    this.#chains = new Int32Array(this.#chainMask + 1).fill(-1);
    this.#nextInChain = new Int32Array(patterns.length);
    patterns.forEach(({ head }, index) => this.#enter(head, index));
  }

  /** All hits in the first `length` bytes, as start, end, start, end …, by rising start. They may overlap. */
  scan(bytes: Uint8Array, length: number): number[] {
    const hits: number[] = [];
    const window = this.#window;
    const mask = this.#mask;
    const shifts = this.#shifts;
    let last = window - 1;
    while (last < length) {
      const hash = blockHash(bytes, last) & mask;
      const shift = shifts[hash] as number;
      if (shift === 0) {
        this.#verify(bytes, last - window + 1, length, hash, hits);
        last += 1;
      } else last += shift;
    }
    return hits;
  }

  #enter(head: Uint8Array, index: number): void {
    const window = this.#window;
    for (let last = blockBytes - 1; last < window; last += 1) {
      const hash = blockHash(head, last) & this.#mask;
      const shift = window - 1 - last;
      if (shift < (this.#shifts[hash] as number)) this.#shifts[hash] = shift;
      if (shift > 0) continue;
      const chain = hash & this.#chainMask;
      this.#nextInChain[index] = this.#chains[chain] as number;
      this.#chains[chain] = index;
    }
  }

  #verify(bytes: Uint8Array, start: number, length: number, hash: number, hits: number[]): void {
    const prefix = prefixAt(bytes, start);
    for (let index = this.#chains[hash & this.#chainMask] as number; index !== -1; index = this.#nextInChain[index] as number) {
      if (this.#prefixes[index] !== prefix) continue;
      const end = endOfMatch(this.#patterns[index] as Pattern, bytes, start, length);
      if (end !== -1) hits.push(start, end);
    }
  }
}

function patternsOf({ bytes, foldable }: EncodedForm): Pattern[] {
  if (!foldable) return [{ head: bytes, tail: null, tailFrom: 0 }];
  const headLength = Math.min(maxWindow, bytes.length);
  const tail = { tail: bytes, tailFrom: headLength };
  const folded = Array.from({ length: headLength - 1 }, (_, index) =>
    lineBreaks.map((lineBreak) => {
      const before = bytes.subarray(0, index + 1);
      return { head: Buffer.concat([before, Buffer.from(lineBreak), bytes.subarray(index + 1, headLength)]), ...tail };
    }),
  );
  return [{ head: bytes.subarray(0, headLength), ...tail }, ...folded.flat()];
}

/** Lines of base64 are 64 or 76 characters long; some writers use fewer. */
function maxFolds(length: number): number {
  return Math.ceil(length / 40) + 1;
}

function longestHit({ bytes, foldable }: EncodedForm): number {
  return bytes.length + (foldable ? longestLineBreak * (maxFolds(bytes.length) + 1) : 0);
}

/** Where the match ends, or -1. */
function endOfMatch({ head, tail, tailFrom }: Pattern, bytes: Uint8Array, start: number, length: number): number {
  if (start + head.length > length) return -1;
  for (let at = 4; at < head.length; at += 1) if (bytes[start + at] !== head[at]) return -1;
  const end = start + head.length;
  return tail === null ? end : endOfFolded(tail, tailFrom, bytes, end, length);
}

function endOfFolded(tail: Uint8Array, tailFrom: number, bytes: Uint8Array, start: number, length: number): number {
  let at = start;
  let folds = maxFolds(tail.length);
  for (let index = tailFrom; index < tail.length; index += 1) {
    if (bytes[at] !== tail[index] || at >= length) {
      const skip = folds > 0 ? lineBreakAt(bytes, at, length) : 0;
      if (skip === 0 || at + skip >= length || bytes[at + skip] !== tail[index]) return -1;
      at += skip;
      folds -= 1;
    }
    at += 1;
  }
  return at;
}

/** Length of the line break at a position, as it is or escaped as in JSON; 0 when there is none. */
function lineBreakAt(bytes: Uint8Array, at: number, length: number): number {
  return lineBreaks.find((lineBreak) => at + lineBreak.length <= length && startsWith(bytes, at, lineBreak))?.length ?? 0;
}

function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}

function blockHash(bytes: Uint8Array, last: number): number {
  const first = bytes[last - 2] as number;
  return (first << 9) ^ ((bytes[last - 1] as number) << 4) ^ (bytes[last] as number) ^ (first >>> 3);
}

/** Four bytes as one number. */
function prefixAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
}
