import type { z } from "zod";
import type { ApiCheckResult, JobLogEntry } from "#contract/checks/api.ts";

export type LogEntry = z.infer<typeof JobLogEntry>;
type Phase = keyof NonNullable<ApiCheckResult["jobLog"]>;

/** What a result keeps of one phase; with both phases of scripts it stays below what a report may have. In characters. */
const keptLength = 262_144;
/** What a line costs beside its message. */
const entryLength = 60;

/** The `jobLog` of one run (behaviour 3), unscrubbed. */
export class JobLog {
  /** Epoch ms on the control plane's clock, as everything in a result. */
  readonly nowMs: () => number;
  readonly #entries: Record<Phase, LogEntry[]> = { setup: [], request: [], teardown: [] };

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  say(phase: Phase, level: LogEntry["level"], msg: string): void {
    this.#entries[phase].push({ time: Math.round(this.nowMs()), level, msg });
  }

  /** @param aheadMs by how much the clock that wrote the times is ahead of the control plane's */
  add(phase: Phase, entries: readonly LogEntry[], aheadMs: number): void {
    let left = keptLength;
    for (const [index, { time, level, msg }] of entries.entries()) {
      left -= msg.length + entryLength;
      if (left < 0) return this.say(phase, "WARN", `the log is too long: ${entries.length - index} more lines are left out`);
      this.#entries[phase].push({ time: Math.round(time - aheadMs), level, msg });
    }
  }

  get entries(): NonNullable<ApiCheckResult["jobLog"]> {
    return this.#entries;
  }
}
