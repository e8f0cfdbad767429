import { readFileSync } from "node:fs";
import type { Logger } from "#daemon/logger.ts";

/** A need of this many seats, beside what the machine gives. */
export interface HostLimit {
  readonly given: number;
  readonly needed: number;
}

/** Sockets, pipes and files: what an idle agent has open, and what one check may open. */
const ownFiles = 128;
const filesPerSeat = 8;
/** The least of both: an agent that does nothing has some 27 open, and needs some for probes, polls and the outbox. */
const leastOwnFiles = 44;
const leastFilesPerRun = 4;
const mebibyte = 1024 * 1024;
/** As charts/agent requests it: what an idle agent holds, and what one check may. */
const ownBytes = 128 * mebibyte;
const bytesPerSeat = 2 * mebibyte;

/** Open files (RLIMIT_NOFILE, which Node.js raises to the hard limit at its start); null where that is not known. */
export function openFilesLimit(seats: number): HostLimit | null {
  const given = /^Max open files +(\d+|unlimited)/m.exec(textOf("/proc/self/limits"))?.[1];
  if (given === undefined) return null;
  return { given: given === "unlimited" ? Number.POSITIVE_INFINITY : Number(given), needed: ownFiles + filesPerSeat * seats };
}

/** Runs that may be open at once without taking the descriptors that probes and the way to the control plane need. At least 1. */
export function runsThatFit(): number {
  const given = openFilesLimit(0)?.given ?? Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor((given - leastOwnFiles) / leastFilesPerRun));
}

/** Memory of the cgroup; null where there is no limit. */
export function memoryLimit(seats: number): HostLimit | null {
  const given = process.constrainedMemory();
  return given > 0 && given < Number.MAX_SAFE_INTEGER ? { given, needed: ownBytes + bytesPerSeat * seats } : null;
}

/** At the start: what works, but may not hold under load. */
export function warnOfLimits(seats: number, log: Pick<Logger, "warn">): void {
  const files = openFilesLimit(seats);
  if (files !== null && files.given < files.needed)
    log.warn(files, "few files may be open for this JOB_CONCURRENCY: raise the limit (ulimit -n), else fewer checks run at the same time");
  const memory = memoryLimit(seats);
  if (memory !== null && memory.given < memory.needed)
    log.warn(memory, "little memory for this JOB_CONCURRENCY: raise the limit, else the kernel may end the agent");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
