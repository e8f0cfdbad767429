import { randomFillSync, randomInt } from "node:crypto";
import { hasIPv6Form } from "../ip-address.ts";
import { errorName, libc, linuxCalls } from "../libc.ts";
import { ProbeError } from "../probe-error.ts";
import {
  dataBytes,
  type EchoHeader,
  echoRequest,
  echoTypes,
  type Family,
  headerBytes,
  ipv4HeaderBytes,
  ipv4Ttl,
  numberRequest,
  numberSteadily,
  readEcho,
  steadyBytes,
} from "./echo-packet.ts";
import { EAGAIN, MessageReader, type QueuedError, timespecMs } from "./received-message.ts";
import { AF_INET, AF_INET6, isSameAddress, socketAddress } from "./socket-address.ts";

/** A reply, or an ICMP error about one of our requests. */
export interface Sighting {
  readonly sequence: number;
  readonly type: number;
  readonly code: number;
  /** Milliseconds since the epoch, by the kernel where it stamps. */
  readonly atMs: number;
  readonly ttl: number | null;
  /** Who sent an error; null for a reply, which comes from the target. */
  readonly from: string | null;
  readonly isReply: boolean;
}

/** One flow for routers that spread flows over several ways: the identifier to take where it is free, and one checksum for all requests. */
export interface SteadyFlow {
  readonly identifier: number;
}

/** How a socket was opened; see `openEchoSocket`. */
export type SocketPath = "datagram" | "raw";

const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const NONBLOCK_CLOEXEC = 0o4000 | 0o2000000;
const protocols = { 4: 1, 6: 58 } as const;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const SO_ATTACH_FILTER = 26;
const SO_TIMESTAMPNS = 35;
const CLOCK_REALTIME = 0;
/** By family: level, and options that ask for the time to live and for ICMP errors (ip(7), ipv6(7)). */
const wishes = { 4: [0, [12, 11]], 6: [41, [51, 25]] } as const;
/** IP_TTL and IPV6_UNICAST_HOPS; IPV6_AUTOFLOWLABEL, which gives each socket a flow label of its own (RFC 6437). */
const hopLimits = { 4: [0, 2], 6: [41, 16] } as const;
const [ipv6Level, autoFlowLabel] = [41, 70] as const;
/** Messages that one look at a socket reads at most, so that a flood cannot hold the loop. */
const messagesPerLook = 1_000;

/** Used and read again within a call, so all sockets share them. */
const timespec = Buffer.alloc(16);
const on = int32(1);
const off = int32(0);
let shared: MessageReader | undefined;

/**
 * The socket of one check: ICMP echo to one address with random data of its own, over a datagram socket where
 * `net.ipv4.ping_group_range` allows it, else over a raw one where CAP_NET_RAW does. Null where neither may be had, or
 * where libc cannot be called.
 *
 * @throws {ProbeError} EMFILE, EAFNOSUPPORT … (side agent) when the kernel has other reasons
 */
export function openEchoSocket(address: string, flow: SteadyFlow | null = null): EchoSocket | null {
  const calls = linuxCalls();
  if (calls === null) return null;
  const family = hasIPv6Form(address) ? 6 : 4;
  for (const path of ["datagram", "raw"] as const) {
    const type = (path === "raw" ? SOCK_RAW : SOCK_DGRAM) | NONBLOCK_CLOEXEC;
    const fd = calls.socket(family === 4 ? AF_INET : AF_INET6, type, protocols[family]);
    if (fd >= 0) return new EchoSocket(fd, path, address, family, randomFillSync(Buffer.alloc(dataBytes)), flow);
    const code = errorName(calls.errno());
    if (!refusals.has(code)) throw new ProbeError(code, `no ICMP socket for ${address} could be opened (${code})`, { side: "agent" });
  }
  return null;
}

/** Codes by which a kernel refuses a kind of socket, or does not know it. */
const refusals: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT"]);

/** Never blocks and has no listener: the kernel stamps and keeps what arrives, and `look` reads it when it suits. */
export class EchoSocket {
  readonly path: SocketPath;
  readonly address: string;
  readonly #fd: number;
  readonly #family: Family;
  readonly #libc = libc();
  readonly #reader: MessageReader;
  readonly #target: Buffer;
  readonly #request: Buffer;
  readonly #flow: SteadyFlow | null;
  #identifier = 0;
  #isOpen = true;

  constructor(fd: number, path: SocketPath, address: string, family: Family, data: Buffer, flow: SteadyFlow | null) {
    this.#fd = fd;
    this.#flow = flow;
    this.path = path;
    this.address = address;
    this.#family = family;
    this.#reader = shared ??= new MessageReader();
    this.#target = socketAddress(address, 0);
    const [level, options] = wishes[family];
    this.#set(SOL_SOCKET, SO_TIMESTAMPNS, on);
    for (const option of options) this.#set(level, option, on);
    if (flow !== null && family === 6) this.#set(ipv6Level, autoFlowLabel, off);
    if (path === "datagram") this.#bindIdentifier();
    else this.#narrowRaw();
    this.#request = echoRequest(family, this.#identifier, data);
  }

  /** Sends a request. @returns when it was sent (ms since the epoch), or why it was not (`ENETUNREACH` …) */
  send(sequence: number): number | string {
    const request = this.#request;
    if (this.#flow === null) numberRequest(request, sequence);
    else numberSteadily(request, sequence);
    const target = this.#target;
    const atMs = this.nowMs();
    return this.#libc.sendto(this.#fd, request, BigInt(request.length), 0, target, target.length) < 0
      ? errorName(this.#libc.errno())
      : atMs;
  }

  /** How many routers the next requests may pass: the last of them throws them away and says so. */
  setHopLimit(hops: number): void {
    const [level, option] = hopLimits[this.#family];
    this.#set(level, option, int32(hops));
  }

  /** Milliseconds since the epoch, on the clock of the kernel's stamps. */
  nowMs(): number {
    this.#libc.clock_gettime(CLOCK_REALTIME, timespec);
    return timespecMs(timespec);
  }

  /** Tells what arrived since the last look. What is not an answer to this socket's requests is passed over. */
  look(onSighting: (sighting: Sighting) => void): void {
    for (let count = 0; count < messagesPerLook; count += 1) {
      const length = this.#reader.read(this.#fd);
      if (length === EAGAIN) return;
      if (length >= 0) this.#readReply(length, onSighting);
      // Any other error is that of an ICMP message, whose particulars are in the error queue.
      else this.lookForErrors(onSighting);
    }
  }

  /** Tells the ICMP errors that came, and so clears the error that they put on the socket. */
  lookForErrors(onSighting: (sighting: Sighting) => void): void {
    for (let count = 0; count < messagesPerLook; count += 1) {
      const length = this.#reader.readError(this.#fd);
      if (length < 0) return;
      const { error, atMs } = this.#reader.control();
      const ours = readEcho(this.#reader.bytes, 0, length);
      if (error !== null && ours !== null && this.#isOurRequest(ours, length)) onSighting(this.#errorSighting(error, ours.sequence, atMs));
    }
  }

  close(): void {
    if (this.#isOpen) this.#libc.close(this.#fd);
    this.#isOpen = false;
  }

  #readReply(length: number, onSighting: (sighting: Sighting) => void): void {
    const { bytes, sender } = this.#reader;
    const offset = this.path === "raw" && this.#family === 4 ? ipv4HeaderBytes(bytes, length) : 0;
    if (offset === null) return;
    const echo = readEcho(bytes, offset, length);
    if (echo === null || echo.type !== echoTypes[this.#family].reply || echo.identifier !== this.#identifier) return;
    if (!this.#hasOurData(echo, length) || length - echo.dataOffset !== this.#request.length - headerBytes) return;
    if (!isSameAddress(sender, this.#target)) return;
    const { atMs, ttl } = this.#reader.control();
    onSighting({
      sequence: echo.sequence,
      type: echo.type,
      code: echo.code,
      atMs: atMs ?? this.nowMs(),
      ttl: offset > 0 ? ipv4Ttl(bytes) : ttl,
      from: null,
      isReply: true,
    });
  }

  #errorSighting({ type, code, from }: QueuedError, sequence: number, atMs: number | null): Sighting {
    return { sequence, type, code, atMs: atMs ?? this.nowMs(), ttl: null, from, isReply: false };
  }

  /** Routers send back at least the header of our packet, and often no more (RFC 792). */
  #isOurRequest(echo: EchoHeader, end: number): boolean {
    return echo.type === echoTypes[this.#family].request && echo.identifier === this.#identifier && this.#hasOurData(echo, end);
  }

  #hasOurData({ dataOffset }: EchoHeader, end: number): boolean {
    const changing = this.#flow === null ? 0 : steadyBytes;
    const length = Math.min(end - dataOffset, this.#request.length - headerBytes - changing);
    return this.#reader.bytes.compare(this.#request, headerBytes, headerBytes + length, dataOffset, dataOffset + length) === 0;
  }

  /** A random identifier, so that firewalls and address translation see a new flow each run; or that of the flow. */
  #bindIdentifier(): void {
    // On for ICMP sockets unless it is turned off: then two share an identifier, and one of them gets all the replies.
    this.#set(SOL_SOCKET, SO_REUSEADDR, off);
    const any = socketAddress(this.#family === 4 ? "0.0.0.0" : "::", 0);
    for (let tries = 0; tries < 8; tries += 1) {
      any.writeUInt16BE(tries === 0 && this.#flow !== null ? this.#flow.identifier : randomInt(1, 65_536), 2);
      if (this.#libc.bind(this.#fd, any, any.length) === 0) {
        this.#identifier = any.readUInt16BE(2);
        return;
      }
    }
    this.close();
    throw new ProbeError("EADDRINUSE", "no ICMP identifier is free on this host", { side: "agent" });
  }

  /** A raw socket gets a copy of all ICMP of the host: narrowed in the kernel to replies of this target with our identifier. */
  #narrowRaw(): void {
    this.#identifier = this.#flow?.identifier ?? randomInt(1, 65_536);
    this.#set(...replyFilters[this.#family]);
    const program = identifierFilter(this.#family, this.#identifier);
    const descriptor = Buffer.alloc(16);
    descriptor.writeUInt16LE(program.length / 8, 0);
    descriptor.writeBigUInt64LE(this.#libc.addressOf(program), 8);
    this.#set(SOL_SOCKET, SO_ATTACH_FILTER, descriptor);
    // Without a route the connection fails here, and the first request fails again and says why.
    this.#libc.connect(this.#fd, this.#target, this.#target.length);
  }

  #set(level: number, option: number, value: Buffer): void {
    this.#libc.setsockopt(this.#fd, level, option, value, value.length);
  }
}

/** ICMP_FILTER (raw(7)) and ICMP6_FILTER (RFC 3542): a set bit holds a type back. */
const replyFilters: { readonly [F in Family]: readonly [number, number, Buffer] } = {
  4: [255, 1, bitsWithout(32, echoTypes[4].reply)],
  6: [58, 1, bitsWithout(256, echoTypes[6].reply)],
};

function bitsWithout(bits: number, bit: number): Buffer {
  const bytes = Buffer.alloc(bits / 8, 0xff);
  bytes[bit >> 3] = 0xff & ~(1 << (bit & 7));
  return bytes;
}

/** A packet filter (BPF, bpf(4)) that keeps what has this identifier. Raw IPv4 begins with the IP header, raw IPv6 does not. */
function identifierFilter(family: Family, identifier: number): Buffer {
  const load = family === 4 ? [instruction(0xb1, 0, 0, 0), instruction(0x48, 0, 0, 4)] : [instruction(0x28, 0, 0, 4)];
  const keep = [instruction(0x15, 0, 1, identifier), instruction(0x06, 0, 0, 0xffff_ffff), instruction(0x06, 0, 0, 0)];
  return Buffer.concat([...load, ...keep]);
}

function instruction(code: number, ifTrue: number, ifFalse: number, operand: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value, 0);
  return bytes;
}
