import { type CountingDistribution, nearestRank } from "./distribution.ts";
import type { ByteReader, ByteWriter } from "./varints.ts";

/*
 * Values are counted in buckets whose bounds grow by a constant factor, so that a bucket's middle is at most 0.5 % away from each value
 * in it (the index mapping of DDSketch, Masson et al. 2019). Counts of two sketches add up, in any order, to those of all their values.
 *
 * Encoded: `4 · count + kind`, the least value, and unless all values are equal: greatest - least, sum - count · least, sum of squares,
 * the first bucket, then `2 · distance + isRun` of each bucket from the one before. Without `isRun` it has one value; with it the length
 * of a run follows and the counts of its buckets, one byte each, or 0 and the count of this bucket alone. The counts tell where it ends,
 * so encoded sketches can simply be written one after another. Runs are what a day of results consists of: their bytes are added up in
 * a loop without branches, several times as fast as one number after another.
 */

const relativeError = 0.005;
const factor = (1 + relativeError) / (1 - relativeError);
const bucketsPerLog = 1 / Math.log(factor);
/** Largest magnitude of a value: 35 minutes in microseconds. */
export const largestValue = 2 ** 31;
const lastBucket = bucketOf(largestValue);
/** Ingest cannot bring as many; what says so is damaged. */
const mostValues = 2 ** 32 - 1;

/** Empty buckets that a run goes on over. */
const longestGap = 2;
const largestByte = 255;

const kind = { equalValues: 0, wholeSums: 1, floatSums: 2 } as const;

/**
 * Counts whole numbers, also negative ones and zero. Of 60 results some 90 bytes encoded, of 1,440 some 220; each 0.6 µs to merge.
 *
 * Without buckets it takes no memory for them, and neither tells percentiles nor can be encoded: a page merges thousands whose sums it wants.
 */
export class Sketch implements CountingDistribution {
  count = 0;
  sum = 0;
  sumOfSquares = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  /** How many values each bucket has, from bucket `#first` on. */
  #counts: number[] = [];
  #first = 0;
  readonly #hasBuckets: boolean;

  constructor({ hasBuckets = true }: { readonly hasBuckets?: boolean } = {}) {
    this.#hasBuckets = hasBuckets;
  }

  /** @throws {RangeError} for a value that is not whole or beyond `largestValue` */
  add(value: number): void {
    if (!Number.isInteger(value) || Math.abs(value) > largestValue) throw new RangeError("not a value that a sketch counts");
    this.#count(bucketOf(value), 1);
    this.#include(1, value, value, value, value * value);
  }

  quantile(q: number): number {
    this.#needBuckets();
    if (this.count === 0) return Number.NaN;
    const rank = nearestRank(q, this.count);
    if (rank === this.count) return this.max;
    let seen = 0;
    for (let index = 0; index < this.#counts.length; index += 1) {
      seen += this.#counts[index] ?? 0;
      if (seen >= rank) return Math.min(Math.max(middleOf(this.#first + index), this.min), this.max);
    }
    return this.max;
  }

  encode(writer: ByteWriter): void {
    this.#needBuckets();
    if (this.count === 0) return writer.unsigned(0);
    const rest = Math.max(this.sum - this.count * this.min, 0); // below zero by rounding only
    const areWhole = Number.isSafeInteger(this.sum) && Number.isSafeInteger(rest) && Number.isSafeInteger(this.sumOfSquares);
    const shape = this.min === this.max ? kind.equalValues : areWhole ? kind.wholeSums : kind.floatSums;
    writer.unsigned(4 * this.count + shape);
    writer.signed(this.min);
    if (shape === kind.equalValues) return;
    writer.unsigned(this.max - this.min);
    for (const sum of [rest, this.sumOfSquares]) {
      if (shape === kind.wholeSums) writer.unsigned(sum);
      else writer.float(sum);
    }
    this.#encodeBuckets(writer);
  }

  /** Adds one encoded sketch. @throws {RangeError} when it is damaged; then this one is of no more use */
  merge(reader: ByteReader): void {
    const head = reader.unsigned();
    const count = Math.floor(head / 4);
    const shape = head % 4;
    if (count === 0 && shape === 0) return;
    const min = reader.signed();
    check(count > 0 && count <= mostValues && shape <= kind.floatSums && Math.abs(min) <= largestValue);
    if (shape === kind.equalValues) {
      this.#count(bucketOf(min), count);
      return this.#include(count, min, min, count * min, count * min * min);
    }
    const max = min + reader.unsigned();
    check(max <= largestValue);
    const rest = shape === kind.wholeSums ? reader.unsigned() : reader.float();
    const squares = shape === kind.wholeSums ? reader.unsigned() : reader.float();
    check(Number.isFinite(rest) && rest >= 0 && Number.isFinite(squares) && squares >= 0);
    this.#hold(bucketOf(min), bucketOf(max));
    this.#mergeBuckets(reader, count);
    this.#include(count, min, max, rest + count * min, squares);
  }

  #encodeBuckets(writer: ByteWriter): void {
    const counts = this.#counts;
    let previous = counts.findIndex((count) => count > 0);
    writer.signed(this.#first + previous);
    for (let index = previous; index !== -1; index = nextFilled(counts, previous)) {
      const run = counts.slice(index, endOfRun(counts, index) + 1);
      // Alone each value takes one byte, and a bucket of several three; a run has its length to tell beside.
      const alone = run.reduce((bytes, count) => bytes + (count === 0 ? 0 : count === 1 ? 1 : 3), 0);
      const isRun = alone > run.length + 1 || counts[index] !== 1;
      writer.unsigned(2 * (index - previous) + Number(isRun));
      if (isRun) encodeRun(writer, run);
      previous = isRun ? index + run.length - 1 : index;
    }
  }

  #mergeBuckets(reader: ByteReader, count: number): void {
    if (!this.#hasBuckets) return passBuckets(reader, count);
    let bucket = reader.signed();
    for (let left = count; left > 0; ) {
      const step = reader.unsigned();
      bucket += step >>> 1;
      const length = (step & 1) === 0 ? 0 : reader.unsigned();
      if (!(bucket >= -lastBucket && bucket + length <= lastBucket + 1)) throw damaged();
      if (length > 0) {
        this.#reserve(bucket, bucket + length - 1);
        left -= reader.addBytes(this.#counts, bucket - this.#first, length);
        bucket += length - 1;
      } else {
        const ofBucket = (step & 1) === 0 ? 1 : reader.unsigned();
        this.#count(bucket, ofBucket);
        left -= ofBucket;
      }
      if (left < 0) throw damaged();
    }
  }

  #needBuckets(): void {
    if (!this.#hasBuckets) throw new Error("a sketch without buckets knows sums alone");
  }

  #count(bucket: number, count: number): void {
    if (!this.#hasBuckets) return;
    this.#reserve(bucket, bucket);
    const index = bucket - this.#first;
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
  }

  /** Room for just these: a page has thousands of sketches, each of a few hours, and spare room would be most of their memory. */
  #hold(from: number, to: number): void {
    if (!this.#hasBuckets || this.#holds(from, to)) return;
    const { length } = this.#counts;
    if (length === 0) this.#move(from, to);
    else this.#move(Math.min(from, this.#first), Math.max(to, this.#first + length - 1));
  }

  /** Makes room on both sides for half as much again, so that values that spread slowly do not copy each time. */
  #reserve(from: number, to: number): void {
    if (this.#holds(from, to)) return;
    const { length } = this.#counts;
    const first = length === 0 ? from : Math.min(from, this.#first);
    const last = length === 0 ? to : Math.max(to, this.#first + length - 1);
    const spare = 24 + ((last + 1 - first) >> 1);
    this.#move(first - spare, last + spare);
  }

  #holds(from: number, to: number): boolean {
    return from >= this.#first && to < this.#first + this.#counts.length;
  }

  #move(from: number, to: number): void {
    const larger = emptyBuckets(to - from + 1);
    const shift = this.#first - from;
    for (let index = 0; index < this.#counts.length; index += 1) larger[shift + index] = this.#counts[index] ?? 0;
    this.#counts = larger;
    this.#first = from;
  }

  #include(count: number, min: number, max: number, sum: number, sumOfSquares: number): void {
    this.count += count;
    this.sum += sum;
    this.sumOfSquares += sumOfSquares;
    if (min < this.min) this.min = min;
    if (max > this.max) this.max = max;
  }
}

const zeros: readonly number[] = Array.from({ length: 8_192 }, () => 0);

/** Copied in one piece where that is possible: there are thousands of sketches on a page. */
function emptyBuckets(length: number): number[] {
  return length <= zeros.length ? zeros.slice(0, length) : Array.from({ length }, () => 0);
}

/** The last of the buckets from `index` on that can be told together. */
function endOfRun(counts: readonly number[], index: number): number {
  let last = index;
  if ((counts[index] ?? 0) > largestByte) return last;
  for (let next = index + 1; next <= last + longestGap && next < counts.length; next += 1) {
    const count = counts[next] ?? 0;
    if (count > largestByte) break;
    if (count > 0) last = next;
  }
  return last;
}

function nextFilled(counts: readonly number[], after: number): number {
  for (let index = after + 1; index < counts.length; index += 1) if ((counts[index] ?? 0) > 0) return index;
  return -1;
}

function encodeRun(writer: ByteWriter, counts: readonly number[]): void {
  const [first = 0] = counts;
  if (first > largestByte) {
    writer.unsigned(0);
    writer.unsigned(first);
    return;
  }
  writer.unsigned(counts.length);
  for (const count of counts) writer.byte(count);
}

/** To where buckets of so many values end. Most of them have one value, and are an even byte. */
function passBuckets(reader: ByteReader, count: number): void {
  reader.signed();
  let left = count;
  while (left > 0) {
    left -= reader.passEvenBytes(left);
    if (left === 0) return;
    const isRun = (reader.unsigned() & 1) === 1;
    const length = isRun ? reader.unsigned() : 0;
    if (!isRun) left -= 1;
    else left -= length > 0 ? reader.sumOfBytes(length) : reader.unsigned();
  }
  if (left < 0) throw damaged();
}

/** Of positive values 1 and up, of negative ones the same below zero; 0 for zero. */
function bucketOf(value: number): number {
  if (value === 0) return 0;
  return value > 0 ? Math.ceil(Math.log(value) * bucketsPerLog) + 1 : -Math.ceil(Math.log(-value) * bucketsPerLog) - 1;
}

/** The value from which both bounds of the bucket are equally far, relative to them. */
function middleOf(bucket: number): number {
  if (bucket === 0) return 0;
  const magnitude = (2 * factor ** (Math.abs(bucket) - 1)) / (factor + 1);
  return bucket > 0 ? magnitude : -magnitude;
}

function check(isSound: boolean): asserts isSound {
  if (!isSound) throw damaged();
}

function damaged(): RangeError {
  return new RangeError("stored figures are damaged");
}
