import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

/** Its steps: "sign in" from 10 ms on for 400 ms, and "order a book" from 420 ms on for 500 ms, of a second. */
describe.skipIf(noChromium !== null)("the waterfall of a run in a real browser", { timeout: 120_000 }, () => {
  const made = new AsyncDisposableStack();
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  let address: string;
  beforeAll(async () => {
    [plane, browser] = await Promise.all([controlPlaneUnderTest(), watchedBrowser()]);
    made.use(plane);
    made.use(browser);
    owner = await firstOwner(plane);
    const able = { checkTypes: ["MULTI_STEP"], runtimes: ["2026.04"], sandboxLevel: 2 };
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), able);
    const body = { name: "shop", script: "1", locations: ["eu-west-1"], frequency: 1440 };
    const { id } = (await plane.call("POST", "/v1/checks/multistep", { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!));
    address = `/checks/${id}/results/${(await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0].id}`;
  });
  afterAll(() => made.disposeAsync());

  const barsOf = (page: Page): Promise<number[][]> =>
    page.evaluate(
      `[...document.querySelectorAll(".steps th ~ .bar rect")].map((bar) => ["x", "width"].map((name) => Math.round(parseFloat(bar.getAttribute(name)))))`,
    );

  it("is dragged to a part of its time, moved and left by keys, and filtered by words", async () => {
    const context = await signedIn(browser, plane.base, owner, { viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(address);
    const range = page.locator(".timeline output");
    await range.filter({ hasText: "0.00 s – 1.00 s" }).waitFor();
    expect(await barsOf(page)).toEqual([
      [1, 40],
      [42, 50],
    ]);
    const cell = await page.locator(".steps .bar svg").first().boundingBox();
    const at = (share: number): [number, number] => [cell!.x + cell!.width * share, cell!.y + 5];
    await page.mouse.move(...at(0.5));
    await page.mouse.down();
    await page.mouse.move(...at(0.25));
    await page.mouse.move(...at(0.001));
    await page.mouse.up();
    await range.filter({ hasText: "0.00 s – 0.50 s" }).waitFor();
    expect(await barsOf(page)).toEqual([
      [2, 80],
      [84, 100],
    ]);
    const region = page.getByRole("region", { name: /^Steps in order of time/ });
    await region.press("ArrowRight");
    await range.filter({ hasText: /^0.1[23] s – 0.6[23] s$/ }).waitFor();
    await region.press("+");
    await range.filter({ hasText: /^0.25 s – 0.50 s$/ }).waitFor();
    await region.press("-");
    await region.press("-");
    await range.filter({ hasText: "0.00 s – 1.00 s" }).waitFor();
    await region.press("+");
    await page.getByRole("button", { name: "Show all" }).click();
    await range.filter({ hasText: "0.00 s – 1.00 s" }).waitFor();

    const rows = page.locator(".steps tbody tr:visible");
    expect(await rows.count()).toBe(4);
    await page.getByRole("searchbox", { name: "Filter steps and requests" }).fill("orders 503");
    expect(await rows.allTextContents()).toEqual([expect.stringContaining("order a book"), expect.stringContaining("/api/orders")]);
    await page.getByRole("searchbox").fill("");
    expect(await rows.count()).toBe(4);
    expect(await axeProblems(page)).toEqual([]);
    expect(browser.takeTroubles()).toEqual([]);
    await context.close();
  });

  it("is whole without JavaScript, with the sizes of what was sent", async () => {
    const context = await signedIn(browser, plane.base, owner, { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(address);
    expect(await page.locator(".timeline .tools").isVisible()).toBe(false);
    expect(await page.locator(".steps tbody tr:visible").count()).toBe(4);
    expect(await page.locator(".steps .request").first().textContent()).toContain("64 bytes");
    await context.close();
  });
});
