import { gzipSync } from "node:zlib";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { axeProblems, colourRules, layoutRules } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { type Demo, startDemo } from "../support/demo/demo.ts";
import { tour } from "./page-tour.ts";
import { signedIn } from "./signed-in.ts";

const maxScriptBytes = 40 * 1024;

describe.skipIf(noChromium !== null)("pages in a real browser", { timeout: 180_000 }, () => {
  let demo: Demo;
  let browser: WatchedBrowser;
  let owner: Browser;
  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo(30), watchedBrowser(["dash.shop.example", "status.shop.example"])]);
    owner = await firstOwner(demo.plane);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await demo[Symbol.asyncDispose]();
  });

  it("can be used by everybody: axe finds nothing serious, nothing is wider than a phone, scripts are small", async () => {
    const { base } = demo.plane;
    const context = await signedIn(browser, base, owner);
    const starts = [
      "/checks",
      ...(await runsOfEachType(context)),
      ...formsOfEachType,
      "/dashboards/shop",
      "/status/shop",
      "/dashboards/payments",
      "/checks?q=nothing-like-this",
    ];
    const problems: string[] = [];
    const seen = await tour(context, base, starts, async (page, address) => {
      const t = performance.now();
      problems.push(...(await problemsOf(page)).map((problem) => `${address}: ${problem}`));
      process.stdout.write(`${address} ${Math.round(performance.now() - t)}\n`);
    });
    problems.push(...browser.takeTroubles());
    process.stdout.write(`${seen.length}\n`);
    expect(problems).toEqual([]);
  });

  async function runsOfEachType(context: BrowserContext): Promise<readonly string[]> {
    const names = [
      "Checkout API",
      "Front page",
      "Orders database",
      "shop.example resolves",
      "Gateway of the Lyon office",
      "Certificate of pay.shop.example",
    ];
    const page = await context.newPage();
    const runs: string[] = [];
    for (const name of names) {
      await page.goto(`/checks/${demo.checks.get(name)}`);
      runs.push((await page.locator("main a[href*='/results/']").first().getAttribute("href")) ?? "");
    }
    await page.close();
    return runs;
  }
});

const formsOfEachType = ["URL", "API", "TCP", "DNS", "ICMP", "SSL", "HEARTBEAT"].map((type) => `/checks/new?type=${type}`);

/** What is folded away is looked at as well; of many alike the first ones, because axe takes long. */
const unfold = `(() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const like = ({ tagName, className }) => tagName + " " + (className.baseVal ?? className);
  for (const parent of [...document.body.querySelectorAll("*")])
    for (const alike of Object.values(Object.groupBy(parent.children, like))) for (const one of alike.slice(4)) one.remove();
})()`;

async function problemsOf(page: Page): Promise<readonly string[]> {
  const problems = [...(await scriptProblems(page))];
  await page.evaluate(unfold);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
  problems.push(...(await axeProblems(page)));
  await page.emulateMedia({ colorScheme: "dark" });
  problems.push(...(await axeProblems(page, colourRules)).map((problem) => `in the dark: ${problem}`));
  for (const width of [2_560, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const at = (problem: string): string => `at ${width} px: ${problem}`;
    problems.push(...(await axeProblems(page, layoutRules)).map(at), ...(await tooWide(page)).map(at));
  }
  return problems;
}

/** What sticks out of the page to its right, where the page would have to be moved sideways for it. */
async function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const out = [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > clientWidth + 1);
    return ["it is " + scrollWidth + " px wide: " + out.slice(0, 3).map((one) => one.outerHTML.slice(0, 120)).join(" | ")];
  })()`);
}

/** Scripts of a page as they are sent: packed, each module that was asked for and what stands in the document. */
async function scriptProblems(page: Page): Promise<readonly string[]> {
  const modules = await page.evaluate<string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/assets/'))",
  );
  const inline = await page.evaluate<string[]>("[...document.scripts].filter(({ src }) => src === '').map(({ text }) => text)");
  const sizes = await Promise.all(modules.map(async (address) => Number((await fetch(address)).headers.get("content-length"))));
  const bytes = [...sizes, ...inline.map((text) => gzipSync(text).length)].reduce((sum, size) => sum + size, 0);
  return bytes <= maxScriptBytes ? [] : [`${bytes} bytes of script: ${modules.join(" ")}`];
}
