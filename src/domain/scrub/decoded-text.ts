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
  readonly #marks: number[] = [];

  constructor(start: number) {
    this.start = start;
  }

  /** The bytes from one place to another stand for these bytes of the source. */
  mark(from: number, to: number, sourceStart: number, sourceEnd: number): void {
    this.#marks.push(from, to, sourceStart, sourceEnd);
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

  /** The place whose byte a byte of the source belongs to. */
  placeOf(source: number): number {
    const mark = this.#lastMark(2, source);
    if (mark < 0) return source - this.start;
    const [from, end, , sourceEnd] = this.#at(mark);
    return source < sourceEnd ? from : end + source - sourceEnd;
  }

  /** The last mark whose field is at most `value`, or -1. */
  #lastMark(field: 0 | 2, value: number): number {
    let [low, high] = [0, this.#marks.length / 4];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#marks[middle * 4 + field] as number) <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #at(mark: number): [number, number, number, number] {
    return this.#marks.slice(mark * 4, mark * 4 + 4) as [number, number, number, number];
  }
}
