import { timespecMs } from "../icmp/received-message.ts";
import type { Libc } from "../libc.ts";

/** Milliseconds since the epoch on the clock of the kernel's stamps, CLOCK_REALTIME, with fractions. */
export function clockMs(libc: Pick<Libc, "clock_gettime">): number {
  const timespec = Buffer.alloc(16);
  libc.clock_gettime(0, timespec);
  return timespecMs(timespec);
}

/** An option's value as setsockopt(2) takes it. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
