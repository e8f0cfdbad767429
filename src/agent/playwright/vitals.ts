import { type WebVitalName, type WebVitals, webVitalNames } from "#contract/checks/playwright-run.ts";

/** Up to the first it is good, up to the second it needs improvement (web.dev/vitals); milliseconds, but for CLS. */
const thresholds: Readonly<Record<WebVitalName, readonly [good: number, poor: number]>> = {
  CLS: [0.1, 0.25],
  FCP: [1_800, 3_000],
  LCP: [2_500, 4_000],
  TBT: [200, 600],
  TTFB: [800, 1_800],
};

export function scored(seen: Readonly<Record<WebVitalName, number | null>>): WebVitals {
  const found = webVitalNames.flatMap((name) => {
    const value = seen[name];
    if (value === null || value < 0) return [];
    const [good, poor] = thresholds[name];
    return [[name, { value, score: value <= good ? "GOOD" : value <= poor ? "NEEDS_IMPROVEMENT" : "POOR" }] as const];
  });
  return Object.fromEntries(found);
}
