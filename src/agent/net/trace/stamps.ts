import { sleep } from "#daemon/sleep.ts";
import { linuxCalls } from "../system-calls.ts";
import { int32 } from "./socket-values.ts";

/** What the kernel needs to begin, with room (ms). */
const beginMs = 10;

let begun: Promise<void> | undefined;

/**
 * Makes sure that the kernel stamps what arrives, for probes that need no right: it does so only while some socket asks for it,
 * and begins a moment after the first one has asked. The first call keeps a socket open for good, which hears nothing.
 */
export function stampsBegun(): Promise<void> {
  begun ??= begin();
  return begun;
}

function begin(): Promise<void> {
  const calls = linuxCalls();
  const fd = calls.socket(2, 2 | 0o4000 | 0o2000000, 0); // AF_INET, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC
  if (fd >= 0) calls.setsockopt(fd, 1, 35, int32(1), 4); // SO_TIMESTAMPNS
  // No run's own signal: others wait for the same.
  return sleep(beginMs, new AbortController().signal);
}
