import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

/** What somebody on duty does on a working day, by clicks alone. */
describe.skipIf(noChromium !== null)("a working day in a real browser", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  let agent: FakeAgent;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    browser = await watchedBrowser();
    owner = await firstOwner(plane);
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), { checkTypes: ["API"] });
    for (let n = 1; n <= 60; n += 1) await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: `Quiet ${n}` }) });
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });
  const desk = async () => (await signedIn(browser, plane.base, owner, { baseURL: plane.base })).newPage();

  it("finds the cause of a failure among 61 checks by one click, in under ten seconds", async () => {
    const { body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: "Zebra payments" }) });
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: body.id } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, { hasFailures: true, errorMessage: "connect ECONNREFUSED 10.0.0.7:443" }));
    const page = await desk();
    const begun = performance.now();
    await page.goto("/checks");
    const row = page.locator(".checks > li").first();
    expect(await row.innerText()).toContain("Zebra payments");
    expect(await row.innerText()).toContain("connect ECONNREFUSED 10.0.0.7:443");
    await row.getByRole("link", { name: "View run" }).click();
    await page.getByText("connect ECONNREFUSED 10.0.0.7:443").first().waitFor();
    expect(page.url()).toMatch(/\/results\/[0-9a-f-]{36}$/);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("opens a failed run from its mark on the check's charts", async () => {
    const page = await desk();
    await page.goto("/checks?q=zebra");
    await page.getByRole("link", { name: "Zebra payments" }).click();
    await page.getByRole("link", { name: /failed run at eu-west-1, open it$/ }).click();
    await page.waitForURL(/\/results\/[0-9a-f-]{36}$/);
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("duplicates a check, changes the copy and saves it; both are there", async () => {
    const page = await desk();
    await page.goto("/checks?q=Quiet+7");
    const row = page.locator(".checks > li").filter({ has: page.getByRole("link", { name: "Quiet 7", exact: true }) });
    await row.locator("summary").click();
    await row.getByRole("link", { name: "Duplicate" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Louder 7");
    await page.getByLabel("URL", { exact: true }).fill("http://127.0.0.1:9/copy");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Louder 7" }).waitFor();
    const named = (await plane.call("GET", "/v1/checks?limit=100")).body.map(({ name }: { name: string }) => name);
    expect(named).toEqual(expect.arrayContaining(["Louder 7", "Quiet 7"]));
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("plans maintenance, and sees it in the list, on the check and on its status page", async () => {
    await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: "Shop door", tags: ["door"] }) });
    const service = (await plane.call("POST", "/v1/status-pages/services", { body: { name: "Doors" } })).body;
    await plane.call("POST", "/v1/status-pages", {
      body: { name: "Shop", url: "shop", cards: [{ name: "All", services: [{ id: service.id }] }] },
    });
    const page = await desk();
    await page.goto("/maintenance");
    await page.getByRole("link", { name: /^New/ }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("New hinges");
    const local = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
    const now = plane.context.nowMs();
    await page.locator("[name=startsAt]").fill(local(now - 60_000));
    await page.locator("[name=endsAt]").fill(local(now + 3_600_000));
    await page.locator("[name=silenceAlertsTags]").fill("door");
    for (const part of ["enabled", "serviceIds"]) {
      const box = page.locator(`[name$="${part}"]`).first();
      if (!(await box.isVisible())) await page.locator("details", { has: box }).locator("summary").first().click();
      await box.check();
    }
    await page.getByRole("button", { name: /^Create/ }).click();
    await page.waitForURL(/\/maintenance\?done=created/);
    expect(await page.locator("main").innerText()).toContain("New hinges");
    await page.goto("/checks?q=door");
    await page
      .getByText(/in maintenance until/)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Shop door" }).click();
    await page
      .getByText(/in maintenance until/)
      .first()
      .waitFor();
    const statusPage = async (): Promise<string> => {
      await page.goto("/status/shop");
      return page.locator("body").innerText();
    };
    await expect.poll(statusPage).toContain("New hinges");
    expect(browser.takeTroubles()).toEqual([]);
  });
});
