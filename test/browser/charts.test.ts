import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, quietMoment } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

describe.skipIf(noChromium !== null)("charts in a real browser", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  let address: string;
  beforeAll(async () => {
    [plane, browser] = await Promise.all([controlPlaneUnderTest({}, quietMoment()), watchedBrowser()]);
    owner = await firstOwner(plane);
    const names = ["eu-west-1", "us-east-1"];
    const { body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: names }) });
    address = `/checks/${body.id}`;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: body.id } } });
    for (const [index, name] of names.entries()) {
      const agent = await FakeAgent.open(plane.base, await plane.locationKey(name));
      const [job] = await agent.lease(1, 5);
      await agent.report(reportOf(job!, { responseTimeMs: 100 * (index + 1) }));
    }
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  async function openPage(options: object = {}): Promise<Page> {
    const context = await signedIn(browser, plane.base, owner, { timezoneId: "Asia/Kolkata", ...options });
    const page = await context.newPage();
    await page.goto(`${address}?range=1h`);
    await page.locator("figure .uplot").first().waitFor();
    return page;
  }

  it("tell the values below the cursor with their units, and the time in the reader's zone", async () => {
    const page = await openPage();
    const figure = page.locator("figure.chart").first();
    await expect
      .poll(() => figure.locator(".moment").innerText())
      .toMatch(/^\d{1,2} \w{3,4} \d{4}, (\d{2}:\d{2})(?: – (?!\1)\d{2}:\d{2})? (?:IST|GMT\+5:30)$/);
    expect(await figure.locator(".value").allInnerTexts()).toEqual([
      "p50 100 ms · p95 100 ms · p99 100 ms",
      "p50 200 ms · p95 200 ms · p99 200 ms",
    ]);
    await figure.locator(".u-over").hover({ position: { x: 5, y: 20 } });
    expect(await figure.locator(".value").allInnerTexts()).toEqual(["–", "–"]);
    await figure.locator(".drawn").focus();
    await page.keyboard.press("End");
    expect(await figure.locator(".moment").innerText()).toMatch(/, (\d{2}:\d{2})(?: – (?!\1)\d{2}:\d{2})? /);
    expect(await page.locator("[aria-live=polite]").innerText()).toContain("eu-west-1");
    expect(browser.takeTroubles()).toEqual([]);
    await page.context().close();
  });

  it("keep the comparison with the week before, and its guides are drawn and told", async () => {
    const page = await openPage();
    await page.getByRole("link", { name: "Compare with the week before" }).click();
    await page.waitForURL(/[?&]compare=week/);
    await page.locator("figure .uplot").first().waitFor();
    expect(await page.locator("figure .guides").first().innerText()).toContain("p50 the week before");
    await page.getByText("Each location by itself").click();
    expect(await page.locator(".multiples svg").count()).toBe(2);
    expect(await axeProblems(page)).toEqual([]);
    expect(browser.takeTroubles()).toEqual([]);
    await page.context().close();
  });

  it("go to the range that is dragged, and back to the last day", async () => {
    const page = await openPage();
    const box = await page.locator("figure .u-over").first().boundingBox();
    const { x, y, width } = box!;
    const before = plane.context.nowMs();
    await page.mouse.move(x + width * 0.25, y + 30);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + 40, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/[?&]from=\d+&to=\d+/);
    const query = new URL(page.url()).searchParams;
    const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
    expect(query.has("range")).toBe(false);
    expect(Math.abs(to - from - 15 * 60_000)).toBeLessThan(60_000);
    expect(from).toBeLessThan(before - 30 * 60_000);
    await page.getByText("Back to the last 24 hours").click();
    await page.waitForURL(/[?&]range=24h/);
    expect(browser.takeTroubles()).toEqual([]);
    await page.context().close();
  });

  it("go to the range that is dragged over the pings of a heartbeat", async () => {
    const heartbeat = { period: 1, periodUnit: "hours", grace: 5, graceUnit: "minutes" };
    const made = await plane.call("POST", "/v1/checks/heartbeat", { body: { name: "Backup", heartbeat } });
    expect((await fetch(made.body.heartbeat.pingUrl)).status).toBe(200);
    const context = await signedIn(browser, plane.base, owner);
    const page = await context.newPage();
    const before = plane.context.nowMs();
    await page.goto(`/checks/${made.body.id}?range=1h`);
    const picture = page.locator(".pings svg[data-from]");
    await picture.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await picture.boundingBox())!;
    await page.mouse.move(x + width * 0.75, y + 30);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + 40, { steps: 4 });
    const marked = (await page.locator(".u-select").boundingBox())!;
    const misses = [marked.x - x - width / 2, marked.width - width / 4, marked.y - y, marked.height - height].map(Math.abs);
    expect(Math.max(...misses), "pixels beside what was dragged over").toBeLessThan(2);
    await page.mouse.up();
    await page.waitForURL(/[?&]from=\d+&to=\d+/);
    const query = new URL(page.url()).searchParams;
    const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
    expect(Math.abs(to - from - 15 * 60_000)).toBeLessThan(60_000);
    expect(from).toBeLessThan(before - 20 * 60_000);
    expect(browser.takeTroubles()).toEqual([]);
    await context.close();
  });

  it("take a range by keyboard in the reader's zone", async () => {
    const page = await openPage();
    await page.getByText("Custom range").click();
    await page.getByLabel(/^From \((?:IST|GMT\+5:30)\)$/).fill("2026-01-02T05:30");
    await page.getByLabel(/^To/).fill("2026-01-02T06:30");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/from=/);
    const query = new URL(page.url()).searchParams;
    expect([query.get("from"), query.get("to")].map(Number)).toEqual([Date.parse("2026-01-02T00:00Z"), Date.parse("2026-01-02T01:00Z")]);
    await page.context().close();
  });

  it("take lines out and put them back, and follow the reader from light to dark", async () => {
    const page = await openPage({ colorScheme: "light" });
    const toggle = page.getByRole("button", { name: "us-east-1", pressed: true }).first();
    await toggle.click();
    expect(await page.getByRole("button", { name: "us-east-1", pressed: false }).count()).toBe(2);
    const picture = (): Promise<string> => page.evaluate<string>("document.querySelector('figure canvas').toDataURL()");
    const light = await picture();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(picture).not.toBe(light);
    // Before the charts are drawn anew, too: they hear of their width after this.
    await page.evaluate(
      "void (window.atOnce = new Promise((take) => addEventListener('resize', () => take(document.documentElement.scrollWidth), { once: true })))",
    );
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate("window.atOnce")).toBe(360);
    const widest = "Math.max(...[...document.querySelectorAll('figure .u-wrap')].map(({ offsetWidth }) => offsetWidth))";
    await expect.poll(() => page.evaluate(widest)).toBeLessThan(360);
    expect(await axeProblems(page)).toEqual([]);
    expect(browser.takeTroubles()).toEqual([]);
    await page.context().close();
  });

  it("take in new results while they are looked at, and leave everything else as the reader has it", async () => {
    const page = await openPage();
    const figure = page.locator("figure.chart").first();
    await page.getByRole("button", { name: "us-east-1", pressed: true }).first().click();
    await page.getByText("Table over time").click();
    await figure.locator(".drawn").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.mouse.move(0, 0); // else what moves below it would move the cursor of a chart
    const moment = await figure.locator(".moment").innerText();
    await page.evaluate("window.kept = document.querySelector('figure canvas'); scrollTo(0, 200)");
    await page.locator('.mark[data-is="live"]').waitFor();
    const placeOfChart = async (): Promise<number> => (await figure.boundingBox())?.y ?? 0;
    const place = await placeOfChart();
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: [address.split("/")[2]] } } });
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("us-east-1"));
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, { hasFailures: true, errorMessage: "got 503", responseTimeMs: 2_000 }));
    plane.advance(11_000);
    await expect.poll(() => page.locator("dl.figures dd").allInnerTexts()).toContain("66.66 %");
    // The error comes in on top of the page, and what is looked at stays where it is.
    await page.locator("#cause", { hasText: "got 503" }).waitFor({ state: "attached" });
    expect(await page.evaluate("document.querySelector('figure canvas') === window.kept")).toBe(true);
    expect(Math.abs((await placeOfChart()) - place)).toBeLessThan(2); // parts of a pixel
    expect(await page.evaluate("document.activeElement.className")).toBe("drawn");
    expect(await figure.locator(".moment").innerText()).toBe(moment);
    expect(await page.getByRole("button", { name: "us-east-1", pressed: false }).count()).toBe(2);
    expect(await page.locator("table.over").isVisible()).toBe(true);
    expect(await page.locator("table.over").innerText()).not.toContain("UTC");
    expect(await page.locator("#told").innerText()).toContain("got 503");
    expect(await page.locator(".lanes").innerText()).toContain("Errors");
    expect(browser.takeTroubles()).toEqual([]);
    await page.context().close();
  });
});
