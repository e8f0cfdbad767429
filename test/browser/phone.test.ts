import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { type Demo, startDemo } from "../support/demo/demo.ts";
import { demoNowMs } from "../support/demo/demo-post.ts";
import { signedIn } from "./signed-in.ts";

/** Links, buttons and ticks of the page's content that a thumb would miss: less than 24 pixels high. */
const small = `[...document.querySelectorAll("main :is(a, button, summary, input, select)")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1 && one.getBoundingClientRect().height < 24)
  .map((one) => one.textContent.trim() || one.name)`;

describe.skipIf(noChromium !== null)("a phone", { timeout: 120_000 }, () => {
  let demo: Demo;
  let browser: WatchedBrowser;
  let owner: Browser;
  beforeAll(async () => {
    demo = await startDemo(10);
    browser = await watchedBrowser();
    owner = await firstOwner(demo.plane);
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await demo[Symbol.asyncDispose]();
  });
  const open = async (address: string, width = 390): Promise<Page> => {
    const options = { viewport: { width, height: 844 }, hasTouch: true, isMobile: true };
    const page = await (await signedIn(browser, demo.plane.base, owner, options)).newPage();
    await page.clock.setFixedTime(demoNowMs + 20_000);
    await page.goto(address);
    return page;
  };

  it.each([360, 390])("shows the list of checks whole at %d pixels", async (width) => {
    const page = await open("/checks", width);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(await page.locator(".counters a").allInnerTexts()).toHaveLength(5);
    const cut = `[...document.querySelectorAll(".counters a")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)`;
    expect(await page.evaluate(cut)).toEqual([]);
    expect(await page.evaluate(small)).toEqual([]);
    const outside = `[...document.querySelectorAll(":is(.filter, .views) :is(a, button, select)")]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > Math.min(innerWidth, one.closest("ul, div, form").getBoundingClientRect().right) + 1)
      .map((one) => one.name || one.innerText)`;
    expect(await page.evaluate(outside)).toEqual([]);
  });

  it("shows the first check in the middle of the screen, and what was chosen beside the button that shows it", async () => {
    const top = await (await open("/checks")).locator(".checks > li").first().boundingBox();
    expect(top?.y).toBeLessThan(450);
    const page = await open("/checks?tag=critical");
    const within = async (element: string): Promise<void> => {
      const { x = -1, width = 0 } = (await page.locator(element).boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(390);
    };
    await within(".filter [name=tag]");
    await within(".filter button");
  });

  it.each(["/alerts", "/alerts?state=closed", "/dashboards/shop", "/status/shop"])(
    "has nothing too small to touch on %s",
    async (address) => {
      expect(await (await open(address)).evaluate(small)).toEqual([]);
    },
  );

  it("keeps the kind of alerts that was chosen in sight, and the name of a check on a dashboard in whole words", async () => {
    const chosen = await (await open("/alerts?state=closed")).locator(".kinds [aria-current]").boundingBox();
    expect((chosen?.x ?? 0) + (chosen?.width ?? 999)).toBeLessThanOrEqual(390);
    const name = (await open("/dashboards/shop")).getByRole("heading", { name: "Product search" });
    expect((await name.boundingBox())?.width).toBeGreaterThan(100);
  });

  it("lets people acknowledge an alert, and says so, without scrolling", async () => {
    const page = await open("/alerts");
    await page.getByRole("link", { name: "View timeline Checkout API" }).first().click();
    const button = page.getByRole("button", { name: "Acknowledge", exact: true });
    const { y = 999, height = 0 } = (await button.boundingBox()) ?? {};
    expect(y + height).toBeLessThan(844);
    await button.click();
    expect((await page.getByText("Acknowledged. Reminders are paused.").boundingBox())?.y).toBeLessThan(600);
  });

  it("tells degraded bars, locations and recoveries without their colours", async () => {
    const ink = (page: Page, mark: string, property: string): Promise<readonly string[]> =>
      page.evaluate(`[...document.querySelectorAll("${mark}")].map((one) => getComputedStyle(one).getPropertyValue("${property}"))`);
    for (const [address, bars] of Object.entries({ "/checks": ".strip", "/dashboards/shop": ".strip", "/status/shop": ".days" })) {
      const page = await open(address);
      const dashes = new Set(await ink(page, `${bars} rect.warn`, "stroke-dasharray"));
      expect([...dashes]).toEqual(["2px, 3px"]);
      expect(new Set(await ink(page, `${bars} rect.ok`, "stroke"))).toEqual(new Set(["none"]));
    }
    const page = await open(`/checks/${demo.checks.get("Checkout API")}?range=24h`);
    const dashes = await ink(page, ".chart[data-kind=lines] .legend path", "stroke-dasharray");
    expect(dashes.slice(0, 2)).toEqual(["none", "9px, 4px"]);
    const fills = await ink(page, ".lanes circle:is(.ok, .warn, .bad)", "fill");
    expect(new Set(fills)).toContain(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
  });
});
