import { errorName, linuxCalls } from "../net/libc.ts";

/** The same on x86-64 and arm64. */
const coreSize = 4;
const thisProcess = 0;

/**
 * A process that crashes writes no image of its memory: all secrets are in it. Hard, so nothing that runs in it can take that back.
 *
 * @returns why it may write one; null where it does not
 */
export function forbidCoreDumps(): string | null {
  const calls = linuxCalls();
  if (calls === null) return "this Node.js cannot call the system's library";
  if (calls.prlimit(thisProcess, coreSize, Buffer.alloc(16), Buffer.alloc(16)) === 0) return null;
  return errorName(calls.errno());
}
