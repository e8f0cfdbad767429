import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

describe.skipIf(noChromium !== null)("daily work on the list in a real browser", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    browser = await watchedBrowser();
    owner = await firstOwner(plane);
    await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: "Other" }) });
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  it("mutes the 20 checks of a tag for an hour, and takes it back", async () => {
    for (let n = 1; n <= 20; n += 1) await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: `Shop ${n}`, tags: ["shop"] }) });
    const page = await (await signedIn(browser, plane.base, owner, { baseURL: plane.base })).newPage();
    await page.goto("/checks");
    await page.getByRole("combobox", { name: "Tag" }).selectOption("shop");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByRole("combobox", { name: "Action" }).selectOption("Mute 1 h");
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Preview for all 20 matches" }).click();
    await page.getByText("20 checks will change.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Mute 1 h: 20 checks" }).click();
    await page.getByRole("status").filter({ hasText: "20 checks changed." }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "Back to the list" }).click();
    expect(new URL(page.url()).search).toBe("?tag=shop");
    await expect.poll(() => page.getByText("muted until").count()).toBe(20); // a click does not wait for the whole page
    // By the keyboard: the first row's box, then its menu.
    await page.getByRole("checkbox", { name: "Select Shop 1", exact: true }).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Unmute" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Action" }).selectOption("Unmute");
    await page.getByRole("button", { name: "Preview for selected" }).click();
    await page.getByRole("button", { name: "Unmute: 1 check", exact: true }).click();
    await page.getByRole("status").filter({ hasText: "1 check changed." }).waitFor();
    await page.goto("/checks");
    expect(await page.getByText("muted until").count()).toBe(19);
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("duplicates a check from its row, and edits the copy", async () => {
    const page = await (await signedIn(browser, plane.base, owner, { baseURL: plane.base })).newPage();
    await page.goto("/checks");
    await page.locator("li", { hasText: "Other" }).locator(".acts > summary").click();
    await page.getByRole("link", { name: "Duplicate" }).click();
    const name = page.getByRole("textbox", { name: "Name", exact: true }).first();
    expect(await name.inputValue()).toBe("Copy of Other");
    await name.fill("Other, too");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Other, too" }).waitFor();
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).first().fill("Another");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "Another" }).waitFor();
    expect(browser.takeTroubles()).toEqual([]);
  });
});
