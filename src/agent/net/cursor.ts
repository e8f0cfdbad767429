/** Numbers, and vectors with their length before them. @throws {RangeError} past the end */
export class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(size: 1 | 2 | 3): number {
    this.#at += size;
    return this.#bytes.readUIntBE(this.#at - size, size);
  }

  vector(lengthSize: 1 | 2 | 3): Buffer {
    return this.bytes(this.number(lengthSize));
  }

  bytes(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError("cut short");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
