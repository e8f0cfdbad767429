import { loadavg } from "node:os";
import type { Browser, BrowserContext } from "playwright-core";
import { startChromium } from "../test/support/chromium.ts";
import { pagesSite } from "./support/pages-store.ts";
import { percentile, table } from "./support/processes.ts";

/**
 * When pages are there and can be used, in Chromium on this machine: over 5,000 checks and 10 million results in SQLite, by a control plane in a
 * process of its own. Each look is that of a browser that has nothing of it yet. The store is that of `bench/pages.ts`, and stays in `BENCH_FOLDER`.
 *
 *   npm run build && B bench/first-paint.ts [checks, 5000] [looks at each page, 10]
 */
const [checks = 5_000, looks = 10] = process.argv.slice(2).map(Number);
const folder = process.env["BENCH_FOLDER"] ?? "/tmp/outpost-bench-pages";

/** A person waits for it: the first text or picture, and the moment from which nothing keeps the page from answering. */
interface Look {
  readonly paintMs: number;
  readonly usableMs: number;
}

/** Modules run before the document counts as complete; what still keeps the page busy after that is a long task. */
const watchLongTasks = `new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) globalThis.busyUntil = startTime + duration;
}).observe({ type: "longtask", buffered: true });`;

/** The page's own policy allows no function made of a text, so nothing may be asked again and again. */
const painted = `new Promise((resolve) => {
  const look = (list) => list.getEntriesByName("first-contentful-paint").length > 0 && resolve();
  new PerformanceObserver(look).observe({ type: "paint", buffered: true });
})`;

await using site = await pagesSite(folder, "sqlite", checks);
const { process: controlPlane, url } = await site.start();
await using _controlPlane = controlPlane;
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
    "a dashboard": "/dashboards/bench-expanded",
    "a status page": "/status/bench",
  };
  const rows: string[][] = [];
  for (const [name, path] of Object.entries(pages)) rows.push([name, ...(await measure(browser, cookies, path))]);
  process.stdout.write(`${checks} checks, ms; load ${loadavg()[0]?.toFixed(1)}\n`);
  process.stdout.write(`${table([["", "first paint p50", "worst", "usable p50", "worst"], ...rows])}\n`);
} finally {
  await browser.close();
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
  await page.evaluate(painted);
  const look = await page.evaluate<Look>(`(() => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const [{ domContentLoadedEventEnd }] = performance.getEntriesByType("navigation");
    return { paintMs: paint.startTime, usableMs: Math.max(paint.startTime, domContentLoadedEventEnd, globalThis.busyUntil ?? 0) };
  })()`);
  await context.close();
  return look;
}
