import { BrowserRunResult, type PageMetric, pageMetrics } from "#contract/checks/playwright-run.ts";

/** The page of what a whole run tells: no page has a number below 0. */
export const wholeRun = -1;

export interface PageFigures {
  readonly page: number;
  readonly values: Readonly<Partial<Record<PageMetric, number>>>;
}

const Seen = BrowserRunResult.pick({ pages: true, requests: true, console: true, traceSummary: true });

/**
 * What each page of a run counts for in figures, and the whole run, whose errors are also those of no page and those past the ends of lists.
 * Empty for what is no result of a browser.
 */
export function pageFigures(detail: unknown): readonly PageFigures[] {
  if (typeof detail !== "object" || detail === null || !("traceSummary" in detail)) return [];
  const { data: seen } = Seen.safeParse(detail);
  if (seen === undefined) return [];
  const { pages, requests, console: lines, traceSummary } = seen;
  const failed = Map.groupBy(
    requests.filter(({ error, status }) => error !== null || (status ?? 0) >= 400),
    ({ page }) => page,
  );
  const told = Map.groupBy(lines, ({ page }) => page);
  const ofPages = [...new Map(pages.map((page) => [page.index, page])).values()].map(({ index, webVitals }) => {
    const [badRequests, badLines] = [failed.get(index) ?? [], told.get(index) ?? []];
    const vitals = pageMetrics.flatMap((name) => {
      const value = name in webVitals ? webVitals[name as keyof typeof webVitals]?.value : undefined;
      return value === undefined ? [] : [[name, value] as const];
    });
    return {
      page: index,
      values: {
        ...Object.fromEntries(vitals),
        consoleErrors: badLines.filter(({ level }) => level === "error").length,
        networkErrors: badRequests.length,
        userScriptErrors: badLines.filter(({ level }) => level === "exception").length,
        documentErrors: badRequests.filter(({ type }) => type === "document").length,
      },
    };
  });
  return [{ page: wholeRun, values: traceSummary }, ...ofPages];
}
