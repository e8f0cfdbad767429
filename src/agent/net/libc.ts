import type * as Ffi from "node:ffi";
import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";

/**
 * The few system calls that Node.js does not offer, through its foreign function interface: sockets of kinds that node:net and
 * node:dgram cannot open, their options, and error queues. The one file that knows how libc is called; the interface is
 * experimental in Node.js 26, so it is loaded when first asked for, and an agent without it runs everything else.
 *
 * All calls return at once on the descriptors that we open (non-blocking). A result below 0 is a failure, told by `errno()`.
 */
export interface Libc {
  socket(domain: number, type: number, protocol: number): number;
  close(fd: number): number;
  bind(fd: number, address: Buffer, length: number): number;
  connect(fd: number, address: Buffer, length: number): number;
  sendto(fd: number, data: Buffer, length: bigint, flags: number, address: Buffer, addressLength: number): number;
  recvmsg(fd: number, message: Buffer, flags: number): number;
  setsockopt(fd: number, level: number, name: number, value: Buffer, length: number): number;
  getsockopt(fd: number, level: number, name: number, value: Buffer, length: Buffer): number;
  ioctl(fd: number, request: bigint, argument: Buffer): number;
  clock_gettime(clock: number, timespec: Buffer): number;
  poll(descriptors: Buffer, count: bigint, timeoutMs: number): number;
  if_nametoindex(name: string): number;
  inet_pton(family: number, text: string, address: Buffer): number;
  inet_ntop(family: number, address: Buffer, text: Buffer, size: number): bigint;
  mmap(address: bigint, length: bigint, protection: number, flags: number, fd: number, offset: bigint): bigint;
  munmap(address: bigint, length: bigint): number;
  /** Sets a limit of a process of ours, and writes the one before into `old`. */
  prlimit(pid: number, resource: number, limit: Buffer, old: Buffer): number;
  /** The error of the last call of this thread; ask before anything else happens. */
  errno(): number;
  /** Where a buffer's memory is, to be written into structures; valid while the buffer is kept. */
  addressOf(buffer: Buffer): bigint;
  /** A view of memory that the kernel shares with us; must not be used after `munmap`. */
  memoryAt(address: bigint, length: number): Buffer;
}

let loaded: Libc | Error | undefined;

/** Null where the calls cannot be made, or where numbers and structures are others than those of 64-bit Linux that we write. */
export function linuxCalls(): Libc | null {
  if (process.platform !== "linux" || process.arch === "ia32" || process.arch === "arm") return null;
  try {
    return libc();
  } catch {
    return null;
  }
}

/** @throws {Error} when this Node.js cannot call libc; the same each time */
export function libc(): Libc {
  loaded ??= load();
  if (loaded instanceof Error) throw loaded;
  return loaded;
}

/** `EACCES`, `EMFILE` … */
export function errorName(errno: number): string {
  return errno > 0 ? getSystemErrorName(-errno) : "EUNKNOWN";
}

const signatures = {
  socket: { arguments: ["i32", "i32", "i32"], return: "i32" },
  close: { arguments: ["i32"], return: "i32" },
  bind: { arguments: ["i32", "buffer", "u32"], return: "i32" },
  connect: { arguments: ["i32", "buffer", "u32"], return: "i32" },
  sendto: { arguments: ["i32", "buffer", "u64", "i32", "buffer", "u32"], return: "i32" },
  recvmsg: { arguments: ["i32", "buffer", "i32"], return: "i32" },
  setsockopt: { arguments: ["i32", "i32", "i32", "buffer", "u32"], return: "i32" },
  getsockopt: { arguments: ["i32", "i32", "i32", "buffer", "buffer"], return: "i32" },
  ioctl: { arguments: ["i32", "u64", "buffer"], return: "i32" },
  clock_gettime: { arguments: ["i32", "buffer"], return: "i32" },
  poll: { arguments: ["buffer", "u64", "i32"], return: "i32" },
  if_nametoindex: { arguments: ["string"], return: "u32" },
  inet_pton: { arguments: ["i32", "string", "buffer"], return: "i32" },
  inet_ntop: { arguments: ["i32", "buffer", "buffer", "u32"], return: "pointer" },
  mmap: { arguments: ["pointer", "u64", "i32", "i32", "i32", "i64"], return: "pointer" },
  munmap: { arguments: ["pointer", "u64"], return: "i32" },
  prlimit: { arguments: ["i32", "i32", "buffer", "buffer"], return: "i32" },
  __errno_location: { arguments: [], return: "pointer" },
} as const;

function load(): Libc | Error {
  try {
    // By require, because an import would fail the whole module where there is no such interface.
    const ffi = createRequire(import.meta.url)("node:ffi") as typeof Ffi;
    const { functions } = ffi.dlopen(null, signatures);
    const calls = functions as unknown as Omit<Libc, "errno" | "addressOf" | "memoryAt"> & { readonly __errno_location: () => bigint };
    return {
      ...calls,
      errno: () => ffi.getInt32(calls.__errno_location(), 0),
      addressOf: (buffer) => ffi.getRawPointer(buffer),
      memoryAt: (address, length) => ffi.toBuffer(address, length, false),
    };
  } catch (cause) {
    return new Error("this Node.js cannot call the system's library", { cause });
  }
}
