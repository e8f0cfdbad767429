import { libc } from "../libc.ts";
import { addressText } from "./socket-address.ts";

/** An ICMP error that the kernel put into a socket's error queue (`sock_extended_err`, ip(7)). */
export interface QueuedError {
  readonly type: number;
  readonly code: number;
  /** Who says so; null where the kernel does not know. */
  readonly from: string | null;
}

/** What the kernel tells beside the bytes of a message. */
export interface ControlData {
  /** Milliseconds since the epoch when the packet arrived, with fractions; null without a stamp. */
  atMs: number | null;
  ttl: number | null;
  error: QueuedError | null;
}

const SOL_SOCKET = 1;
const SCM_TIMESTAMPNS = 35;
const IPPROTO_IP = 0;
const IP_TTL = 2;
const IP_RECVERR = 11;
const IPPROTO_IPV6 = 41;
const IPV6_RECVERR = 25;
const IPV6_HOPLIMIT = 52;
/** Nothing to read (errno, negated). */
export const EAGAIN = -11;
const MSG_ERRQUEUE = 0x2000;
const SO_EE_ORIGIN_ICMP = 2;
const SO_EE_ORIGIN_ICMP6 = 3;

/**
 * recvmsg(2) into one set of buffers for all sockets: what was read stands until the next read. Larger messages are cut,
 * which is enough for an echo of 56 bytes and its IP header.
 */
export class MessageReader {
  readonly bytes = Buffer.alloc(256);
  /** The sender, as a socket address. */
  readonly sender = Buffer.alloc(28);
  readonly #control = Buffer.alloc(512);
  readonly #vector = Buffer.alloc(16);
  readonly #message = Buffer.alloc(56);
  readonly #libc = libc();

  constructor() {
    this.#vector.writeBigUInt64LE(this.#libc.addressOf(this.bytes), 0);
    this.#vector.writeBigUInt64LE(BigInt(this.bytes.length), 8);
    this.#message.writeBigUInt64LE(this.#libc.addressOf(this.sender), 0);
    this.#message.writeBigUInt64LE(this.#libc.addressOf(this.#vector), 16);
    this.#message.writeBigUInt64LE(1n, 24);
    this.#message.writeBigUInt64LE(this.#libc.addressOf(this.#control), 32);
  }

  /** Reads a message. @returns how many bytes stand in `bytes`; below 0 it is the error's number, negated */
  read(fd: number): number {
    return this.#receive(fd, 0);
  }

  /** Reads an entry of the error queue; `bytes` then hold our own packet, from its ICMP header. */
  readError(fd: number): number {
    return this.#receive(fd, MSG_ERRQUEUE);
  }

  /** What came with the message that was read last. */
  control(): ControlData {
    return parseControl(this.#control, this.#message.readUInt32LE(40));
  }

  #receive(fd: number, flags: number): number {
    this.#message.writeUInt32LE(this.sender.length, 8);
    this.#message.writeUInt32LE(this.#control.length, 40);
    const length = this.#libc.recvmsg(fd, this.#message, flags);
    return length < 0 ? -this.#libc.errno() : length;
  }
}

/** Reads the first `end` bytes as control messages (cmsg(3), 64 bits); what is not understood is left out. */
export function parseControl(control: Buffer, end: number): ControlData {
  const found: ControlData = { atMs: null, ttl: null, error: null };
  for (let offset = 0; offset + headerBytes <= end; ) {
    const length = control.readUInt32LE(offset);
    if (length < headerBytes || offset + length > end) break;
    const kind = kindOf(control.readInt32LE(offset + 8), control.readInt32LE(offset + 12));
    if (length >= (leastBytes.get(kind) ?? Number.POSITIVE_INFINITY)) take(kind, control, offset + headerBytes, offset + length, found);
    offset += (length + 7) & ~7;
  }
  return found;
}

const headerBytes = 16;
const stamp = kindOf(SOL_SOCKET, SCM_TIMESTAMPNS);
const errors: ReadonlySet<number> = new Set([kindOf(IPPROTO_IP, IP_RECVERR), kindOf(IPPROTO_IPV6, IPV6_RECVERR)]);
/** What is understood, and how long it is at least. */
const leastBytes: ReadonlyMap<number, number> = new Map([
  [stamp, headerBytes + 16],
  [kindOf(IPPROTO_IP, IP_TTL), headerBytes + 4],
  [kindOf(IPPROTO_IPV6, IPV6_HOPLIMIT), headerBytes + 4],
  ...[...errors].map((kind) => [kind, headerBytes + 16] as const),
]);

function kindOf(level: number, type: number): number {
  return level * 256 + type;
}

function take(kind: number, control: Buffer, start: number, end: number, found: ControlData): void {
  if (kind === stamp) found.atMs = timespecMs(control, start);
  else if (errors.has(kind)) found.error = queuedError(control.subarray(start, end));
  else found.ttl = control.readInt32LE(start);
}

/** Null for errors that this host found by itself (a packet too large for the link): they carry no ICMP message. */
function queuedError(data: Buffer): QueuedError | null {
  const origin = data.readUInt8(4);
  if (origin !== SO_EE_ORIGIN_ICMP && origin !== SO_EE_ORIGIN_ICMP6) return null;
  const offender = data.subarray(16);
  return { type: data.readUInt8(5), code: data.readUInt8(6), from: offender.length >= 16 ? addressText(offender) : null };
}

/** A `struct timespec` as milliseconds; good to a quarter of a microsecond for times of this century. */
export function timespecMs(bytes: Buffer, offset = 0): number {
  const seconds = bytes.readUInt32LE(offset) + bytes.readInt32LE(offset + 4) * 2 ** 32;
  return seconds * 1_000 + bytes.readUInt32LE(offset + 8) / 1e6;
}
