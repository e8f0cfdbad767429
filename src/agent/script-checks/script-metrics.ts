import { type BrowserRunResult, type MultiStepRunResult, type WebVitals, webVitalNames } from "#contract/checks/playwright-run.ts";

/** What analytics keep of a run beside its time: of each web vital the average of the pages that have it. */
export function scriptMetrics(result: MultiStepRunResult | BrowserRunResult): Readonly<Record<string, number | null>> {
  if (!("pages" in result)) return {};
  const vitals = result.pages.map(({ webVitals }) => webVitals);
  const averages = webVitalNames.map((name) => [name, average(vitals, name)] as const);
  return { ...Object.fromEntries(averages), consoleErrors: result.traceSummary.consoleErrors };
}

function average(pages: readonly WebVitals[], name: (typeof webVitalNames)[number]): number | null {
  const values = pages.flatMap((vitals) => vitals[name]?.value ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
