import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { type HostileWorld, hostileWorld } from "./hostile-world.ts";
import { tour } from "./page-tour.ts";
import { becameMarkup, evil, payloads } from "./payloads.ts";
import { signedIn } from "./signed-in.ts";

/** What a page asks for that it may: a picture over https, from where its owner said. */
const isAllowedPicture = (trouble: string): boolean => trouble.includes("GET https://logo.example/");

describe.skipIf(noChromium !== null)("hostile texts in a real browser", { timeout: 180_000 }, () => {
  let world: HostileWorld;
  let browser: WatchedBrowser;
  beforeAll(async () => {
    [world, browser] = await Promise.all([hostileWorld(), watchedBrowser()]);
  });
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
      await page.getByRole("heading", { name: "The run" }).waitFor();
      await look(page, page.url());
      await page.goto(`${base}/checks/${check}/edit`);
      await look(page, page.url());
    }
    for (const feed of ["/status/hostile/feed.rss", "/status/hostile/feed.json"]) {
      await page.goto(base + feed);
      await look(page, feed);
    }
    expect(became).toEqual([]);
    expect(browser.takeTroubles().filter((trouble) => !isAllowedPicture(trouble))).toEqual([]);
    expect(connectionsToEvil()).toEqual([]);
    expect(seen.length).toBeGreaterThan(35);
    await context.close();
  });

  it("in a style of a dashboard load nothing from elsewhere and run nothing", async () => {
    const context = await browser.reader({ baseURL: world.plane.base });
    const page = await context.newPage();
    await page.goto("/dashboards/styled", { waitUntil: "networkidle" });
    expect(await page.evaluate<string[]>(becameMarkup)).toEqual([]);
    const refused = browser.takeTroubles();
    expect(refused.filter((trouble) => !/Content Security Policy|: csp$/.test(trouble))).toEqual([]);
    expect(refused.join()).toContain(evil);
    const sheet = await page.evaluate<string>("document.querySelector('link[rel=stylesheet]').href");
    await page.goto(sheet);
    expect(await page.evaluate<string[]>(becameMarkup)).toEqual([]);
    expect(connectionsToEvil()).toEqual([]);
    await context.close();
  });
});
