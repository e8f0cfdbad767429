import { firstUdpPort } from "../net/trace/trace-socket.ts";
import { hopLimit } from "./trace-text.ts";

/** What is kept of a TLS record that may belong to a handshake, headers included. */
const handshakeBytes = 256;
/** More than resolvers send over UDP (RFC 9715). */
const dnsBytes = 1_500;

const loopbackHardware = 772;
const outgoing = 4;
/** Offsets of what the kernel knows beside the packet's bytes (SKF_AD_OFF). */
const beside = { protocol: 0xffff_f000, packetType: 0xffff_f004, hardware: 0xffff_f01c } as const;

const op = {
  loadWord: 0x20,
  loadHalf: 0x28,
  loadByte: 0x30,
  loadHalfAtX: 0x48,
  loadByteAtX: 0x50,
  loadLength: 0x80,
  setX: 0x01,
  setXToHeaderLength: 0xb1,
  and: 0x54,
  add: 0x04,
  addX: 0x0c,
  shiftLeft: 0x64,
  shiftRight: 0x74,
  toX: 0x07,
  fromX: 0x87,
  ifEqual: 0x15,
  ifGreater: 0x25,
  ifGreaterThanX: 0x2d,
  ifAtLeast: 0x35,
  ifAnyBit: 0x45,
  keep: 0x06,
  keepAccumulator: 0x16,
} as const;

/** An instruction, or a label for the next one. Jumps name where they go; without a name it is the next instruction. */
type Line = string | readonly [code: number, value?: number, whenTrue?: string, whenFalse?: string];

/**
 * What the kernel hands us of a packet, as a classic BPF program (struct sock_filter) over packets that begin at the IP
 * header. Secrets are cut here, before they reach our memory:
 *
 * - TCP: the headers; where the payload begins with a TLS record that may be of a handshake (types 20 to 22), 256 bytes.
 * - UDP: port 53 whole; headers of traceroute's probes; nothing else.
 * - ICMP: headers of echoes; errors with the headers that they quote.
 *
 * On loopback, where every packet passes twice, only the arriving one counts.
 */
export function captureFilter(): Buffer {
  return assemble([
    [op.loadWord, beside.hardware],
    [op.ifEqual, loopbackHardware, "loopback", "family"],
    "loopback",
    [op.loadWord, beside.packetType],
    [op.ifEqual, outgoing, "drop"],
    "family",
    [op.loadWord, beside.protocol],
    [op.ifEqual, 0x0800, "ipv4"],
    [op.ifEqual, 0x86dd, "ipv6", "drop"],
    ...ipLines,
    ...tcpLines,
    ...udpLines,
    ...icmpLines,
    "headers and 8",
    [op.fromX],
    [op.add, 8],
    [op.keepAccumulator],
    "drop",
    [op.keep, 0],
  ]);
}

/** Leaves in X where the transport's header begins. */
const ipLines: readonly Line[] = [
  "ipv4",
  [op.loadHalf, 6],
  [op.ifAnyBit, 0x1fff, "drop"], // a later fragment begins with data, not with a header
  [op.setXToHeaderLength, 0],
  [op.loadByte, 9],
  [op.ifEqual, 6, "tcp"],
  [op.ifEqual, 17, "udp"],
  [op.ifEqual, 1, "icmp", "drop"],
  "ipv6",
  [op.setX, 40],
  [op.loadByte, 6],
  [op.ifEqual, 6, "tcp"],
  [op.ifEqual, 17, "udp"],
  [op.ifEqual, 58, "icmpv6", "drop"],
];

const tcpLines: readonly Line[] = [
  "tcp",
  [op.loadByteAtX, 12],
  [op.and, 0xf0],
  [op.shiftRight, 2],
  [op.addX],
  [op.toX],
  [op.loadLength],
  [op.ifGreaterThanX, 0, "payload", "headers"],
  "payload",
  [op.loadByteAtX, 0],
  [op.ifGreater, 22, "headers"],
  [op.ifAtLeast, 20, "record", "headers"],
  "record",
  [op.loadByteAtX, 1],
  [op.ifEqual, 3, "version", "headers"],
  "version",
  [op.loadByteAtX, 2],
  [op.ifGreater, 4, "headers"],
  [op.keep, handshakeBytes],
  "headers",
  [op.fromX],
  [op.keepAccumulator],
];

const udpLines: readonly Line[] = [
  "udp",
  [op.loadHalfAtX, 0],
  [op.ifEqual, 53, "dns"],
  [op.loadHalfAtX, 2],
  [op.ifEqual, 53, "dns"],
  [op.ifGreater, firstUdpPort + hopLimit, "drop"],
  [op.ifGreater, firstUdpPort, "headers and 8", "drop"],
  "dns",
  [op.keep, dnsBytes],
];

const icmpLines: readonly Line[] = [
  "icmp",
  [op.loadByteAtX, 0],
  [op.ifEqual, 3, "quote"],
  [op.ifEqual, 11, "quote"],
  [op.ifEqual, 0, "headers and 8"],
  [op.ifEqual, 8, "headers and 8", "drop"],
  "quote",
  [op.loadByteAtX, 8],
  [op.and, 15],
  [op.shiftLeft, 2],
  [op.addX],
  [op.add, 8 + 8],
  [op.keepAccumulator],
  "icmpv6",
  [op.loadByteAtX, 0],
  [op.ifEqual, 128, "headers and 8"],
  [op.ifEqual, 129, "headers and 8"],
  [op.ifGreater, 4, "drop"],
  [op.keep, 40 + 8 + 40 + 8],
];

function assemble(lines: readonly Line[]): Buffer {
  const labels = new Map<string, number>();
  const instructions: Exclude<Line, string>[] = [];
  for (const line of lines) {
    if (typeof line === "string") labels.set(line, instructions.length);
    else instructions.push(line);
  }
  const program = Buffer.alloc(8 * instructions.length);
  for (const [index, [code, value = 0, whenTrue, whenFalse]] of instructions.entries()) {
    const distance = (label: string | undefined): number => (label === undefined ? 0 : (labels.get(label) ?? Number.NaN) - index - 1);
    program.writeUInt16LE(code, 8 * index);
    program.writeUInt8(distance(whenTrue), 8 * index + 2);
    program.writeUInt8(distance(whenFalse), 8 * index + 3);
    program.writeUInt32LE(value, 8 * index + 4);
  }
  return program;
}
