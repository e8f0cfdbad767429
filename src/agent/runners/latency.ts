import { toMicro } from "./phase.ts";

/** Milliseconds, to a microsecond; null where there is nothing to measure. */
export interface Latency {
  readonly avg: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly stdDev: number | null;
}

/** Minimum, average, maximum and population standard deviation (ping's mdev) of round trips. */
export function latencyOf(rtts: readonly number[]): Latency {
  if (rtts.length === 0) return { avg: null, min: null, max: null, stdDev: null };
  const avg = sum(rtts) / rtts.length;
  const variance = sum(rtts.map((rtt) => (rtt - avg) ** 2)) / rtts.length;
  return { avg: toMicro(avg), min: toMicro(Math.min(...rtts)), max: toMicro(Math.max(...rtts)), stdDev: toMicro(Math.sqrt(variance)) };
}

/** Percent of what was sent that did not come back; all of it where nothing was sent. */
export function lossOf(sent: number, received: number): number {
  return sent === 0 ? 100 : toMicro(((sent - received) / sent) * 100);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
