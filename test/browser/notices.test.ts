import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, quietMoment } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

const minuteMs = 60_000;

describe.skipIf(noChromium !== null)("maintenance on the page of a check in a real browser", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  let address: string;
  beforeAll(async () => {
    const beganMs = quietMoment();
    [plane, browser] = await Promise.all([controlPlaneUnderTest({}, beganMs), watchedBrowser()]);
    owner = await firstOwner(plane);
    const { body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck() });
    address = `/checks/${body.id}`;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: body.id } } });
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, { responseTimeMs: 100 }));
    // The later half of the hour that the page shows.
    const [startsAt, endsAt] = [-30, 30].map((minutes) => new Date(beganMs + minutes * minuteMs).toISOString());
    const window = { name: "Patching", startsAt, endsAt, repeatUnit: "", silenceAllAlerts: true };
    await plane.call("POST", "/v1/maintenance-windows", { body: window });
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  it("is told beside the state, shaded in charts, and named where one reads their values", async () => {
    const page = await (await signedIn(browser, plane.base, owner, { baseURL: plane.base })).newPage();
    await page.goto(`${address}?range=1h`);
    await page.getByText(/in maintenance until \d\d:\d\d .*\(Patching: no alerts\)/).waitFor();
    const figure = page.locator("figure.chart").first();
    await figure.locator(".uplot").waitFor();
    await figure.locator(".drawn").focus();
    await page.keyboard.press("End");
    expect(await figure.locator(".moment").innerText()).toContain("maintenance: Patching (no alerts)");
    await page.keyboard.press("Home");
    expect(await figure.locator(".moment").innerText()).not.toContain("Patching");
    // Between two lines of the grid, where nothing else is drawn: how much ink there is at a quarter and at three quarters of the width.
    const ink = await page.evaluate<number[]>(`(() => {
      const canvas = document.querySelector("figure.chart canvas");
      const over = canvas.parentElement.querySelector(".u-over");
      const scale = canvas.width / canvas.clientWidth;
      const y = (over.offsetTop + over.clientHeight * 0.36) * scale;
      return [0.25, 0.75].map((share) => canvas.getContext("2d").getImageData((over.offsetLeft + over.clientWidth * share) * scale, y, 1, 1).data[3]);
    })()`);
    expect(ink[0]).toBe(0);
    expect(ink[1]).toBeGreaterThan(20);
    expect(await page.locator(".lanes rect.held title").textContent()).toContain("maintenance: Patching (no alerts)");
    expect(await axeProblems(page)).toEqual([]);
    expect(browser.takeTroubles()).toEqual([]);
    await page.context().close();
  });

  it("is shaded without JavaScript, too, with the reason in the title", async () => {
    const context = await signedIn(browser, plane.base, owner, { baseURL: plane.base, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${address}?range=1h`);
    const shade = page.locator("figure.chart").first().locator("rect.held");
    expect(await shade.locator("title").textContent()).toContain("maintenance: Patching (no alerts)");
    const [plot, box] = [await page.locator("figure.chart svg[role=img]").first().boundingBox(), await shade.boundingBox()];
    expect((box?.width ?? 0) / (plot?.width ?? 1)).toBeCloseTo(0.5, 1);
    expect(browser.takeTroubles()).toEqual([]);
  });
});
