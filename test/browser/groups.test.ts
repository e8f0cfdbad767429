import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

describe.skipIf(noChromium !== null)("groups of checks in a real browser", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  const ids = new Map<string, string>();
  const groups = new Map<string, number>();
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    browser = await watchedBrowser();
    owner = await firstOwner(plane);
    for (const name of ["Dragged", "Typed", "Plain"])
      ids.set(name, (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name }) })).body.id);
    for (const name of ["Shop", "Bank"]) groups.set(name, (await plane.call("POST", "/v2/check-groups", { body: { name } })).body.id);
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  const groupOf = async (name: string) => (await plane.call("GET", `/v1/checks/${ids.get(name)}`)).body.groupId;
  const looked = async (page: Page): Promise<void> => {
    expect(await axeProblems(page)).toEqual([]);
  };

  it("takes a check by drag and drop, and by keys alone, and gives it away again", async () => {
    const options = { baseURL: plane.base, viewport: { width: 1280, height: 1600 } }; // the whole page, so that nothing scrolls while it is dragged
    const page = await (await signedIn(browser, plane.base, owner, options)).newPage();
    await page.goto("/groups");
    await looked(page);
    const shop = page.locator(`li[data-group="${groups.get("Shop")}"]`);
    await page.locator("li[data-id]", { hasText: "Dragged" }).dragTo(shop);
    await page.getByRole("status").filter({ hasText: "Checks moved." }).waitFor();
    expect(await groupOf("Dragged")).toBe(groups.get("Shop"));

    // By the keyboard: picked up, put back, picked up again, and put down.
    const handle = page.getByRole("button", { name: "Move Typed", exact: true });
    await handle.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "Press Escape to cancel." }).waitFor();
    expect(await handle.getAttribute("aria-pressed")).toBe("true");
    await looked(page);
    expect(await page.getByRole("button", { name: "Move here to Shop" }).count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("button", { name: "Move here to Shop" }).count()).toBe(0);
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Move Typed");
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Move here to Shop" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "Checks moved." }).waitFor();
    expect(await groupOf("Typed")).toBe(groups.get("Shop"));

    await page.getByRole("link", { name: "Shop", exact: true }).click();
    await page.getByRole("heading", { name: "Shop" }).waitFor();
    await looked(page);
    await page.locator("li[data-id]", { hasText: "Dragged" }).dragTo(page.locator('li[data-group="none"]'));
    await page.getByRole("status").filter({ hasText: "Checks moved." }).waitFor();
    expect(await groupOf("Dragged")).toBeNull();
    await page.getByRole("button", { name: "Move Typed", exact: true }).press("Enter");
    await page.getByRole("button", { name: "Move here to Bank" }).press("Enter");
    await page.getByRole("status").filter({ hasText: "Checks moved." }).waitFor();
    expect(await groupOf("Typed")).toBe(groups.get("Bank"));
    expect(await page.getByText("No checks in this group yet.").count()).toBe(1);
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("is made, filled, edited, emptied and deleted without JavaScript", async () => {
    const context = await signedIn(browser, plane.base, owner, { baseURL: plane.base, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto("/groups");
    expect(await page.getByRole("button", { name: /^Move (?:here|Plain)/ }).count()).toBe(0);
    await page.getByRole("link", { name: "New group" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("New one");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.getByText("Group created.").waitFor();
    await page.getByRole("textbox", { name: "Name contains" }).fill("plain");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("checkbox", { name: "Select Plain" }).check();
    await page.getByRole("button", { name: "Add selected" }).click();
    await page.getByText("Checks moved.").waitFor();
    const id = Number(/\d+$/.exec(new URL(page.url()).pathname)?.[0]);
    expect(await groupOf("Plain")).toBe(id);
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await page.getByRole("checkbox", { name: "Muted" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Group saved.").waitFor();
    expect((await plane.call("GET", `/v1/check-groups/${id}`)).body).toMatchObject({ name: "New one", muted: true });
    await page.getByRole("checkbox", { name: "Select Plain" }).check();
    await page.getByRole("combobox", { name: "Move to" }).selectOption("No group");
    await page.getByRole("button", { name: "Move selected" }).click();
    await page.getByText("No checks in this group yet.").waitFor();
    expect(await groupOf("Plain")).toBeNull();
    await page.locator("summary", { hasText: "Delete" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Group deleted.").waitFor();
    expect(browser.takeTroubles()).toEqual([]);
  });
});
