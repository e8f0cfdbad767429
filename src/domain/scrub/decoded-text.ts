/** Bytes in which something may be written otherwise than it is. */
export interface Source {
  readonly bytes: Buffer;
  readonly length: number;
  /** Whether nothing follows. */
  readonly isEnd: boolean;
  /** Whether it may have been cut at its end. */
  readonly isCut: boolean;
}

/** A stretch of text as whoever reads it gets it: with its escapes undone, or the bytes of a list of numbers. Knows where each of its bytes came from. */
export class DecodedText {
  bytes: Buffer = Buffer.alloc(0);
  length = 0;
  /** Where it ends in the source. */
  end = 0;
  /** Whether more of it may come with the next bytes of the source. */
  isOpen = false;
  /** Whether it may have been cut at its end. */
  isCut = false;
  /** Where it begins in the source. */
  readonly start: number;
  /** Of each escape its first byte and the one behind it, here and in the source. */
  #marks = new Int32Array(16);
  #markCount = 0;

  constructor(start: number) {
    this.start = start;
  }

  /** The bytes from one place to another stand for these bytes of the source. */
  mark(from: number, to: number, sourceStart: number, sourceEnd: number): void {
    const at = this.#markCount * 4;
    if (at === this.#marks.length) {
      const more = new Int32Array(2 * at);
      more.set(this.#marks);
      this.#marks = more;
    }
    this.#marks[at] = from;
    this.#marks[at + 1] = to;
    this.#marks[at + 2] = sourceStart;
    this.#marks[at + 3] = sourceEnd;
    this.#markCount += 1;
  }

  /** Where the byte at a place begins in the source. */
  sourceStart(at: number): number {
    const mark = this.#lastMark(0, at);
    if (mark < 0) return this.start + at;
    const [, end, sourceStart, sourceEnd] = this.#at(mark);
    return at < end ? sourceStart : sourceEnd + at - end;
  }

  /** Where the byte before a place ends in the source. */
  sourceEnd(at: number): number {
    const mark = this.#lastMark(0, at - 1);
    if (mark < 0) return this.start + at;
    const [, end, , sourceEnd] = this.#at(mark);
    return Math.max(sourceEnd, sourceEnd + at - end);
  }

  /** The place whose byte a byte of the source belongs to; of one that stands between two numbers of a list, the place of the second. */
  placeOf(source: number): number {
    const mark = this.#lastMark(2, source);
    if (mark < 0) return source - this.start;
    const [from, end, , sourceEnd] = this.#at(mark);
    const next = mark + 1 < this.#markCount ? (this.#marks[mark * 4 + 4] as number) : this.length;
    return source < sourceEnd ? from : Math.min(next, end + source - sourceEnd);
  }

  /** The last mark whose field is at most `value`, or -1. */
  #lastMark(field: 0 | 2, value: number): number {
    let [low, high] = [0, this.#markCount];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#marks[middle * 4 + field] as number) <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #at(mark: number): [number, number, number, number] {
    return [...this.#marks.subarray(mark * 4, mark * 4 + 4)] as [number, number, number, number];
  }
}
