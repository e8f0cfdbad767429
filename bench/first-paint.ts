import { loadavg } from "node:os";
import type { Browser, BrowserContext } from "playwright-core";
import { startChromium } from "../test/support/chromium.ts";
import { percentile, table } from "./support/processes.ts";
import { Site } from "./support/site.ts";

/**
 * When pages are there and can be used, in Chromium on this machine: over 5,000 checks and 10 million results in SQLite, by a control plane in a
 * process of its own. Each look is that of a browser that has nothing of it yet.
 *
 *   B bench/first-paint.ts [checks, 5000] [days of results, 7] [looks at each page, 10]
 */
const [checks = 5_000, days = 7, looks = 10] = process.argv.slice(2).map(Number);
const dayMs = 86_400_000;

/** A person waits for it: the first text or picture, and the moment from which nothing keeps the page from answering. */
interface Look {
  readonly paintMs: number;
  readonly usableMs: number;
}

/** Modules run before the document counts as complete; what still keeps the page busy after that is a long task. */
const watchLongTasks = `new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) globalThis.busyUntil = startTime + duration;
}).observe({ type: "longtask", buffered: true });`;

await using site = await Site.make("sqlite", checks);
const toMs = Math.floor(Date.now() / 60_000) * 60_000;
const written = await site.fill(toMs - days * dayMs, toMs);
await site.withStorage(async ({ analytics }) => {
  while (await analytics.compact(toMs, 250));
});
await site.activate();
const { process: controlPlane, url } = await site.start();
await using _controlPlane = controlPlane;
await publish("/v1/dashboards", { header: "Bench", customUrl: "bench", checksPerPage: 20, expandChecks: true });
await publish("/v1/status-pages", { name: "Bench", url: "bench", cards: [] });
const browser = await startChromium();
try {
  const cookies = await signIn(browser);
  const check = `/checks/${site.checkIds[0] ?? ""}`;
  const pages = {
    "the list of checks": "/checks",
    "a search in it": "/checks?q=1",
    "a check, a day": check,
    "a check, 30 days": `${check}?range=30d`,
    "its form": `${check}/edit`,
    alerts: "/alerts",
    locations: "/locations",
    incidents: "/incidents",
    "a dashboard": "/dashboards/bench",
    "a status page": "/status/bench",
  };
  const rows: string[][] = [];
  for (const [name, path] of Object.entries(pages)) rows.push([name, ...(await measure(browser, cookies, path))]);
  process.stdout.write(`${checks} checks, ${written} results, ms; load ${loadavg()[0]?.toFixed(1)}\n`);
  process.stdout.write(`${table([["", "first paint p50", "worst", "usable p50", "worst"], ...rows])}\n`);
} finally {
  await browser.close();
}

async function publish(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${site.apiKey}`, "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

async function signIn(of: Browser): Promise<Cookies> {
  const context = await of.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/sign-in`);
  const key = page.getByLabel("API key");
  if (!(await key.isVisible())) await page.locator("summary").first().click();
  await key.fill(site.apiKey);
  await page.getByRole("button", { name: "Sign in with the key" }).click();
  await page.waitForURL(/\/checks/);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function measure(of: Browser, cookies: Cookies, path: string): Promise<readonly string[]> {
  const all: Look[] = [];
  for (let look = 0; look < looks; look += 1) all.push(await lookOnce(of, cookies, path));
  const texts = (ms: readonly number[]): readonly string[] => [percentile(ms, 50).toFixed(0), Math.max(...ms).toFixed(0)];
  return [...texts(all.map(({ paintMs }) => paintMs)), ...texts(all.map(({ usableMs }) => usableMs))];
}

async function lookOnce(of: Browser, cookies: Cookies, path: string): Promise<Look> {
  const context = await of.newContext({ viewport: { width: 1_280, height: 800 } });
  await context.addCookies(cookies);
  await context.addInitScript(watchLongTasks);
  const page = await context.newPage();
  await page.goto(`${url}${path}`, { waitUntil: "load" });
  await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0");
  const look = await page.evaluate<Look>(`(() => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const [{ domContentLoadedEventEnd }] = performance.getEntriesByType("navigation");
    return { paintMs: paint.startTime, usableMs: Math.max(paint.startTime, domContentLoadedEventEnd, globalThis.busyUntil ?? 0) };
  })()`);
  await context.close();
  return look;
}
