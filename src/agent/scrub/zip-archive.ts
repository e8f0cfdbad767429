import { crc32 } from "node:zlib";
import { type Content, inflated, inMemory, NewFile, type OpenFile, through } from "./content.ts";
import { counted, holdsSecret, type Inspect, type Plan, planned } from "./plan.ts";
import { type Level, type ScrubJob, unpackLimits, Withheld } from "./scrub-job.ts";
import { localBytes, readZipDirectory, type ZipEntry, zipSignatures } from "./zip-directory.ts";

const utf8Names = 0x800;
const versionNeeded = 20;
/** Shorter entries are unpacked in one step: an engine for each costs more than its work, and there may be thousands. */
const shortBytes = 65_536;
/** What other threads take to collect what is left of unpacking one. */
const shortEntryMs = 0.04;

interface Written {
  readonly entry: ZipEntry;
  readonly name: Buffer;
  readonly at: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
}

/** A zip file. Written anew it has neither comments nor extra fields; entries without a hit keep their packed bytes. */
export async function rewriteZip(archive: OpenFile, to: string, level: Level, job: ScrubJob, inspect: Inspect): Promise<boolean> {
  const plans: { readonly entry: ZipEntry; readonly content: Content; readonly plan: Plan }[] = [];
  for (const entry of readZipDirectory(archive, unpackLimits.entries)) {
    job.entry();
    const content = counted(unpacked(archive, entry, job), job);
    plans.push({ entry, content, plan: await job.within(content.name, () => inspect(content, level)) });
  }
  const isClean = plans.every(({ plan }) => plan.is === "clean");
  if (isClean && !(await holdsSecret(archive.range("", 0, archive.size), job))) return false;
  using file = new NewFile(to);
  const written: Written[] = [];
  for (const { entry, content, plan } of plans) {
    const packed = archive.range("", entry.dataAt, entry.packedBytes);
    written.push(plan.is === "clean" ? copied(entry, packed, file, job) : await packedAgain(entry, planned(content, plan, job), file, job));
  }
  writeDirectory(written, file);
  return true;
}

/** @throws {Withheld} where what comes out is not what the directory says */
function unpacked(archive: OpenFile, entry: ZipEntry, job: ScrubJob): Content {
  const name = entry.name.toString();
  if (Math.max(entry.bytes, entry.packedBytes) <= shortBytes) return inMemory(name, () => unpackedAtOnce(archive, entry, job));
  const packed = archive.range("", entry.dataAt, entry.packedBytes);
  async function* chunks(): AsyncGenerator<Buffer> {
    let taken = entry.packedBytes;
    const source = entry.method === 0 ? packed.chunks() : through(packed.chunks(), "inflate", job, (count) => (taken = count));
    let [crc, length] = [0, 0];
    for await (const chunk of source) {
      crc = crc32(chunk, crc);
      length += chunk.length;
      yield chunk;
    }
    expectAsListed(entry, { crc, bytes: length, taken });
  }
  return { name, chunks };
}

function unpackedAtOnce(archive: OpenFile, entry: ZipEntry, job: ScrubJob): Buffer {
  job.spend(shortEntryMs);
  const packed = archive.bytes(entry.dataAt, entry.packedBytes);
  const { bytes, taken } = entry.method === 0 ? { bytes: packed, taken: packed.length } : inflated(packed, entry.bytes);
  expectAsListed(entry, { crc: crc32(bytes), bytes: bytes.length, taken });
  return bytes;
}

function expectAsListed(entry: ZipEntry, found: { readonly crc: number; readonly bytes: number; readonly taken: number }): void {
  if (found.crc !== entry.crc || found.bytes !== entry.bytes || found.taken !== entry.packedBytes) throw new Withheld("it is damaged");
}

function copied(entry: ZipEntry, packed: Content, file: NewFile, job: ScrubJob): Written {
  const { crc, packedBytes, bytes } = entry;
  const written = { entry, name: Buffer.from(job.scrubber.scrubBytes(entry.name)), at: file.position, crc, packedBytes, bytes };
  file.write(localHeader(written));
  for (const chunk of packed.chunks() as Iterable<Buffer>) file.write(chunk);
  return written;
}

async function packedAgain(entry: ZipEntry, source: AsyncIterable<Buffer>, file: NewFile, job: ScrubJob): Promise<Written> {
  const blank = { entry, name: Buffer.from(job.scrubber.scrubBytes(entry.name)), at: file.position, crc: 0, packedBytes: 0, bytes: 0 };
  file.write(localHeader(blank));
  const dataAt = file.position;
  let [crc, bytes] = [0, 0];
  async function* summed(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      crc = crc32(chunk, crc);
      bytes += chunk.length;
      yield chunk;
    }
  }
  for await (const chunk of entry.method === 0 ? summed() : through(summed(), "deflate", job)) file.write(chunk);
  const written = { ...blank, crc, bytes, packedBytes: file.position - dataAt };
  file.patch(localHeader(written), written.at);
  return written;
}

function localHeader({ entry, name, crc, packedBytes, bytes }: Written): Buffer {
  const header = Buffer.alloc(localBytes);
  header.writeUInt32LE(zipSignatures.local, 0);
  header.writeUInt16LE(versionNeeded, 4);
  writeShared(header.subarray(6), { entry, name, crc, packedBytes, bytes });
  return Buffer.concat([header, name]);
}

/** What both headers have: flags, method, time, checksum, sizes, length of the name. */
function writeShared(header: Buffer, { entry, name, crc, packedBytes, bytes }: Omit<Written, "at">): void {
  header.writeUInt16LE(entry.flags & utf8Names, 0);
  header.writeUInt16LE(entry.method, 2);
  entry.modified.copy(header, 4);
  header.writeUInt32LE(crc, 8);
  header.writeUInt32LE(packedBytes, 12);
  header.writeUInt32LE(bytes, 16);
  header.writeUInt16LE(name.length, 20);
}

function writeDirectory(written: readonly Written[], file: NewFile): void {
  const directoryAt = file.position;
  for (const each of written) {
    const header = Buffer.alloc(46);
    header.writeUInt32LE(zipSignatures.central, 0);
    header.writeUInt16LE(each.entry.madeBy, 4);
    header.writeUInt16LE(versionNeeded, 6);
    writeShared(header.subarray(8), each);
    each.entry.attributes.copy(header, 36);
    header.writeUInt32LE(each.at, 42);
    file.write(header);
    file.write(each.name);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(zipSignatures.end, 0);
  end.writeUInt16LE(written.length, 8);
  end.writeUInt16LE(written.length, 10);
  end.writeUInt32LE(file.position - directoryAt, 12);
  end.writeUInt32LE(directoryAt, 16);
  file.write(end);
}
