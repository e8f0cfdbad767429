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

const names = JSON.stringify(
  Object.fromEntries(Array.from({ length: 97_000 }, (_, index) => [`n${index.toString(36).padStart(11, "x")}`, 1])),
);
/** What parsing them takes a machine that does nothing else. */
const usualMs = 57;

/** How many times as long as usual this machine takes now, at least 1: beside other work a processor of the same kind takes two to three. */
function slowness(): number {
  const calls = 3;
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n += 1) JSON.parse(names);
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, (user + system) / 1_000 / calls / usualMs);
}

/** CPU time as the usual machine would take it; `ms` itself where it is within the limit, as asking how slow this machine is takes a while. */
export const asUsualMs = (ms: number, limitMs: number): number => (ms < limitMs ? ms : ms / slowness());
