import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

describe.skipIf(noChromium !== null)("the first steps of an account in a real browser", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  beforeAll(async () => {
    [plane, browser] = await Promise.all([controlPlaneUnderTest(), watchedBrowser()]);
    owner = await firstOwner(plane);
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  it.each([true, false])("lead to where each is taken, tick, and are dismissed (JavaScript: %s)", async (javaScriptEnabled) => {
    if (!javaScriptEnabled) await plane.context.storage.accounts.update(plane.account.id, () => ({ settings: {} }));
    const context = await signedIn(browser, plane.base, owner, { baseURL: plane.base, javaScriptEnabled });
    const page = await context.newPage();
    await page.goto("/checks");
    const steps = page.getByRole("region", { name: "First steps" });
    expect(javaScriptEnabled ? await axeProblems(page) : []).toEqual([]);
    const open = await steps.getByText("To do").count();
    for (const [name, path] of [
      ["Connect an agent", "/locations"],
      ["Create a check", "/checks/new"],
      ["Test an alert channel", "/channels"],
      ["Create a status page or a dashboard", "/pages"],
    ] as const) {
      await steps.getByRole("link", { name }).click();
      expect(new URL(page.url()).pathname).toBe(path);
      await page.goto("/checks");
    }
    await plane.call("POST", "/v1/checks/api", { body: apiCheck() });
    await page.reload();
    expect(await steps.getByText("Done").count()).toBe(1);
    expect(open).toBe(javaScriptEnabled ? 4 : 3);
    await steps.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("link", { name: "Front page" }).first().waitFor();
    expect(await steps.count()).toBe(0);
    expect(browser.takeTroubles()).toEqual([]);
    await context.close();
  });
});
