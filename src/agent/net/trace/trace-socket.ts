import type { MessageReader } from "../icmp/received-message.ts";
import { socketAddress } from "../icmp/socket-address.ts";
import { hasIPv6Form } from "../ip-address.ts";
import { errorName, type Libc } from "../libc.ts";
import { linuxCalls, SystemCallError } from "../system-calls.ts";
import { type HopAnswer, meaningOf, type TraceMethod } from "./hop-answer.ts";
import { clockMs, int32 } from "./socket-values.ts";

/** The first port of traceroute(8) for UDP. */
export const firstUdpPort = 33_434;

/** SOCK_NONBLOCK, and SOCK_CLOEXEC: no child may have them. */
const flags = 0o4000 | 0o2000000;
const socketKinds = { tcp: 1 | flags, udp: 2 | flags, icmp: 2 | flags } as const;
const solSocket = 1;
const pollIn = 1;
const pollOut = 4;
const connectionRefused = 111;
const inProgress = 115;

/** `struct linger`, on for 0 s: the port is free at once for the flow's next probe, here and at the target. */
const resetOnClose = Buffer.concat([int32(1), int32(0)]);

/**
 * One probe: an ordinary socket that sends with a small time-to-live and hears through its error queue who dropped the
 * packet. None of it needs a privilege (ip(7), IP_RECVERR), but echo requests need `net.ipv4.ping_group_range`.
 */
export class TraceSocket {
  readonly ttl: number;
  readonly fd: number;
  readonly events: number;
  readonly #method: TraceMethod;
  readonly #address: string;
  readonly #messages: MessageReader;
  readonly #libc: Libc = linuxCalls();
  #sentMs = 0;

  /**
   * @param messages may be shared: it holds one message at a time
   * @param flow makes it one of a flow's probes, which ends without a trace at the target
   * @throws {SystemCallError} when there is no such socket for us, or its port is taken
   */
  constructor(
    method: TraceMethod,
    address: string,
    ttl: number,
    messages: MessageReader,
    flow: { readonly sourcePort: number } | null = null,
  ) {
    const isIPv6 = hasIPv6Form(address);
    const protocol = { tcp: 6, udp: 17, icmp: isIPv6 ? 58 : 1 }[method];
    this.ttl = ttl;
    this.#method = method;
    this.#address = address;
    this.#messages = messages;
    this.events = method === "tcp" ? pollOut : pollIn;
    this.fd = this.#libc.socket(isIPv6 ? 10 : 2, socketKinds[method], protocol);
    if (this.fd < 0) throw new SystemCallError("socket", this.#libc.errno());
    const level = isIPv6 ? 41 : 0;
    this.#set(level, isIPv6 ? 16 : 2, ttl); // IPV6_UNICAST_HOPS, IP_TTL
    this.#set(level, isIPv6 ? 25 : 11, 1); // IPV6_RECVERR, IP_RECVERR
    this.#set(solSocket, 35, 1); // SO_TIMESTAMPNS: the kernel's receive time, however late this thread is
    if (flow !== null) this.#join(flow.sourcePort);
  }

  /** Sends the probe to `port`, which echo requests do not have; answers at once where the system said no. */
  send(port: number): HopAnswer | null {
    const { fd } = this;
    this.#sentMs = clockMs(this.#libc);
    const peer = socketAddress(this.#address, this.#method === "icmp" ? 0 : port);
    const payload = this.#payload();
    const result =
      this.#method === "tcp"
        ? this.#libc.connect(fd, peer, peer.length)
        : this.#libc.sendto(fd, payload, BigInt(payload.length), 0, peer, peer.length);
    const errno = result < 0 ? this.#libc.errno() : 0;
    return errno === 0 || errno === inProgress ? null : this.#ended(errno);
  }

  /** What came for this probe; null when it was nothing that ends it. Ask when `poll` names the socket. */
  read(): HopAnswer | null {
    if (this.#messages.readError(this.fd) >= 0) {
      const { error, atMs } = this.#messages.control();
      if (error !== null) return meaningOf(this.#method, this.#address, error, this.#since(atMs));
    }
    if (this.#method === "tcp") return this.#ended(this.#socketError());
    if (this.#messages.read(this.fd) < 0) return null;
    return { from: this.#address, rttMs: this.#since(this.#messages.control().atMs), is: "target", says: "answers" };
  }

  close(): void {
    this.#libc.close(this.fd);
  }

  /** How a connect ended. The error is the peer's answer only where it can come from nobody else. */
  #ended(errno: number): HopAnswer {
    const from = this.#address;
    if (errno === 0) return { from, rttMs: this.#kernelRoundTrip() ?? this.#since(null), is: "target", says: "open" };
    if (errno === connectionRefused && this.#method === "tcp") return { from, rttMs: this.#since(null), is: "target", says: "refused" };
    return unsent(errno);
  }

  #join(sourcePort: number): void {
    const isIPv6 = hasIPv6Form(this.#address);
    if (isIPv6) this.#set(41, 70, 0); // IPV6_AUTOFLOWLABEL: each socket would have a label of its own (RFC 6437)
    this.#libc.setsockopt(this.fd, solSocket, 13, resetOnClose, resetOnClose.length); // SO_LINGER
    const own = socketAddress(isIPv6 ? "::" : "0.0.0.0", sourcePort);
    if (this.#libc.bind(this.fd, own, own.length) === 0) return;
    const error = new SystemCallError("bind", this.#libc.errno());
    this.close();
    throw error;
  }

  #since(atMs: number | null): number {
    return Math.max(0, (atMs ?? clockMs(this.#libc)) - this.#sentMs);
  }

  /** The handshake's round trip by TCP_INFO, which no late thread can lengthen. */
  #kernelRoundTrip(): number | null {
    const info = Buffer.alloc(104);
    if (this.#libc.getsockopt(this.fd, 6, 11, info, int32(info.length)) !== 0) return null;
    const microseconds = info.readUInt32LE(68);
    return microseconds === 0 ? null : microseconds / 1_000;
  }

  #socketError(): number {
    const value = Buffer.alloc(4);
    this.#libc.getsockopt(this.fd, solSocket, 4, value, int32(4));
    return value.readInt32LE(0);
  }

  /** Nothing but zeros and the hop's number: evidence carries no data. */
  #payload(): Buffer {
    const bytes = Buffer.alloc(32);
    if (this.#method !== "icmp") return bytes;
    bytes[0] = hasIPv6Form(this.#address) ? 128 : 8;
    bytes.writeUInt16BE(this.ttl, 6);
    return bytes;
  }

  #set(level: number, name: number, value: number): void {
    this.#libc.setsockopt(this.fd, level, name, int32(value), 4);
  }
}

/** Those of the sockets that have something to read; one system call, which does not wait. */
export function readySockets(sockets: readonly TraceSocket[]): TraceSocket[] {
  const descriptors = Buffer.alloc(8 * sockets.length);
  for (const [index, { fd, events }] of sockets.entries()) {
    descriptors.writeInt32LE(fd, 8 * index);
    descriptors.writeInt16LE(events, 8 * index + 4);
  }
  if (linuxCalls().poll(descriptors, BigInt(sockets.length), 0) <= 0) return [];
  return sockets.filter((_socket, index) => descriptors.readInt16LE(8 * index + 6) !== 0);
}

function unsent(errno: number): HopAnswer {
  return { from: null, rttMs: null, is: "unsent", says: errorName(errno) };
}
