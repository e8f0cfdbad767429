import type { OpenFile } from "./content.ts";
import { tooManyEntries, Withheld } from "./scrub-job.ts";

export interface ZipEntry {
  readonly name: Buffer;
  readonly flags: number;
  /** 0 stored, 8 deflate. */
  readonly method: number;
  /** Time and date as they stand in both headers. */
  readonly modified: Buffer;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Version made by and attributes, as in the central directory. */
  readonly madeBy: number;
  readonly attributes: Buffer;
  /** Where its packed bytes begin. */
  readonly dataAt: number;
}

export const zipSignatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 } as const;
const endMagic = Buffer.from("PK\x05\x06", "latin1");
const zip64Locator = 0x07064b50;
const endBytes = 22;
const centralBytes = 46;
export const localBytes = 30;
const longestComment = 65_535;
const directoryLimit = 16 * 1024 * 1024;
const flag = { encrypted: 1, descriptor: 8, strong: 0x40, masked: 0x2000 } as const;

/**
 * The entries of a zip file, by their place. Every byte of the file belongs to one of them or to the directory: what
 * another program may find between them would not have been looked into.
 *
 * @throws {Withheld} for encrypted, damaged and zip64 files, packings but deflate, and more entries than `mostEntries`
 */
export function readZipDirectory(file: OpenFile, mostEntries: number): ZipEntry[] {
  const { endAt, directoryAt, directory, count } = locate(file);
  if (count > mostEntries) throw tooManyEntries(mostEntries);
  const entries: { readonly entry: ZipEntry; readonly localAt: number }[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + centralBytes > directory.length || directory.readUInt32LE(at) !== zipSignatures.central) throw damaged();
    const length = centralBytes + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    if (at + length > directory.length) throw damaged();
    entries.push(entryOf(file, directory.subarray(at, at + length), directoryAt));
    at += length;
  }
  if (at !== directory.length || directoryAt + directory.length !== endAt) throw strayBytes();
  const sorted = entries.toSorted((a, b) => a.localAt - b.localAt);
  expectNoGaps(sorted, directoryAt);
  return sorted.map(({ entry }) => entry);
}

interface Directory {
  readonly endAt: number;
  readonly directoryAt: number;
  readonly directory: Buffer;
  readonly count: number;
}

/** The end record is the last in the file, with a comment behind it that reaches to the end. */
function locate(file: OpenFile): Directory {
  const end = endRecord(file);
  if (end === null) throw damaged();
  return directoryBefore(file, end, file.size - end.length);
}

/** So many bytes of the end say whether programs would open a content as a zip file, whatever it begins with. */
export const zipTailBytes = endBytes + longestComment;

/** Some are programs that unpack themselves. */
export function endsAsZip(file: OpenFile): boolean {
  return endRecord(file) !== null;
}

function endRecord(file: OpenFile): Buffer | null {
  const tailBytes = Math.min(file.size, zipTailBytes);
  return endRecordIn(file.bytes(file.size - tailBytes, tailBytes));
}

/** @param tail the last `zipTailBytes` of a content, or all of it */
export function endRecordIn(tail: Buffer): Buffer | null {
  for (let at = tail.lastIndexOf(endMagic); at !== -1; at = at === 0 ? -1 : tail.lastIndexOf(endMagic, at - 1)) {
    if (at + endBytes <= tail.length && at + endBytes + tail.readUInt16LE(at + 20) === tail.length) return tail.subarray(at);
  }
  return null;
}

function directoryBefore(file: OpenFile, end: Buffer, endAt: number): Directory {
  const [parts, countHere, count] = [end.readUInt32LE(4), end.readUInt16LE(8), end.readUInt16LE(10)];
  const [length, directoryAt] = [end.readUInt32LE(12), end.readUInt32LE(16)];
  const hasLocator = endAt >= 20 && file.bytes(endAt - 20, 4).readUInt32LE(0) === zip64Locator;
  if (hasLocator || count === 0xffff || length === 0xffffffff || directoryAt === 0xffffffff) throw new Withheld("zip64 is not opened");
  if (parts !== 0 || countHere !== count) throw new Withheld("a part of a zip file is not opened");
  if (directoryAt + length !== endAt) throw strayBytes();
  if (length > directoryLimit) throw new Withheld(`its directory is larger than ${directoryLimit} bytes`);
  return { endAt, directoryAt, directory: file.bytes(directoryAt, length), count };
}

function entryOf(file: OpenFile, header: Buffer, directoryAt: number): { entry: ZipEntry; localAt: number } {
  const nameLength = header.readUInt16LE(28);
  const localAt = header.readUInt32LE(42);
  const [packedBytes, bytes] = [header.readUInt32LE(20), header.readUInt32LE(24)];
  const flags = header.readUInt16LE(8);
  const method = header.readUInt16LE(10);
  if ((flags & (flag.encrypted | flag.strong | flag.masked)) !== 0 || method === 99) throw new Withheld("it is encrypted");
  if ([packedBytes, bytes, localAt].includes(0xffffffff)) throw new Withheld("zip64 is not opened");
  if (method !== 0 && method !== 8) throw new Withheld(`its packing ${method} is not opened`);
  if (localAt + localBytes > directoryAt) throw damaged();
  const name = header.subarray(centralBytes, centralBytes + nameLength);
  const local = file.bytes(localAt, localBytes);
  const localName = file.bytes(localAt + localBytes, Math.min(local.readUInt16LE(26), directoryAt - localAt - localBytes));
  if (local.readUInt32LE(0) !== zipSignatures.local || local.readUInt16LE(8) !== method || !localName.equals(name)) throw damaged();
  const dataAt = localAt + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  const modified = header.subarray(12, 16);
  const attributes = header.subarray(36, 42);
  const entry = {
    name,
    flags,
    method,
    modified,
    crc: header.readUInt32LE(16),
    packedBytes,
    bytes,
    madeBy: header.readUInt16LE(4),
    attributes,
    dataAt,
  };
  return { entry, localAt };
}

/** Behind the data of an entry may stand its descriptor, with a signature or without. */
function expectNoGaps(entries: readonly { readonly entry: ZipEntry; readonly localAt: number }[], directoryAt: number): void {
  if ((entries[0]?.localAt ?? directoryAt) !== 0) throw strayBytes();
  for (const [index, { entry }] of entries.entries()) {
    const gap = (entries[index + 1]?.localAt ?? directoryAt) - entry.dataAt - entry.packedBytes;
    const allowed = (entry.flags & flag.descriptor) === 0 ? [0] : [12, 16];
    if (!allowed.includes(gap)) throw strayBytes();
  }
}

function damaged(): Withheld {
  return new Withheld("it is damaged");
}

function strayBytes(): Withheld {
  return new Withheld("it has bytes that belong to no entry");
}
