import { sleep } from "#daemon/sleep.ts";
import type { EchoSocket } from "./echo-socket.ts";

/** How often the kernel is given another millisecond to begin; it needs one, unless this host is starved. */
const tries = 50;

let begun: Promise<void> | undefined;

/**
 * Makes sure that the kernel stamps what arrives. It does so only while some socket asks for it, and begins a moment after
 * the first one has asked; what arrives before is stamped when it is read, which here may be half a second later. So the
 * first call keeps a socket open for good, and pings this host through it until a stamp is older than the read.
 *
 * @param open a socket to this host, or null where there is none
 */
export function kernelStamps(open: () => EchoSocket | null): Promise<void> {
  // Without a socket for it, runs go on as they can, and the next one tries again.
  begun ??= begin(open).catch(() => void (begun = undefined));
  return begun;
}

async function begin(open: () => EchoSocket | null): Promise<void> {
  const socket = open();
  let isStamped = socket === null;
  // No run's own signal: others wait for the same.
  const { signal } = new AbortController();
  for (let sequence = 1; sequence <= tries && !isStamped; sequence += 1) {
    socket?.send(sequence);
    await sleep(1, signal);
    const readAtMs = socket?.nowMs() ?? 0;
    socket?.look(({ atMs }) => (isStamped ||= atMs < readAtMs));
  }
}
