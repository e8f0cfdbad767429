import type { EncodedForm } from "./encoded-forms.ts";

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
  /** About what it takes in memory. */
  readonly bytes: number;
  readonly #window: number;
  readonly #patterns: Patterns;
  readonly #mask: number;
  readonly #shifts: Uint8Array;
  readonly #chainMask: number;
  readonly #chains: Int32Array;
  readonly #nextInChain: Int32Array;

  /** @param forms at least one, each of at least four bytes */
  constructor(forms: readonly EncodedForm[]) {
    const patterns = new Patterns(forms);
    this.#patterns = patterns;
    this.patternCount = patterns.count;
    this.maxLength = forms.reduce((longest, form) => Math.max(longest, longestHit(form)), 0);
    this.#window = Math.min(patterns.shortest, maxWindow);
    const bits = Math.min(17, Math.max(11, Math.ceil(Math.log2(patterns.count * this.#window * 4))));
    this.#mask = 2 ** bits - 1;
    this.#shifts = new Uint8Array(2 ** bits).fill(this.#window - blockBytes + 1);
    this.#chainMask = 2 ** Math.ceil(Math.log2(patterns.count * 2)) - 1;
    this.#chains = new Int32Array(this.#chainMask + 1).fill(-1);
    this.#nextInChain = new Int32Array(patterns.count);
    for (let index = 0; index < patterns.count; index += 1) this.#enter(patterns.startOf(index), index);
    this.bytes = patterns.bytes + this.#shifts.length + this.#chains.byteLength + this.#nextInChain.byteLength;
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

  #enter(start: number, index: number): void {
    const window = this.#window;
    const { pool } = this.#patterns;
    for (let last = blockBytes - 1; last < window; last += 1) {
      const hash = blockHash(pool, start + last) & this.#mask;
      const shift = window - 1 - last;
      if (shift < (this.#shifts[hash] as number)) this.#shifts[hash] = shift;
      if (shift > 0) continue;
      const chain = hash & this.#chainMask;
      this.#nextInChain[index] = this.#chains[chain] as number;
      this.#chains[chain] = index;
    }
  }

  #verify(bytes: Uint8Array, start: number, length: number, hash: number, hits: number[]): void {
    const patterns = this.#patterns;
    const prefix = prefixAt(bytes, start);
    for (let index = this.#chains[hash & this.#chainMask] as number; index !== -1; index = this.#nextInChain[index] as number) {
      if (patterns.prefixes[index] !== prefix) continue;
      const end = patterns.endOfMatch(index, bytes, start, length);
      if (end !== -1) hits.push(start, end);
    }
  }
}

/**
 * What is compared at a position: a head byte by byte, then of foldable forms the rest of the form, passing over line
 * breaks. In a few arrays: 100 secrets have 20,000 patterns, most of them a break somewhere in a head.
 */
class Patterns {
  readonly count: number;
  /** Length of the shortest head. */
  readonly shortest: number;
  /** All heads, one after the other. */
  readonly pool: Uint8Array;
  readonly prefixes: Int32Array;
  readonly #starts: Int32Array;
  /** Which form a head goes on with, -1 where it is all of it; always behind as many bytes. */
  readonly #formOf: Int32Array;
  readonly #forms: readonly EncodedForm[];

  constructor(forms: readonly EncodedForm[]) {
    this.#forms = forms;
    this.count = forms.reduce((sum, form) => sum + headCount(form), 0);
    this.pool = new Uint8Array(forms.reduce((sum, form) => sum + poolBytes(form), 0));
    this.#starts = new Int32Array(this.count + 1);
    this.#formOf = new Int32Array(this.count).fill(-1);
    this.#fill(forms);
    this.prefixes = Int32Array.from({ length: this.count }, (_, index) => prefixAt(this.pool, this.startOf(index)));
    this.shortest = forms.reduce((least, form) => Math.min(least, headLength(form)), maxWindow);
  }

  get bytes(): number {
    const ofForms = this.#forms.reduce((sum, form) => sum + form.bytes.length + bytesPerForm, 0);
    return this.pool.length + this.prefixes.byteLength + this.#starts.byteLength + this.#formOf.byteLength + ofForms;
  }

  startOf(index: number): number {
    return this.#starts[index] as number;
  }

  /** Where the match ends, or -1. The first four bytes are known to be the same. */
  endOfMatch(index: number, bytes: Uint8Array, start: number, length: number): number {
    const { pool } = this;
    const from = this.startOf(index);
    const headLength = this.startOf(index + 1) - from;
    if (start + headLength > length) return -1;
    for (let at = 4; at < headLength; at += 1) if (bytes[start + at] !== pool[from + at]) return -1;
    const form = this.#forms[this.#formOf[index] as number];
    return form === undefined ? start + headLength : endOfFolded(form.bytes, bytes, start + headLength, length);
  }

  #fill(forms: readonly EncodedForm[]): void {
    let [next, at] = [0, 0];
    const add = (form: number, bytes: Uint8Array, from: number): void => {
      this.pool.set(bytes, from);
      at = from + bytes.length;
      this.#formOf[next - 1] = form;
      this.#starts[next] = at;
    };
    for (const [index, form] of forms.entries()) {
      const head = form.bytes.subarray(0, headLength(form));
      next += 1;
      add(form.foldable ? index : -1, head, at);
      for (let cut = 1; form.foldable && cut < head.length; cut += 1) {
        for (const lineBreak of lineBreakBytes) {
          next += 1;
          this.pool.set(head.subarray(0, cut), at);
          this.pool.set(lineBreak, at + cut);
          add(index, head.subarray(cut), at + cut + lineBreak.length);
        }
      }
    }
  }
}

const lineBreakBytes = lineBreaks.map((text) => Buffer.from(text));
const allBreakBytes = lineBreaks.join("").length;
const bytesPerForm = 150;

function headLength({ bytes, foldable }: EncodedForm): number {
  return foldable ? Math.min(maxWindow, bytes.length) : bytes.length;
}

function headCount(form: EncodedForm): number {
  return form.foldable ? 1 + (headLength(form) - 1) * lineBreaks.length : 1;
}

function poolBytes(form: EncodedForm): number {
  const length = headLength(form);
  return form.foldable ? headCount(form) * length + (length - 1) * allBreakBytes : length;
}

/** Lines of base64 are 64 or 76 characters long; some writers use fewer. */
function maxFolds(length: number): number {
  return Math.ceil(length / 40) + 1;
}

function longestHit({ bytes, foldable }: EncodedForm): number {
  return bytes.length + (foldable ? longestLineBreak * (maxFolds(bytes.length) + 1) : 0);
}

/** Where the rest of a form ends, or -1. */
function endOfFolded(tail: Uint8Array, bytes: Uint8Array, start: number, length: number): number {
  let at = start;
  let folds = maxFolds(tail.length);
  for (let index = Math.min(maxWindow, tail.length); index < tail.length; index += 1) {
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
