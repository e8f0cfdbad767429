const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** `1m30s`, `500ms`, `2d` as Go and Prometheus write them, in milliseconds; undefined for anything else. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^(\d+(\.\d+)?(ns|us|µs|ms|[smhdwy]))+$/.test(value))
    return value === "0" || value === 0 ? 0 : undefined;
  return value
    .matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|[smhdwy])/g)
    .reduce((sum, part) => sum + Number(part[1]) * (unitMs[part[2] ?? ""] ?? 0), 0);
}

const periods = [
  ...[10, 20, 30].map((seconds) => ({ ms: seconds * 1000, fields: { frequency: 0, frequencyOffset: seconds } })),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => ({ ms: minutes * 60_000, fields: { frequency: minutes } })),
];

/** The frequency of a check that comes closest to a period, the more frequent one of two equally close ones. */
export function closestFrequency(ms: number): { readonly fields: object; readonly isExact: boolean; readonly told: string } {
  const closest = periods.reduce((best, period) => (Math.abs(period.ms - ms) < Math.abs(best.ms - ms) ? period : best));
  const minutes = closest.ms / 60_000;
  const told = minutes < 1 ? `${closest.ms / 1000} seconds` : minutes === 1 ? "minute" : `${minutes} minutes`;
  return { fields: closest.fields, isExact: closest.ms === ms, told };
}
