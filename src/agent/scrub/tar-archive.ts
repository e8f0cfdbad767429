import { type Content, NewFile, type OpenFile } from "./content.ts";
import { tarBlock, tarChecksum } from "./content-kind.ts";
import { holdsSecret, type Inspect, type Plan, planned } from "./plan.ts";
import { type Level, type ScrubJob, Withheld } from "./scrub-job.ts";

interface Member {
  readonly header: Buffer;
  readonly name: string;
  readonly dataAt: number;
  readonly bytes: number;
}

/** Fields of a header that hold names, as offset and length. */
const nameFields = [
  [0, 100],
  [157, 100],
  [265, 32],
  [297, 32],
  [345, 155],
] as const;
const sizeField = [124, 12] as const;
const sumField = [148, 8] as const;

/**
 * A tar file. Its members keep their length, but for archives in it: long names and extended headers are members too, and
 * say how long they are.
 */
export async function rewriteTar(archive: OpenFile, to: string, level: Level, job: ScrubJob, inspect: Inspect): Promise<boolean> {
  const plans: { readonly member: Member; readonly content: Content; readonly plan: Plan }[] = [];
  for (const member of membersOf(archive)) {
    job.entry();
    const content = archive.range(member.name, member.dataAt, member.bytes);
    plans.push({ member, content, plan: await job.within(member.name, () => inspect(content, level)) });
  }
  const isClean = plans.every(({ plan }) => plan.is === "clean");
  if (isClean && !(await holdsSecret(archive.range("", 0, archive.size), job))) return false;
  using file = new NewFile(to);
  for (const { member, content, plan } of plans) {
    const sameLength: Plan = plan.is === "masked" ? { is: "masked", style: "binary" } : plan;
    const bytes = plan.is === "replaced" ? plan.size : member.bytes;
    file.write(scrubbedHeader(member.header, bytes, job));
    for await (const chunk of planned(content, sameLength, job)) file.write(chunk);
    file.write(Buffer.alloc(padding(bytes)));
  }
  file.write(Buffer.alloc(2 * tarBlock));
  return true;
}

function* membersOf(archive: OpenFile): Generator<Member> {
  let at = 0;
  while (at + tarBlock <= archive.size) {
    const header = archive.bytes(at, tarBlock);
    if (header.every((byte) => byte === 0)) return expectZeros(archive, at);
    if (octal(header, sumField) !== tarChecksum(header)) throw new Withheld("it is damaged");
    const bytes = octal(header, sizeField);
    const type = String.fromCharCode(header[156] as number);
    if (type === "S") throw new Withheld("a sparse file is not opened");
    const dataAt = at + tarBlock;
    if (type === "x" || type === "g") expectPlainSize(archive.bytes(dataAt, Math.min(bytes, 1_000_000)));
    yield { header, name: nameOf(header), dataAt, bytes };
    at = dataAt + bytes + padding(bytes);
  }
  if (at !== archive.size) throw new Withheld("it is damaged");
}

function expectZeros(archive: OpenFile, from: number): void {
  for (const chunk of archive.range("", from, archive.size - from).chunks() as Iterable<Buffer>) {
    if (chunk.some((byte) => byte !== 0)) throw new Withheld("it has bytes after its end");
  }
}

/** Only files of more than 8 GB say their size there, and programs would read that one. */
function expectPlainSize(records: Buffer): void {
  if (/(^|\n)\d+ (size|GNU\.sparse\.[^=]*)=/.test(records.toString("latin1"))) throw new Withheld("an extended size is not opened");
}

/** @throws {Withheld} where a hit stands in name and prefix together: it would need another place */
function scrubbedHeader(header: Buffer, bytes: number, job: ScrubJob): Buffer {
  const copy = Buffer.from(header);
  for (const [at, length] of nameFields) copy.set(job.scrubber.scrubBytes(header.subarray(at, at + length)), at);
  if (job.scrubber.finds(Buffer.from(nameOf(copy)))) throw new Withheld("the name of an entry is a secret");
  copy.write(`${bytes.toString(8).padStart(sizeField[1] - 1, "0")}\0`, sizeField[0], "latin1");
  copy.write(`${tarChecksum(copy).toString(8).padStart(6, "0")}\0 `, sumField[0], "latin1");
  return copy;
}

function nameOf(header: Buffer): string {
  const [name, prefix] = [textAt(header, 0, 100), textAt(header, 345, 155)];
  return prefix === "" ? name : `${prefix}/${name}`;
}

function textAt(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString();
}

/** @throws {Withheld} for sizes that are written in another way, beyond 8 GB */
function octal(header: Buffer, [at, length]: readonly [number, number]): number {
  const text = textAt(header, at, length).trim();
  if (!/^[0-7]*$/.test(text)) throw new Withheld("it is damaged");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function padding(bytes: number): number {
  return (tarBlock - (bytes % tarBlock)) % tarBlock;
}
