import { createSocket, type Socket } from "node:dgram";
import { hasIPv6Form } from "../ip-address.ts";
import { type Libc, linuxCalls } from "../libc.ts";

/** A socket for one question, not yet connected. */
export interface UdpSocket {
  readonly socket: Socket;
  /** How long ago the packet arrived whose "message" is being told (ms); 0 where the kernel's stamp cannot be had. */
  readonly ageMs: () => number;
}

/**
 * @param isMeasured reads the kernel's receive stamps, so that a busy event loop does not lengthen what is measured. Costs
 *   some 10 us, so not for look-ups, which nobody times to the microsecond.
 */
export function openUdpSocket(address: string, isMeasured: boolean): UdpSocket {
  const isSix = hasIPv6Form(address);
  const socket = createSocket({ type: isSix ? "udp6" : "udp4", lookup: asItIs });
  const fd = isMeasured ? stampedDescriptor(isSix) : null;
  if (fd === null) return { socket, ageMs: () => 0 };
  socket.bind({ fd, exclusive: true });
  return { socket, ageMs: () => ageOfLast(fd) };
}

/** Addresses only are dialled; answered at once, which spares each question two turns of the event loop. */
function asItIs(address: string, _options: unknown, done: (error: null, address: string, family: number) => void): void {
  done(null, address, hasIPv6Form(address) ? 6 : 4);
}

const AF_INET = 2;
const AF_INET6 = 10;
const DGRAM_NONBLOCK_CLOEXEC = 2 | 0o4000 | 0o2000000;
/** Reads the stamp of the packet that was read last; the first call turns stamping on (socket(7)). */
const SIOCGSTAMPNS = 0x8907n;
const CLOCK_REALTIME = 0;

/** `sockaddr_in` and `sockaddr_in6` of no address and no port: the kernel chooses. */
const anyIPv4 = Buffer.alloc(16);
anyIPv4.writeUInt16LE(AF_INET);
const anyIPv6 = Buffer.alloc(28);
anyIPv6.writeUInt16LE(AF_INET6);

/** Used and read again within a call. */
const stamp = Buffer.alloc(16);
const now = Buffer.alloc(16);

let calls: Libc | null | undefined;

/** Null where sockets cannot be opened so; then node:dgram opens them, or says why not. */
function stampedDescriptor(isSix: boolean): number | null {
  if (calls === undefined) {
    calls = linuxCalls();
    // The kernel stamps while any socket asks for it, and takes a moment to begin: this one stays open for good.
    if (calls !== null) open(calls, false);
  }
  return calls === null ? null : open(calls, isSix);
}

function open(system: Libc, isSix: boolean): number | null {
  const fd = system.socket(isSix ? AF_INET6 : AF_INET, DGRAM_NONBLOCK_CLOEXEC, 0);
  if (fd < 0) return null;
  // libuv will allow that its port is used twice; bound before that, it has a port of its own.
  const anywhere = isSix ? anyIPv6 : anyIPv4;
  if (system.bind(fd, anywhere, anywhere.length) < 0) {
    system.close(fd);
    return null;
  }
  system.ioctl(fd, SIOCGSTAMPNS, stamp);
  return fd;
}

function ageOfLast(fd: number): number {
  if (calls == null || calls.ioctl(fd, SIOCGSTAMPNS, stamp) < 0 || calls.clock_gettime(CLOCK_REALTIME, now) < 0) return 0;
  const seconds = now.readUInt32LE(0) - stamp.readUInt32LE(0);
  return Math.max(0, seconds * 1_000 + (now.readUInt32LE(8) - stamp.readUInt32LE(8)) / 1e6);
}
