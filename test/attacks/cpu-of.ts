import { readFileSync } from "node:fs";

/** User and system time of a process so far, milliseconds; the kernel counts in ticks of 10 ms. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * What one call costs the process: the least of some tries, each a mean over several calls, so that neither ticks nor what the
 * process does beside it counts for much.
 */
export async function cpuPerCallMs(pid: number, call: () => Promise<unknown>, { calls = 10, tries = 3 } = {}): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const before = cpuMs(pid);
    for (let n = 0; n < calls; n += 1) await call();
    least = Math.min(least, (cpuMs(pid) - before) / calls);
  }
  return least;
}
