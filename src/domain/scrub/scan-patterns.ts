import type { EncodedForm } from "./encoded-forms.ts";

/** Longest head, bytes. Longer ones hardly skip more and make building slower. */
const maxHead = 16;

/**
 * Folded base64 is looked for in lines of at least so many characters. Then one of the anchors of a form that is long enough stands in
 * one line, wherever the breaks are; of a shorter form each way to break its head is a head of its own.
 */
const shortestLine = 20;
const anchors = [0, 5, 10, 15] as const;
const anchoredBytes = 31;

const lineBreaks = ["\n", "\r\n"].map((text) => Buffer.from(text));
const longestLineBreak = 2;
const longestHead = maxHead + longestLineBreak;

/**
 * What is compared at a position: a head byte by byte, then the form around it, passing over line breaks where it is foldable.
 * The head is where a form is unlike the others, as tokens begin alike and addresses end alike. In a few arrays: a thousand
 * secrets have 66,000 heads.
 */
export class ScanPatterns {
  readonly count: number;
  /** Length of the shortest head. */
  readonly shortest: number;
  /** No hit is longer, breaks included. */
  readonly maxLength: number;
  /** All heads and all forms. */
  readonly pool: Uint8Array;
  /** The first four bytes of each head as one number. */
  readonly prefixes: Int32Array;
  /** Of each head where it is in the pool, its length, its form, and which bytes of the form it stands for. */
  readonly #heads: Int32Array;
  /** Of each form where it is in the pool, its length, and 1 where it is foldable. */
  readonly #forms: Int32Array;

  constructor(forms: readonly EncodedForm[]) {
    this.count = forms.reduce((sum, form) => sum + headCount(form), 0);
    this.shortest = forms.reduce((least, { bytes }) => Math.min(least, bytes.length), maxHead);
    this.maxLength = forms.reduce((longest, form) => Math.max(longest, longestHit(form)), 0);
    this.pool = new Uint8Array(forms.reduce((sum, form) => sum + form.bytes.length + headCount(form) * longestHead, 0));
    this.#heads = new Int32Array(this.count * headFields);
    this.#forms = new Int32Array(forms.length * formFields);
    this.#fill(forms);
    this.prefixes = new Int32Array(this.count);
    for (let index = 0; index < this.count; index += 1) this.prefixes[index] = prefixAt(this.pool, this.startOf(index));
  }

  get bytes(): number {
    return this.pool.length + this.prefixes.byteLength + this.#heads.byteLength + this.#forms.byteLength;
  }

  /** Where a head begins in the pool. */
  startOf(index: number): number {
    return this.#heads[index * headFields] as number;
  }

  /** Adds the hit whose head stands at `start`, if there is one. The first four bytes are known to be the same. */
  match(index: number, bytes: Uint8Array, start: number, length: number, hits: number[]): void {
    const { pool } = this;
    const head = index * headFields;
    const at = this.#heads[head] as number;
    const headLength = this.#heads[head + 1] as number;
    if (start + headLength > length) return;
    for (let next = 4; next < headLength; next += 1) if (bytes[start + next] !== pool[at + next]) return;
    const form = (this.#heads[head + 2] as number) * formFields;
    const formAt = this.#forms[form] as number;
    const formEnd = formAt + (this.#forms[form + 1] as number);
    const isFoldable = this.#forms[form + 2] === 1;
    const before = formAt + (this.#heads[head + 3] as number);
    const begin = beginOf(pool, formAt, before, bytes, start, isFoldable ? maxFolds(before - formAt) : 0);
    if (begin === -1) return;
    const behind = formAt + (this.#heads[head + 4] as number);
    const end = endOf(pool, behind, formEnd, bytes, start + headLength, length, isFoldable ? maxFolds(formEnd - behind) : 0);
    if (end !== -1) addHit(hits, begin, end);
  }

  #fill(forms: readonly EncodedForm[]): void {
    const { pool } = this;
    let [at, next] = [0, 0];
    const addHead = (form: number, formAt: number, from: number, bytes: number, cut = 0, lineBreak = noBreak): void => {
      const start = at;
      pool.copyWithin(at, formAt + from, formAt + from + cut);
      pool.set(lineBreak, at + cut);
      at += bytes + lineBreak.length;
      pool.copyWithin(start + cut + lineBreak.length, formAt + from + cut, formAt + from + bytes);
      writeFields(this.#heads, next * headFields, start, at - start, form, from, from + bytes);
      next += 1;
    };
    const sharing = new Sharing(forms);
    for (const [form, { bytes, foldable }] of forms.entries()) {
      const formAt = at;
      pool.set(bytes, at);
      at += bytes.length;
      writeFields(this.#forms, form * formFields, formAt, bytes.length, foldable ? 1 : 0);
      const headBytes = Math.min(maxHead, bytes.length);
      if (!foldable) addHead(form, formAt, sharing.leastShared(bytes, headBytes), headBytes);
      else if (bytes.length >= anchoredBytes) {
        const first = sharing.leastShared(bytes, anchoredBytes);
        for (const anchor of anchors) addHead(form, formAt, first + anchor, headBytes);
      } else {
        addHead(form, formAt, 0, headBytes);
        for (let cut = 1; cut < headBytes; cut += 1) for (const each of lineBreaks) addHead(form, formAt, 0, headBytes, cut, each);
      }
    }
  }
}

const headFields = 5;
const formFields = 3;
const noBreak = Buffer.alloc(0);

function writeFields(table: Int32Array, at: number, ...fields: readonly number[]): void {
  for (const [index, field] of fields.entries()) table[at + index] = field;
}

/** Which places of a form have what many forms have there: a text of just that would be compared with all of them. */
class Sharing {
  readonly #counts: readonly Uint32Array[];
  readonly #bits: number;

  constructor(forms: readonly EncodedForm[]) {
    this.#bits = Math.min(16, Math.ceil(Math.log2(forms.length + 1)) + 3);
    this.#counts = places.map(() => new Uint32Array(2 ** this.#bits));
    for (const { bytes, foldable } of forms) {
      const length = Math.min(foldable ? anchoredBytes : maxHead, bytes.length);
      for (const [index, place] of places.entries()) this.#add(index, this.#slotAt(bytes, place(bytes.length - length)));
    }
  }

  /** Where a stretch of this length begins whose beginning the fewest forms share. */
  leastShared(bytes: Uint8Array, length: number): number {
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (const [index, place] of places.entries()) {
      const from = place(bytes.length - length);
      const count = this.#counts[index]?.[this.#slotAt(bytes, from)] as number;
      if (count < least) [best, least] = [from, count];
    }
    return best;
  }

  /** By the four bytes there. */
  #slotAt(bytes: Uint8Array, at: number): number {
    return Math.imul(prefixAt(bytes, at), 0x9e3779b1) >>> (32 - this.#bits);
  }

  #add(index: number, slot: number): void {
    const counts = this.#counts[index] as Uint32Array;
    counts[slot] = (counts[slot] as number) + 1;
  }
}

/** At the end, in the middle, at the beginning, of those that are possible. */
const places: readonly ((last: number) => number)[] = [(last) => last, (last) => last >>> 1, () => 0];

function headCount({ bytes, foldable }: EncodedForm): number {
  if (!foldable) return 1;
  return bytes.length >= anchoredBytes ? anchors.length : 1 + (Math.min(maxHead, bytes.length) - 1) * lineBreaks.length;
}

function longestHit({ bytes, foldable }: EncodedForm): number {
  return bytes.length + (foldable ? longestLineBreak * (maxFolds(bytes.length) + 2) : 0);
}

function maxFolds(length: number): number {
  return Math.ceil(length / shortestLine);
}

/** Overlapping and touching hits are one: then there are few, whatever the text. A head may come later than one of a hit that begins behind it. */
export function addHit(hits: number[], start: number, end: number): void {
  let [from, to] = [start, end];
  while (hits.length > 0 && from <= (hits.at(-1) as number)) {
    to = Math.max(to, hits.pop() as number);
    from = Math.min(from, hits.pop() as number);
  }
  hits.push(from, to);
}

/** Where the part of a form begins that ends before `end`, or -1. */
function beginOf(pool: Uint8Array, from: number, to: number, bytes: Uint8Array, end: number, folds: number): number {
  let at = end;
  let left = folds;
  for (let index = to - 1; index >= from; index -= 1) {
    const skip = left > 0 ? lineBreakBefore(bytes, at) : 0;
    if (skip > 0 && at > skip && bytes[at - skip - 1] === pool[index]) {
      at -= skip + 1;
      left -= 1;
    } else if (at > 0 && bytes[at - 1] === pool[index]) at -= 1;
    else return -1;
  }
  return at;
}

/** Where the part of a form ends that begins at `start`, or -1. */
function endOf(pool: Uint8Array, from: number, to: number, bytes: Uint8Array, start: number, length: number, folds: number): number {
  let at = start;
  let left = folds;
  for (let index = from; index < to; index += 1) {
    if (at < length && bytes[at] === pool[index]) at += 1;
    else {
      const skip = left > 0 ? lineBreakAt(bytes, at, length) : 0;
      if (skip === 0 || at + skip >= length || bytes[at + skip] !== pool[index]) return -1;
      at += skip + 1;
      left -= 1;
    }
  }
  return at;
}

/** Length of the line break at a position; 0 when there is none. */
function lineBreakAt(bytes: Uint8Array, at: number, length: number): number {
  return lineBreaks.find((lineBreak) => at + lineBreak.length <= length && standsAt(bytes, at, lineBreak))?.length ?? 0;
}

/** The longest, as one ends with the other. */
function lineBreakBefore(bytes: Uint8Array, end: number): number {
  if (bytes[end - 1] !== lineFeed) return 0;
  return lineBreaks.findLast((lineBreak) => lineBreak.length <= end && standsAt(bytes, end - lineBreak.length, lineBreak))?.length ?? 0;
}

const lineFeed = 0x0a;

function standsAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** Four bytes as one number. */
export function prefixAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
}
