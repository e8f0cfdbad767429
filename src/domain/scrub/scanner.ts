import type { EncodedForm } from "./encoded-forms.ts";
import { prefixAt, ScanPatterns } from "./scan-patterns.ts";

const blockBytes = 3;

/**
 * Finds many byte patterns in one pass (Wu–Manber over blocks of three bytes): the hash of the window's last block
 * says how far to skip. Several hundred MB/s with thousands of patterns; a text made of a secret's own parts is slower.
 */
export class Scanner {
  /** No hit of one form is longer. */
  readonly maxLength: number;
  readonly patternCount: number;
  /** About what it takes in memory. */
  readonly bytes: number;
  readonly #window: number;
  readonly #patterns: ScanPatterns;
  readonly #mask: number;
  readonly #shifts: Uint8Array;
  readonly #chainMask: number;
  readonly #chains: Int32Array;
  readonly #nextInChain: Int32Array;

  /** @param forms at least one, each of at least four bytes */
  constructor(forms: readonly EncodedForm[]) {
    const patterns = new ScanPatterns(forms);
    this.#patterns = patterns;
    this.patternCount = patterns.count;
    this.maxLength = patterns.maxLength;
    this.#window = patterns.shortest;
    const bits = Math.min(17, Math.max(11, Math.ceil(Math.log2(patterns.count * this.#window * 4))));
    this.#mask = 2 ** bits - 1;
    this.#shifts = new Uint8Array(2 ** bits).fill(this.#window - blockBytes + 1);
    this.#chainMask = 2 ** Math.ceil(Math.log2(patterns.count * 2)) - 1;
    this.#chains = new Int32Array(this.#chainMask + 1).fill(-1);
    this.#nextInChain = new Int32Array(patterns.count);
    for (let index = 0; index < patterns.count; index += 1) this.#enter(patterns.startOf(index), index);
    this.bytes = patterns.bytes + this.#shifts.length + this.#chains.byteLength + this.#nextInChain.byteLength;
  }

  /** Where the first `length` bytes hold secrets, as start, end, start, end …, by rising start; they neither overlap nor touch. */
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
      if (patterns.prefixes[index] === prefix) patterns.match(index, bytes, start, length, hits);
    }
  }
}

function blockHash(bytes: Uint8Array, last: number): number {
  const first = bytes[last - 2] as number;
  return (first << 9) ^ ((bytes[last - 1] as number) << 4) ^ (bytes[last] as number) ^ (first >>> 3);
}
