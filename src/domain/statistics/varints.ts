/** Whole numbers in as few bytes as they need, seven bits each, low ones first (LEB128); negative ones as every other number. */
export class ByteWriter {
  #bytes = new Uint8Array(64);
  #at = 0;

  /** @param value whole, 0 to 2^53 */
  unsigned(value: number): void {
    this.#reserve();
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }

  /** @param value whole, up to 2^52 either way */
  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Eight bytes. */
  float(value: number): void {
    this.#reserve();
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** @param value whole, 0 to 255 */
  byte(value: number): void {
    this.#reserve();
    this.#bytes[this.#at++] = value;
  }

  take(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  #reserve(): void {
    if (this.#at + 8 <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Reads what `ByteWriter` wrote. Every method throws RangeError where the bytes end or hold no such number. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  unsigned(): number {
    const first = this.#bytes[this.#at];
    if (first === undefined) throw new RangeError("stored figures end too early");
    this.#at += 1;
    return first < 128 ? first : this.#longer(first - 128);
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  float(): number {
    if (this.#at + 8 > this.#bytes.length) throw new RangeError("stored figures end too early");
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, 8).getFloat64(0, true);
    this.#at += 8;
    return value;
  }

  /** Adds so many bytes to numbers of an array, from a place on. @returns their sum */
  addBytes(target: number[], from: number, length: number): number {
    const [bytes, at] = [this.#bytes, this.#at];
    if (at + length > bytes.length) throw new RangeError("stored figures end too early");
    let sum = 0;
    for (let index = 0; index < length; index += 1) {
      const value = bytes[at + index] ?? 0;
      target[from + index] = (target[from + index] ?? 0) + value;
      sum += value;
    }
    this.#at = at + length;
    return sum;
  }

  /** Passes over so many bytes. @returns their sum */
  sumOfBytes(length: number): number {
    const [bytes, at] = [this.#bytes, this.#at];
    if (at + length > bytes.length) throw new RangeError("stored figures end too early");
    let sum = 0;
    for (let index = 0; index < length; index += 1) sum += bytes[at + index] ?? 0;
    this.#at = at + length;
    return sum;
  }

  /** Passes over even numbers of one byte each, at most so many. @returns how many there were */
  passEvenBytes(most: number): number {
    const [bytes, from] = [this.#bytes, this.#at];
    const end = Math.min(from + most, bytes.length);
    let at = from;
    while (at < end && ((bytes[at] ?? 1) & 129) === 0) at += 1;
    this.#at = at;
    return at - from;
  }

  /** In two halves of 28 bits, as whole numbers of 31 are several times as fast as others. */
  #longer(first: number): number {
    const low = this.#bits(first & 127, 7);
    if (low >= 0) return low;
    const high = this.#bits(0, 0);
    const value = (low & halfMask) + high * halfBits;
    if (high < 0 || value > Number.MAX_SAFE_INTEGER) throw new RangeError("stored figures hold a number that is too large");
    return value;
  }

  /** Of one half, from this bit on. @returns negative when the number goes on after it */
  #bits(known: number, from: number): number {
    let value = known;
    for (let shift = from; shift < 28; shift += 7) {
      const next = this.#bytes[this.#at++];
      if (next === undefined) throw new RangeError("stored figures end too early");
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
    return value | ~halfMask;
  }
}

const halfBits = 2 ** 28;
const halfMask = halfBits - 1;
