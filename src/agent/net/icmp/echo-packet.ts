/** Data bytes of an echo request (behaviour 2.4); the ICMP header comes before them. */
export const dataBytes = 56;
export const headerBytes = 8;

export type Family = 4 | 6;

/** What is said of an echo: by a reply, or by the copy of our request inside an ICMP error. */
export interface EchoHeader {
  readonly type: number;
  readonly code: number;
  readonly identifier: number;
  readonly sequence: number;
  /** Where its data begins in the bytes that were read. */
  readonly dataOffset: number;
}

/** Message types of ICMP (RFC 792) and ICMPv6 (RFC 4443). */
export const echoTypes = { 4: { request: 8, reply: 0 }, 6: { request: 128, reply: 129 } } as const;

/** An echo request without sequence number; a datagram socket puts its own identifier in. */
export function echoRequest(family: Family, identifier: number, data: Buffer): Buffer {
  const packet = Buffer.alloc(headerBytes + data.length);
  packet[0] = echoTypes[family].request;
  packet.writeUInt16BE(identifier, 4);
  data.copy(packet, headerBytes);
  return packet;
}

/** Gives a request its number. The kernel sums up ICMPv6, and both on datagram sockets; ICMP on a raw socket is ours to sum. */
export function numberRequest(packet: Buffer, sequence: number): void {
  packet.writeUInt16BE(sequence, 6);
  packet.writeUInt16BE(0, 2);
  if (packet[0] === echoTypes[4].request) packet.writeUInt16BE(internetChecksum(packet), 2);
}

/**
 * Gives a request its number so that its checksum stays the same: what the number adds, the last two bytes of the data take
 * away. Routers that spread flows over several ways tell ICMP flows by it.
 */
export function numberSteadily(packet: Buffer, sequence: number): void {
  packet.writeUInt16BE(0xffff - sequence, packet.length - steadyBytes);
  numberRequest(packet, sequence);
}

/** Of the data, at its end, that `numberSteadily` changes. */
export const steadyBytes = 2;

/** RFC 1071. */
export function internetChecksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < bytes.length; index += 2) sum += ((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** The ICMP header at `offset` of what was read, or null when too few bytes came. */
export function readEcho(bytes: Buffer, offset: number, end: number): EchoHeader | null {
  const dataOffset = offset + headerBytes;
  if (dataOffset > end) return null;
  return {
    type: bytes.readUInt8(offset),
    code: bytes.readUInt8(offset + 1),
    identifier: bytes.readUInt16BE(offset + 4),
    sequence: bytes.readUInt16BE(offset + 6),
    dataOffset,
  };
}

/** Length of the IPv4 header that a raw socket puts before what it received; null when these bytes cannot be one. */
export function ipv4HeaderBytes(bytes: Buffer, end: number): number | null {
  const length = (bytes.readUInt8(0) & 15) * 4;
  return end >= 20 && bytes.readUInt8(0) >> 4 === 4 && length >= 20 && length <= end ? length : null;
}

/** Time to live in an IPv4 header. */
export function ipv4Ttl(bytes: Buffer): number {
  return bytes.readUInt8(8);
}
