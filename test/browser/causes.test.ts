import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertingSite, alertingSite, down } from "../control-plane/alerting-site.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

describe.skipIf(noChromium !== null)("likely causes in a real browser", { timeout: 120_000 }, () => {
  let plane: AlertingSite;
  let browser: WatchedBrowser;
  beforeAll(async () => {
    [plane, browser] = await Promise.all([alertingSite(), watchedBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  it("lead from an alert to the run that shows the cause, on a phone, too, and the settings say when they are looked for", async () => {
    const owner = await firstOwner(plane);
    const checks: string[] = [];
    for (const path of ["", "cart", "search"])
      checks.push(await plane.make({ name: `Shop ${path}`, request: { method: "GET", url: `https://shop.example/${path}` } }));
    for (const check of checks) await plane.run(check);
    for (const check of checks)
      await plane.run(check, { ...down, hasErrors: true, statusCode: null, errorMessage: "ECONNREFUSED: connect to 192.0.2.1:443" });
    const phone = await signedIn(browser, plane.base, owner, { baseURL: plane.base, viewport: { width: 390, height: 800 } });
    const page = await phone.newPage();
    await page.goto(`/checks/${checks[2]}`);
    const part = page.locator("#likely-cause");
    await page.getByRole("heading", { name: "Likely cause" }).waitFor();
    await expect
      .poll(async () => {
        await page.reload();
        return part.innerText();
      })
      .toMatch(/Nothing listens at/);
    await page.getByRole("button", { name: /Find the cause|Analyze again/ }).click();
    await expect
      .poll(async () => {
        await page.goto(`/checks/${checks[2]}`);
        return part.innerText();
      })
      .toMatch(/Both other checks of shop\.example fail, too/);
    expect(await axeProblems(page)).toEqual([]);
    const widest = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(widest).toBeLessThanOrEqual(390);
    await part.getByRole("link", { name: "ECONNREFUSED: connect to 192.0.2.1:443" }).click();
    await page.waitForURL(/\/checks\/[^/]+\/results\//);
    await page.goto("/alerts/causes");
    await page.getByLabel("Analyze failures").selectOption({ label: "On request only" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").filter({ hasText: "Saved." }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(browser.takeTroubles()).toEqual([]);
  });
});
