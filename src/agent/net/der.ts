/** What is no DER, or more of it than anybody needs. */
export class DerError extends Error {
  override readonly name = "DerError";
}

/** One element of DER (X.690), or of BER with definite lengths. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content: what signatures are over. */
  readonly whole: Buffer;
}

/** Universal tags (X.680), as they stand in the first byte. */
export const derTags = { integer: 0x02, bitString: 0x03, octetString: 0x04, oid: 0x06, enumerated: 0x0a, sequence: 0x30 } as const;

const maxChildren = 1_000;

/**
 * Tag and lengths of the element that `bytes` begin with; null when more bytes are needed to say.
 *
 * @throws {DerError} for tags of several bytes, indefinite lengths and lengths over 16 MB
 */
export function derHeader(bytes: Buffer): { readonly tag: number; readonly headerLength: number; readonly totalLength: number } | null {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) return null;
  if ((tag & 0x1f) === 0x1f) throw new DerError("a tag of several bytes");
  if (first < 0x80) return { tag, headerLength: 2, totalLength: 2 + first };
  const lengthBytes = first & 0x7f;
  // Active Directory writes every length in four bytes.
  if (lengthBytes === 0 || lengthBytes > 4) throw new DerError("a length in a form that is not taken");
  const headerLength = 2 + lengthBytes;
  if (bytes.length < headerLength) return null;
  const length = bytes.readUIntBE(2, lengthBytes);
  if (length > 0xff_ffff) throw new DerError("a length over 16 MB");
  return { tag, headerLength, totalLength: headerLength + length };
}

/** The element that `bytes` begin with, which must be whole. @throws {DerError} */
export function readDer(bytes: Buffer): DerElement {
  const header = derHeader(bytes);
  if (header === null || bytes.length < header.totalLength) throw new DerError("the bytes end within an element");
  const whole = bytes.subarray(0, header.totalLength);
  return { tag: header.tag, content: whole.subarray(header.headerLength), whole };
}

/** The elements that `content` consists of, at most 1,000. @throws {DerError} */
export function derChildren(content: Buffer): DerElement[] {
  const children: DerElement[] = [];
  for (let rest = content; rest.length > 0; ) {
    if (children.length === maxChildren) throw new DerError("too many elements");
    const child = readDer(rest);
    children.push(child);
    rest = rest.subarray(child.whole.length);
  }
  return children;
}

/** The content of an element that must have this tag. @throws {DerError} */
export function derContent(element: DerElement | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new DerError(`expected the tag ${tag}, got ${element?.tag ?? "nothing"}`);
  return element.content;
}

/** `1.3.6.1…` from the content of an object identifier. */
export function oidText(content: Buffer): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of content.subarray(0, 64)) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [head = 0n, ...tail] = arcs;
  const first = head < 80n ? head / 40n : 2n;
  return [first, head - first * 40n, ...tail].join(".");
}

/** An element as it is written. @throws {RangeError} over 4 GB */
export function writeDer(tag: number, ...content: readonly Buffer[]): Buffer {
  const length = content.reduce((sum, { length: bytes }) => sum + bytes, 0);
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), ...content]);
  const digits = Buffer.alloc(Math.ceil((32 - Math.clz32(length)) / 8));
  digits.writeUIntBE(length, 0, digits.length);
  return Buffer.concat([Buffer.of(tag, 0x80 | digits.length), digits, ...content]);
}
