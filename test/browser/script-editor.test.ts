import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { axeProblems } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

const script = `const { expect, test } = require("@playwright/test");\n${"// a line\n".repeat(60)}test("shop", async () => {});`;

describe.skipIf(noChromium !== null)("the editor of a script in a real browser", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  beforeAll(async () => {
    [plane, browser] = await Promise.all([controlPlaneUnderTest(), watchedBrowser()]);
    owner = await firstOwner(plane);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  it("numbers lines, colours what is typed, follows its area, and sends what stands in it", async () => {
    const context = await signedIn(browser, plane.base, owner, {});
    const page = await context.newPage();
    await page.goto("/checks/new?type=BROWSER");
    const area = page.getByLabel("Script", { exact: true });
    await area.fill(script);
    expect(await page.locator(".editor .shade").textContent()).toBe(`${script}\n`);
    expect(await page.locator(".editor .keyword").allTextContents()).toEqual(["const", "async"]);
    expect((await page.locator(".editor .lines").textContent())?.trim().split("\n")).toHaveLength(62);
    await page.locator(".editor textarea").evaluate("(area) => { area.scrollTop = area.scrollHeight; }");
    const scrolled = (): Promise<number[]> =>
      page.evaluate("['textarea', '.shade', '.lines'].map((name) => document.querySelector(`.editor ${name}`).scrollTop)");
    await expect.poll(async () => new Set(await scrolled()).size).toBe(1);
    const [top] = await scrolled();
    expect(top).toBeGreaterThan(100);
    expect(await axeProblems(page)).toEqual([]);
    await area.fill(`${script}${"x".repeat(300_000)}`);
    const problem = page.locator(".field:has(.editor) .problem");
    await problem.waitFor();
    expect(await problem.evaluate((one) => one.nextElementSibling?.className)).toBe("editor colourless");
    await area.fill(script);
    await problem.waitFor({ state: "detached" });
    const sent = await page.evaluate("new FormData(document.querySelector('form.edit')).get('script')");
    expect(sent).toBe(script);
    expect(browser.takeTroubles()).toEqual([]);
    await context.close();
  });

  it("marks the line where a script does not read, and where a trial of it failed", async () => {
    const able = { checkTypes: ["BROWSER"], runtimes: ["2026.04"], sandboxLevel: 2 };
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), able);
    const context = await signedIn(browser, plane.base, owner, {});
    const page = await context.newPage();
    await page.goto("/checks/new?type=BROWSER");
    const [area, wrong] = [page.getByLabel("Script", { exact: true }), page.locator(".editor .lines .wrong")];
    await area.fill('const { test } = require("@playwright/test");\nconst a = ;\ntest("shop", async () => {});\n\n');
    await page.getByText("Line 2, column 11: expression expected.").waitFor();
    expect((await wrong.allTextContents()).map(Number)).toEqual([2]);
    await area.fill(`const { test } = require("@playwright/test");\nenum Typed { A }\ntest("shop", async () => {});\n\n`);
    await wrong.waitFor({ state: "detached" });
    await page.getByLabel("Name", { exact: true }).fill("shop");
    await page.getByRole("checkbox", { name: "eu-west-1" }).last().check();
    await page.getByRole("button", { name: "Run without saving" }).click();
    const [job] = await agent.lease(1, 20);
    await agent.report(reportOf(job!, { hasFailures: true, errorMessage: "it broke" }));
    await page.getByText("it broke").waitFor();
    await expect.poll(async () => (await wrong.allTextContents()).map(Number)).toEqual([4]);
    browser.takeTroubles();
    await context.close();
  });

  it("offers Playwright's words and the check's variables behind a dot, by keys, by mouse, and to who listens", async () => {
    const context = await signedIn(browser, plane.base, owner, {});
    const page = await context.newPage();
    await page.goto("/checks/new?type=BROWSER");
    await page.getByLabel("Name of variable 1").fill("SHOP_USER");
    const [area, list] = [page.getByLabel("Script", { exact: true }), page.getByRole("listbox", { name: "Suggestions" })];
    await area.fill("");
    await area.pressSequentially("await page.");
    await list.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await area.pressSequentially("getBy");
    expect(await list.getByRole("option").first().textContent()).toBe("getByRole");
    await page.keyboard.press("ArrowDown");
    expect(await area.getAttribute("aria-activedescendant")).toBe(await list.getByRole("option", { selected: true }).getAttribute("id"));
    await page.keyboard.press("Enter");
    expect(await area.inputValue()).toBe("await page.getByLabel");
    await area.pressSequentially("(process.env.");
    await list.getByRole("option", { name: "SHOP_USER" }).click();
    expect(await area.inputValue()).toBe("await page.getByLabel(process.env.SHOP_USER");
    await area.pressSequentially(").");
    await page.keyboard.press("Escape");
    expect(await list.count()).toBe(0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await area.inputValue()).toBe("await page.getByLabel(process.env.SHOP_USER).\n");
    expect(await page.locator(".editor .shade").textContent()).toBe("await page.getByLabel(process.env.SHOP_USER).\n\n");
    expect(browser.takeTroubles()).toEqual([]);
    await context.close();
  });

  it("is the area alone without JavaScript", async () => {
    const context = await signedIn(browser, plane.base, owner, { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto("/checks/new?type=MULTI_STEP");
    expect(await page.locator("textarea.code").count()).toBe(1);
    expect(await page.locator(".editor").count()).toBe(0);
    await context.close();
  });
});
