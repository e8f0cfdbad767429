import { describe, expect, it } from "vitest";
import { firstOwner } from "../control-plane/console/people.ts";
import { controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { checkDetails } from "../support/check-details.ts";
import { noChromium, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

describe.skipIf(noChromium !== null)("requests of a run in a real browser", { timeout: 120_000 }, () => {
  it("are chosen by type and by failure without JavaScript", async () => {
    await using made = new AsyncDisposableStack();
    const [plane, browser] = await Promise.all([controlPlaneUnderTest(), watchedBrowser()]);
    made.use(plane);
    made.use(browser);
    const owner = await firstOwner(plane);
    const able = { checkTypes: ["BROWSER"], runtimes: ["2026.04"], sandboxLevel: 2 };
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), able);
    const body = { name: "shop", script: "1", locations: ["eu-west-1"], frequency: 1440 };
    const { id } = (await plane.call("POST", "/v1/checks/browser", { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    const [request] = checkDetails.BROWSER.requests;
    const asked = (type: string, status: number) => ({ ...request!, type, status, error: null });
    const requests = [asked("document", 200), asked("script", 200), asked("script", 404), asked("beacon", 500)];
    await agent.report(reportOf(job!, { detail: { ...checkDetails.BROWSER, requests } }));
    const result = (await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0].id;

    const context = await signedIn(browser, plane.base, owner, { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`/checks/${id}/results/${result}`);
    const shown = page.locator(".network tbody tr:visible");
    expect(await shown.count()).toBe(4);
    await page.getByRole("radio", { name: /^script/ }).check();
    expect(await shown.count()).toBe(2);
    await page.getByRole("checkbox", { name: "failed only (2)" }).check();
    expect(await shown.count()).toBe(1);
    await page.getByRole("radio", { name: /^all/ }).check();
    expect(await shown.count()).toBe(2);
    await page.getByRole("radio", { name: /^other/ }).check();
    expect(await shown.count()).toBe(1);
    await context.close();
  });
});
