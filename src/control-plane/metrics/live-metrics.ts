import { Counter, Gauge, type Registry } from "prom-client";

/** What is counted of pages that are open. */
export interface LiveMetrics {
  readonly setOpenPages: (count: number) => void;
  /** `full`: too many were open already; `person`: too many of the same person; `slow`: it did not take what it was sent. */
  readonly countLostPage: (reason: "full" | "person" | "slow") => void;
}

export function addLiveMetrics(registers: Registry[]): LiveMetrics {
  const open = new Gauge({ name: "outpost_console_open_pages", help: "Pages of the console that hear what changes", registers });
  const lost = new Counter({
    name: "outpost_console_lost_pages_total",
    help: "Pages that were not told what changes: full (too many were open), person (too many of one person), or slow (they did not take what they were sent)",
    labelNames: ["reason"],
    registers,
  });
  return { setOpenPages: (count) => open.set(count), countLostPage: (reason) => lost.inc({ reason }) };
}
