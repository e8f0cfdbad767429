/** A packet from its IP header on, or as much of it as was kept. */
export interface CapturedPacket {
  readonly seconds: number;
  readonly nanoseconds: number;
  /** On the wire. */
  readonly length: number;
  readonly bytes: Buffer;
}

const nanosecondMagic = 0xa1b2_3c4d;
const rawIp = 101;
const snapLength = 65_535;

/** A capture file with times in nanoseconds, of IP packets without link headers (LINKTYPE_RAW). */
export function pcapFile(packets: readonly CapturedPacket[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(nanosecondMagic, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(snapLength, 16);
  header.writeUInt32LE(rawIp, 20);
  return Buffer.concat([
    header,
    ...packets.flatMap(({ seconds, nanoseconds, length, bytes }) => [record(seconds, nanoseconds, bytes.length, length), bytes]),
  ]);
}

function record(...fields: number[]): Buffer {
  const bytes = Buffer.alloc(16);
  for (const [index, field] of fields.entries()) bytes.writeUInt32LE(field, 4 * index);
  return bytes;
}
