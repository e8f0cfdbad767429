import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { type HostileWorld, hostileWorld } from "./hostile-world.ts";
import { tour } from "./page-tour.ts";
import { becameMarkup, evil, payloads } from "./payloads.ts";
import { signedIn } from "./signed-in.ts";

/** A picture over https from where the page's owner said, and what the policy refuses to the style that he wrote. */
const isExpected = (trouble: string): boolean =>
  trouble.includes("GET https://logo.example/") || /\/dashboards\/styled.*(Content Security Policy|: csp$)/.test(trouble);

describe.skipIf(noChromium !== null)("hostile texts in a real browser (E-05)", { timeout: 180_000 }, () => {
  let world: HostileWorld;
  let browser: WatchedBrowser;
  beforeAll(async () => {
    [world, browser] = await Promise.all([hostileWorld(), watchedBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  const connectionsToEvil = (): readonly string[] => browser.connectionsElsewhere.filter((bytes) => bytes.includes("evil.example"));

  it("are nothing but text on every page: nothing runs, nothing is loaded, nothing leads elsewhere", async () => {
    const { base } = world.plane;
    const context = await signedIn(browser, base, world.owner);
    const asked = payloads.map(
      (payload) => `/checks?${new URLSearchParams({ q: payload, tag: payload, group: payload, state: payload, type: payload }).toString()}`,
    );
    const elsewhere = payloads.map((payload) => `/no/${encodeURIComponent(payload)}`).slice(0, 5);
    const starts = ["/checks", "/dashboards/hostile", "/dashboards/hostile?page=2", "/status/hostile", ...asked.slice(0, 8), ...elsewhere];
    const became: string[] = [];
    const look = async (page: Page, address: string): Promise<void> => {
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
      became.push(...(await page.evaluate<string[]>(becameMarkup)).map((one) => `${address}: ${one}`));
    };
    const seen = await tour(context, base, starts, look);
    const page = await context.newPage();
    // Each type of check shows something else of itself and of its runs.
    for (const check of world.checksOfEachType) {
      await page.goto(`${base}/checks/${check}`);
      await look(page, check);
      await page.locator("main a[href*='/results/']").first().click();
      await page.getByRole("heading", { name: "Run details" }).waitFor();
      await page.waitForLoadState();
      await look(page, page.url());
      await page.goto(`${base}/checks/${check}/edit`);
      await look(page, page.url());
    }
    for (const feed of ["/status/hostile/feed.rss", "/status/hostile/feed.json"]) {
      await page.goto(base + feed);
      await look(page, feed);
    }
    expect(became).toEqual([]);
    expect(browser.takeTroubles().filter((trouble) => !isExpected(trouble))).toEqual([]);
    expect(connectionsToEvil()).toEqual([]);
    expect(seen.length).toBeGreaterThan(35);
    await context.close();
  });

  it("are nothing but text where they come while a page is open", async () => {
    const context = await signedIn(browser, world.plane.base, world.owner);
    const [list, one] = [await context.newPage(), await context.newPage()];
    await list.goto(`${world.plane.base}/checks`);
    await one.goto(`${world.plane.base}/checks/${world.checksOfEachType[0]}`);
    const runs = one.locator("main tr a[href*='/results/']");
    const before = await runs.count();
    await world.runAll();
    await expect.poll(() => runs.count(), { timeout: 60_000 }).toBeGreaterThan(before);
    for (const page of [list, one]) expect(await page.evaluate<string[]>(becameMarkup)).toEqual([]);
    await context.close();
    expect(browser.takeTroubles()).toEqual([]);
    expect(connectionsToEvil()).toEqual([]);
  });

  it("in a style of a dashboard load nothing from elsewhere and run nothing", async () => {
    const context = await browser.reader({ baseURL: world.plane.base });
    const page = await context.newPage();
    await page.goto("/dashboards/styled", { waitUntil: "networkidle" });
    expect(await page.evaluate<string[]>(becameMarkup)).toEqual([]);
    const refused: string[] = [];
    const refusals = (): string => {
      refused.push(...browser.takeTroubles());
      return refused.join();
    };
    await expect.poll(refusals).toContain(evil);
    expect(refused.filter((trouble) => !isExpected(trouble))).toEqual([]);
    const sheet = await page.evaluate<string>("document.querySelector('link[rel=stylesheet]').href");
    await page.goto(sheet);
    expect(await page.evaluate<string[]>(becameMarkup)).toEqual([]);
    expect(connectionsToEvil()).toEqual([]);
    await context.close();
  });

  it("would be seen, if a page took them for markup", async () => {
    const context = await browser.reader();
    const page = await context.newPage();
    const staying = payloads.filter((payload) => !payload.includes("http-equiv=refresh"));
    await page.setContent(`<body>${staying.join("\n")}</body>`);
    const became = await page.evaluate<string[]>(becameMarkup);
    expect(became).toContain("a payload has run");
    expect(became.length).toBeGreaterThan(10);
    await expect.poll(connectionsToEvil).not.toEqual([]);
    await context.close();
    browser.takeTroubles();
  });
});
