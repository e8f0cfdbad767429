import { readFileSync } from "node:fs";
import { errorName, linuxCalls } from "../net/libc.ts";

/** Their numbers are the same on x86-64 and arm64 (`asm-generic/resource.h`). */
const resource = { cpu: 0, fileSize: 1, data: 2, core: 4, processes: 6, files: 7 } as const;

export interface ProcessLimits {
  /** What it may allocate beyond what it has now. */
  readonly memoryBytes: number;
  /** Processor time from its start: the backstop where this process does not come to stop it. */
  readonly cpuSeconds: number;
}

/** As pairs of a resource and its limit. `idleBytes`: what the process has while it waits, as `dataBytes` tells. */
export function resourceLimits({ memoryBytes, cpuSeconds }: ProcessLimits, idleBytes: number | null): [resource: number, limit: number][] {
  const limits: [number, number][] = [
    [resource.cpu, cpuSeconds],
    [resource.core, 0],
    [resource.fileSize, 10 * 1024 * 1024],
    [resource.files, 256],
  ];
  if (idleBytes !== null) limits.push([resource.data, idleBytes + memoryBytes]);
  return limits;
}

/**
 * Limits a process that waits for its scripts. They are hard limits, which it cannot raise again. Elsewhere than on Linux no process can
 * limit another, and memory is watched alone.
 *
 * @returns null, or the kernel's reason: a process of another user is limited with CAP_SYS_RESOURCE only
 */
export function limitProcess(pid: number, limits: ProcessLimits): string | null {
  const calls = linuxCalls();
  if (calls === null) return null;
  for (const [name, value] of resourceLimits(limits, dataBytes(pid))) {
    const limit = Buffer.alloc(16);
    limit.writeBigUInt64LE(BigInt(value), 0);
    limit.writeBigUInt64LE(BigInt(value), 8);
    if (calls.prlimit(pid, name, limit, Buffer.alloc(16)) !== 0) return errorName(calls.errno());
  }
  return null;
}

/** What a process may write in memory of its own, in use or not: what the kernel holds against its limit. Null where it has ended. */
export function dataBytes(pid: number): number | null {
  try {
    return Number(/^VmData:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return null;
  }
}

/** What a process has in memory, null where that cannot be seen or it has ended. */
export function residentBytes(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * pageBytes;
  } catch {
    return null;
  }
}

/** The process that does the work: bubblewrap has it as the child of a child. */
export function workingProcess(pid: number): number {
  const children = childrenOf(pid);
  const [only] = children;
  return children.length === 1 && only !== undefined ? workingProcess(only) : pid;
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return [];
  }
}

/** Of x86-64; on an arm64 kernel with larger pages memory is counted too low, and the hard limit alone holds. */
const pageBytes = 4096;
