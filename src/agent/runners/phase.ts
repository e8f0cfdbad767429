/** How long a phase took, ms; null where the attempt did not get to its end. */
export function between(fromMs: number | null, toMs: number | null): number | null {
  return fromMs === null || toMs === null ? null : toMicro(toMs - fromMs);
}

/** Milliseconds or percent with three decimals. */
export function toMicro(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
