import { milliseconds } from "./layout.ts";

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;
const levels = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
/** A packet without a reply. */
export const lostMark = "×";

/** A length of time by its name; null was not reached. */
export type Phases = Readonly<Record<string, number | null>>;

export interface PhaseRow {
  readonly name: string;
  /** `12.1 ms`, or `–` where it was not reached. */
  readonly time: string;
  /** Blocks after the spaces that the phases before it take; shaded where the attempt ended within it. */
  readonly bar: string;
  readonly isBroken: boolean;
}

/**
 * One row per phase, one after another in time, on `width` columns in all. A phase that took any time at all is seen. What is left of
 * `elapsedMs` was spent in the first phase that was not reached: the one that failed.
 */
export function phaseRows(phases: Phases, elapsedMs: number, width: number): PhaseRow[] {
  const reachedMs = Object.values(phases).reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
  const totalMs = Math.max(reachedMs, elapsedMs);
  const broken = Object.keys(phases).find((name) => phases[name] === null);
  let beforeMs = 0;
  return Object.entries(phases).map(([name, reached]) => {
    const isBroken = name === broken;
    const ms = isBroken ? totalMs - reachedMs : reached;
    if (ms === null) return { name, time: "–", bar: "", isBroken };
    const from = totalMs === 0 ? 0 : Math.min(width - 1, Math.floor((beforeMs / totalMs) * width));
    const length = totalMs === 0 ? 0 : Math.min(width - from, (ms / totalMs) * width);
    beforeMs += ms;
    const blocks = isBroken ? "░".repeat(Math.max(1, Math.round(length))) : solid(length);
    return { name, time: milliseconds(ms), bar: ms === 0 ? "" : " ".repeat(from) + blocks, isBroken };
  });
}

/** `length` columns in steps of an eighth, at least one eighth. */
function solid(length: number): string {
  const steps = Math.max(1, Math.round(length * 8));
  return "█".repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? "");
}

/** One character per value from 0 to the largest; null is a lost one. */
export function sparkline(values: readonly (number | null)[]): string {
  const largest = Math.max(...values.map((value) => value ?? 0));
  const level = (value: number): string => levels[largest === 0 ? 0 : Math.min(7, Math.floor((value / largest) * 8))] ?? "█";
  return values.map((value) => (value === null ? lostMark : level(value))).join("");
}
