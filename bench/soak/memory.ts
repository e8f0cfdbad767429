import { readdirSync, readFileSync } from "node:fs";
import { percentile } from "../support/processes.ts";
import type { Installation } from "./installation.ts";

/**
 * Younger processes are still growing to their size, and what one holds depends on how long it lived, which the faults decide: thirds of
 * the time are compared by processes of one age.
 */
const [youngestMs, oldestMs] = [60_000, 120_000];

interface Sample {
  readonly atMs: number;
  readonly role: string;
  readonly megabytes: number;
}

/** What processes hold, looked at every few seconds. */
export class Memory {
  readonly #samples: Sample[] = [];
  readonly #begunMs = performance.now();

  look(site: Installation): void {
    const atMs = performance.now() - this.#begunMs;
    for (const { role, process } of [...site.controlPlanes, ...site.agents]) {
      if (process === undefined || process.ageMs < youngestMs) continue;
      const megabytes = residentMb(process.pid);
      if (process.ageMs < oldestMs) this.#add({ atMs, role, megabytes });
      else this.#add({ atMs, role: `${role}, older`, megabytes });
    }
    const server = site.store.pid();
    if (server !== undefined) this.#add({ atMs, role: "PostgreSQL, shared parts once", megabytes: familyMb(server) });
  }

  #add(sample: Sample): void {
    if (Number.isFinite(sample.megabytes)) this.#samples.push(sample);
  }

  /** Of each role the median of each third of the time, MB. */
  thirds(): ReadonlyMap<string, readonly number[]> {
    const wholeMs = performance.now() - this.#begunMs;
    const roles = Map.groupBy(this.#samples, ({ role }) => role);
    return new Map(
      [...roles].map(([role, samples]) => [
        role,
        [0, 1, 2].map((third) =>
          percentile(
            samples.filter(({ atMs }) => Math.floor((atMs * 3) / wholeMs) === third).map(({ megabytes }) => megabytes),
            50,
          ),
        ),
      ]),
    );
  }
}

function residentMb(pid: number): number {
  return kilobytes(pid, "status", "VmRSS") / 1024;
}

/** A server and its children: what they share counts once. */
function familyMb(server: number): number {
  const children = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === server);
  return [server, ...children.map(Number)].reduce((sum, pid) => sum + (kilobytes(pid, "smaps_rollup", "Pss") || 0), 0) / 1024;
}

function parentOf(pid: string): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function kilobytes(pid: number, file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(read(`/proc/${pid}/${file}`) ?? "")?.[1] ?? Number.NaN);
}

/** Undefined when the process has ended. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
