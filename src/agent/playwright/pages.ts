import type {
  BrowserRunResult,
  PlaywrightConsoleLine,
  PlaywrightPage,
  PlaywrightRequest,
  PlaywrightStep,
} from "#contract/checks/playwright-run.ts";
import { isOfKind, type Seen, type SeenOf } from "./told.ts";
import { scored } from "./vitals.ts";

const [mostPages, mostRequests, mostLines] = [100, 500, 500];
const levels: readonly PlaywrightConsoleLine["level"][] = ["debug", "info", "log", "warning", "error", "exception"];

/** Pages by their first visit: http and https only, each address once. */
export function pagesOf(seen: readonly Seen[]): PlaywrightPage[] {
  const urls = seen.filter(isOfKind("page")).flatMap(({ url }) => (/^https?:/.test(url) ? [url] : []));
  const vitals = new Map(seen.filter(isOfKind("vitals")).map((one) => [one.url, one.seen]));
  return [...new Set(urls)].slice(0, mostPages).map((url, index) => {
    const values = vitals.get(url);
    return { url, index, webVitals: values === undefined ? {} : scored(values) };
  });
}

export function requestsOf(
  seen: readonly Seen[],
  pages: readonly PlaywrightPage[],
  steps: readonly PlaywrightStep[],
  zeroMs: number,
): PlaywrightRequest[] {
  const all = seen.filter(isOfKind("request")).toSorted((one, other) => one.startedAt - other.startedAt);
  return all.slice(0, mostRequests).map(({ kind: _kind, isDocument: _isDocument, on, startedAt, ...request }) => {
    const startMs = startedAt - zeroMs;
    return { ...request, startMs, step: stepAt(steps, startMs), page: pageAt(pages, on) };
  });
}

export function consoleOf(seen: readonly Seen[], pages: readonly PlaywrightPage[], zeroMs: number): PlaywrightConsoleLine[] {
  return seen
    .filter(isOfKind("console"))
    .slice(0, mostLines)
    .map(({ time, level, text, url, line, on }) => ({
      atMs: time - zeroMs,
      level: levels.find((one) => one === level) ?? "log",
      text,
      url,
      line,
      page: pageAt(pages, on),
    }));
}

export function summaryOf(seen: readonly Seen[]): BrowserRunResult["traceSummary"] {
  const [lines, requests] = [seen.filter(isOfKind("console")), seen.filter(isOfKind("request"))];
  const hasFailed = ({ error, status }: SeenOf<"request">): boolean => error !== null || (status ?? 0) >= 400;
  return {
    consoleErrors: lines.filter(({ level }) => level === "error").length,
    networkErrors: requests.filter(hasFailed).length,
    documentErrors: requests.filter((request) => request.isDocument && hasFailed(request)).length,
    userScriptErrors: lines.filter(({ level }) => level === "exception").length,
  };
}

/** The deepest one that was under way. */
function stepAt(steps: readonly PlaywrightStep[], atMs: number): number | null {
  const under = steps.flatMap((step, index) =>
    step.startMs <= atMs && atMs <= step.startMs + step.durationMs ? [{ index, ...step }] : [],
  );
  return under.toSorted((one, other) => other.depth - one.depth || other.startMs - one.startMs)[0]?.index ?? null;
}

function pageAt(pages: readonly PlaywrightPage[], url: string | null): number | null {
  return pages.find((page) => page.url === url)?.index ?? null;
}
