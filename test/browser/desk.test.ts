import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { axeProblems } from "../support/axe.ts";
import { checkDetails } from "../support/check-details.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { signedIn } from "./signed-in.ts";

describe.skipIf(noChromium !== null)("a desk for daily work in a real browser", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    browser = await watchedBrowser();
    owner = await firstOwner(plane);
    for (let n = 1; n <= 30; n += 1) await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: `Shop ${n}`, tags: ["shop"] }) });
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });
  const reader = (options = {}) => signedIn(browser, plane.base, owner, { baseURL: plane.base, ...options });

  it("finds a check from any page with Ctrl K, arrows and Enter", async () => {
    const page = await (await reader()).newPage();
    await page.goto("/locations");
    await page.keyboard.press("Control+k");
    const field = page.getByRole("searchbox", { name: /^Find a check/ });
    await field.waitFor();
    await page.keyboard.type("shop 2");
    await page.locator("#found").getByText("Shop 22").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const chosen = await page.locator("#found a:focus span").textContent();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: chosen ?? "", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.querySelector('#palette').open")).toBe(false);
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("goes to the search of the list with /, not to that of the dialog over all pages", async () => {
    const page = await (await reader()).newPage();
    await page.goto("/checks");
    await page.waitForFunction("document.querySelector('#show-keys')?.hidden === false");
    await page.keyboard.press("/");
    await page.keyboard.type("shop 7");
    expect(await page.evaluate("document.activeElement.value + document.activeElement.closest('main').id")).toBe("shop 7content");
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("shows twice as many rows in the compact view, and the theme that was chosen", async () => {
    const page = await (await reader({ viewport: { width: 1280, height: 800 } })).newPage();
    await page.goto("/checks");
    const rows = "[...document.querySelectorAll('.checks > li')]";
    const seen = () => page.evaluate<number>(`${rows}.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`);
    const before = await seen();
    const choose = async (name: string): Promise<void> => {
      await page.locator(".me > summary").click();
      await page.getByRole("button", { name, exact: true }).click();
      await page.waitForLoadState();
    };
    await choose("Compact");
    expect(await seen()).toBeGreaterThanOrEqual(2 * before);
    expect(await axeProblems(page)).toEqual([]);
    await choose("Dark");
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(15, 19, 24)");
    expect(await axeProblems(page)).toEqual([]);
    for (const width of [360, 2560]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("adds assertions by a click on what a trial saw, removes them, and asks before unsaved changes are lost", async () => {
    await using target = createServer((_request, response) => void response.end("{}")).listen(0, "127.0.0.1");
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), { checkTypes: ["API"] });
    const page = await (await reader()).newPage();
    await page.goto("/checks/new?type=API");
    await page.getByLabel("Name", { exact: true }).fill("By click");
    await page.getByLabel("URL", { exact: true }).fill(`http://127.0.0.1:${(target.address() as AddressInfo).port}/`);
    await page.getByText("Unsaved changes").waitFor();
    const box = page.locator("[name=locations]").first();
    if ((await box.count()) > 0) await box.check();
    await page.getByRole("button", { name: "Run without saving" }).click();
    const [job] = await agent.lease(1, 10);
    const { response, ...rest } = checkDetails.API;
    await agent.report(reportOf(job!, { detail: { ...rest, response: { ...response!, body: '{"items":[{"name":"Ada"}]}' } } }));
    await page.getByText("Add an assertion from this response").click();
    await page.getByRole("button", { name: /\$\.items\[0\]\.name/ }).click();
    expect(await page.getByLabel("Property of assertion 2").inputValue()).toBe("$.items[0].name");
    expect(await page.getByLabel("Target of assertion 2").inputValue()).toBe("Ada");
    await page.getByRole("button", { name: "Add assertion", exact: true }).click();
    await page.getByRole("button", { name: /^Status code/ }).click();
    await page.getByRole("button", { name: "Add assertion", exact: true }).click();
    expect(await page.getByLabel("Source of assertion 4").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Remove assertion 1" }).click();
    expect(await axeProblems(page)).toEqual([]);
    const isAsked =
      "(() => { const leaving = new Event('beforeunload', { cancelable: true }); dispatchEvent(leaving); return leaving.defaultPrevented; })()";
    expect(await page.evaluate(isAsked)).toBe(true);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "By click" }).waitFor();
    const { body } = await plane.call("GET", "/v1/checks?search=By+click");
    const [{ id }] = body;
    const stored = (await plane.call("GET", `/v1/checks/${id}`)).body.request.assertions;
    expect(stored).toMatchObject([
      { source: "JSON_BODY", property: "$.items[0].name", comparison: "EQUALS", target: "Ada" },
      { source: "STATUS_CODE", comparison: "EQUALS", target: String(response!.status) },
    ]);
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("edits headers row by row or as text, keeps what is locked, and offers comparisons that fit", async () => {
    const headers = [
      { key: "Accept", value: "application/json", locked: false },
      { key: "X-Token", value: "canary-2718", locked: true },
      { key: "X-Old", value: "1", locked: false },
    ];
    const request = { method: "GET", url: "http://127.0.0.1:9/", headers };
    const { body: made } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: "By rows", request }) });
    const page = await (await reader()).newPage();
    await page.goto(`/checks/${made.id}/edit`);
    const rows = page.getByRole("group", { name: "Headers" });
    expect(await rows.getByLabel(/: name \d$/).count()).toBe(3);
    const hint = page.getByText("One per line, as Accept: application/json");
    expect([await hint.isVisible(), await rows.locator(".columns").innerText()]).toEqual([false, "Name\nValue"]);
    expect(await rows.getByLabel("Headers: value 2").inputValue()).not.toContain("canary");
    await rows.getByLabel("Headers: value 1").fill("text/plain");
    await rows.getByRole("button", { name: "Headers: remove row 3" }).click();
    await page.getByText("Unsaved changes").waitFor();
    await page.getByRole("button", { name: "Add row" }).first().click();
    await page.keyboard.type("X-New");
    await page.keyboard.press("Tab");
    await page.keyboard.type("a: b");
    await page.getByRole("button", { name: "Edit as text" }).first().click();
    expect(await page.locator('[name="request.headers"]').inputValue()).toMatch(/^Accept: text\/plain\nX-Token: \*+\nX-New: a: b$/);
    expect(await hint.isVisible()).toBe(true);
    await page.getByRole("button", { name: "Edit as rows" }).click();
    expect(await rows.getByLabel(/: name \d$/).count()).toBe(3);
    expect(await axeProblems(page)).toEqual([]);
    const offered = (number: number) =>
      page.getByLabel(`Comparison of assertion ${number}`).locator("option:not([hidden])").allTextContents();
    await page.getByLabel("Source of assertion 2").selectOption("RESPONSE_TIME");
    expect(await offered(2)).toEqual(["Equals", "Not equals", "Greater than", "Less than"]);
    await page.getByLabel("Source of assertion 2").selectOption("JSON_BODY");
    expect(await offered(2)).toContain("Has key");
    await page.getByLabel("Source of assertion 2").selectOption("");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "By rows" }).waitFor();
    expect((await plane.call("GET", `/v1/checks/${made.id}`)).body.request.headers).toMatchObject([
      { key: "Accept", value: "text/plain", locked: false },
      { key: "X-Token", locked: true },
      { key: "X-New", value: "a: b", locked: false },
    ]);
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("fills a screen on the wall with 60 tiles, from 1280×800 to 4k, and turns its pages by itself", async () => {
    for (let n = 31; n <= 70; n += 1) await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: `Wall ${n}`, tags: ["shop"] }) });
    const { body } = await plane.call("POST", "/v1/dashboards", {
      body: { header: "Shop", customUrl: "wall", tags: ["shop"], checksPerPage: 10 },
    });
    expect(body.dashboardId).toBeDefined();
    const page = await (await browser.reader({ baseURL: plane.base })).newPage();
    for (const [width, height] of [
      [1280, 800],
      [1920, 1080],
      [3840, 2160],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto("/dashboards/wall");
      await page.getByRole("link", { name: "Wall view" }).click();
      await page.locator(".tile").nth(59).waitFor();
      const tiles = "[...document.querySelectorAll('.tile')]";
      expect(await page.evaluate(`${tiles}.length`)).toBe(60);
      expect(await page.evaluate(`Math.max(...${tiles}.map((tile) => tile.getBoundingClientRect().bottom))`)).toBeLessThanOrEqual(height);
      const letters = `Math.min(...${tiles}.map((tile) => Number.parseFloat(getComputedStyle(tile).fontSize)))`;
      expect(await page.evaluate(letters)).toBeGreaterThanOrEqual(width / 95);
      expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(height);
      expect(await axeProblems(page)).toEqual([]);
    }
    const { headers } = await plane.call("GET", "/dashboards/wall?view=wall&shown=3600", { key: undefined });
    expect(headers.get("refresh")).toMatch(/url=\/dashboards\/wall\?view=wall&page=2$/);
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("breaks names of 200 letters without a space, on wide and on narrow screens", async () => {
    const name = "NameWithoutAnySpace".repeat(11).slice(0, 200);
    const { body: group } = await plane.call("POST", "/v2/check-groups", { body: { name } });
    const { body: empty } = await plane.call("POST", "/v2/check-groups", { body: { name: `${name.slice(0, 190)}-empty` } });
    const { body: check } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name, groupId: group.id, tags: ["long"] }) });
    await plane.call("PUT", `/v1/checks/api/${check.id}`, { body: { tags: ["long", name] } });
    const bulk = `/checks/bulk?act=delete&scope=chosen&check=${check.id}`;
    const addresses = [
      "/checks?tag=long",
      `/checks/${check.id}`,
      `/checks/${check.id}/edit`,
      "/audit",
      bulk,
      "/groups",
      `/groups/${empty.id}`,
    ];
    const page = await (await reader()).newPage();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const address of addresses) {
        await page.goto(address);
        await page.evaluate("for (const one of document.querySelectorAll('.asks')) one.open = true");
        expect({ address, width: await page.evaluate("document.documentElement.scrollWidth") }).toEqual({ address, width });
        const spilt = `[...document.querySelectorAll(".asks p, .which p")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)`;
        expect(await page.evaluate(spilt)).toEqual([]);
      }
    }
  });

  it("has no field for a body where none is sent", async () => {
    const page = await (await reader()).newPage();
    await page.goto("/checks/new?type=API");
    const body = page.getByLabel("Body content");
    const kind = page.locator('[name="request.bodyType"]');
    expect(await body.isVisible()).toBe(false);
    await kind.selectOption("JSON");
    expect(await body.isVisible()).toBe(true);
  });
});
