import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

export interface ZipMember {
  readonly name: string;
  readonly content: Buffer | string;
  readonly stored?: boolean;
  /** Further flags, such as 1 for encrypted. */
  readonly flags?: number;
  /** Instead of 0 or 8. */
  readonly method?: number;
  readonly extra?: Buffer;
  readonly comment?: string;
  /** Sizes and checksum behind the data, as programs write that do not know them before. */
  readonly descriptor?: boolean;
}

/** A zip file, byte by byte as the format says, with whatever oddity a test needs. */
export function zipFile(
  members: readonly ZipMember[],
  options: { readonly comment?: string; readonly before?: Buffer; readonly gap?: Buffer } = {},
): Buffer {
  const parts: Buffer[] = [options.before ?? Buffer.alloc(0)];
  const directory: Buffer[] = [];
  const gap = options.gap ?? Buffer.alloc(0);
  let at = options.before?.length ?? 0;
  for (const member of members) {
    const { local, central } = written(member, at);
    parts.push(local, gap);
    at += local.length + gap.length;
    directory.push(central);
  }
  const directoryAt = at;
  const listed = Buffer.concat(directory);
  const comment = Buffer.from(options.comment ?? "");
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(directoryAt, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, listed, end, comment]);
}

/** The members by the central directory, each checked against its local header, its sizes and its checksum. */
export function readZip(bytes: Buffer): Record<string, string> {
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const members: Record<string, string> = {};
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < bytes.readUInt16LE(end + 10); index += 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const localAt = bytes.readUInt32LE(at + 42);
    const shared = (bytes.readUInt16LE(at + 8) & 8) === 0 ? 22 : 10; // with a descriptor, sizes and checksum stand behind the data
    if (!bytes.subarray(localAt + 4, localAt + 4 + shared).equals(bytes.subarray(at + 6, at + 6 + shared)))
      throw new Error("the headers disagree");
    const dataAt = localAt + 30 + bytes.readUInt16LE(localAt + 26) + bytes.readUInt16LE(localAt + 28);
    const packed = bytes.subarray(dataAt, dataAt + bytes.readUInt32LE(at + 20));
    const content = bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
    if (crc32(content) !== bytes.readUInt32LE(at + 16) || content.length !== bytes.readUInt32LE(at + 24)) throw new Error("damaged");
    members[bytes.subarray(at + 46, at + 46 + nameLength).toString()] = content.toString("latin1");
    at += 46 + nameLength + extraLength + commentLength;
  }
  if (at !== end) throw new Error("the directory does not end where it should");
  return members;
}

function written(member: ZipMember, at: number): { local: Buffer; central: Buffer } {
  const content = Buffer.from(member.content);
  const name = Buffer.from(member.name);
  const extra = member.extra ?? Buffer.alloc(0);
  const comment = Buffer.from(member.comment ?? "");
  const method = member.method ?? (member.stored === true ? 0 : 8);
  const packed = method === 8 ? deflateRawSync(content) : content;
  const flags = 0x800 | (member.flags ?? 0) | (member.descriptor === true ? 8 : 0);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc32(content), 0);
  sizes.writeUInt32LE(packed.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  const shared = (which: Buffer): Buffer => {
    const header = Buffer.alloc(10);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(flags, 2);
    header.writeUInt16LE(method, 4);
    const lengths = Buffer.alloc(4);
    lengths.writeUInt16LE(name.length, 0);
    lengths.writeUInt16LE(extra.length, 2);
    return Buffer.concat([header, which, lengths]);
  };
  const behind = member.descriptor === true ? Buffer.concat([Buffer.from("PK\x07\x08", "latin1"), sizes]) : Buffer.alloc(0);
  const local = Buffer.concat([
    Buffer.from("PK\x03\x04", "latin1"),
    shared(member.descriptor === true ? Buffer.alloc(12) : sizes),
    name,
    extra,
    packed,
    behind,
  ]);
  const rest = Buffer.alloc(14);
  rest.writeUInt16LE(comment.length, 0);
  rest.writeUInt32LE(at, 10);
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\x03", "latin1"), shared(sizes), rest, name, extra, comment]);
  return { local, central };
}
