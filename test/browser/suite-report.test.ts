import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { checkDetails } from "../support/check-details.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { bundleOf } from "../support/code-bundle.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../support/playwright-runtime.ts";
import { zipFile } from "../support/zip-file.ts";
import { signedIn } from "./signed-in.ts";

const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

/** As the reporter of the runtime's Playwright writes it. */
function realPage(): string {
  const page = join(
    runtimesFolder,
    playwrightRuntime,
    "node_modules/playwright/node_modules/playwright-core/lib/vite/htmlReport/index.html",
  );
  const stats = { total: 1, expected: 0, unexpected: 1, flaky: 0, skipped: 0, ok: false };
  const summary = {
    testId: "t1",
    title: "pays by card",
    projectName: "desktop",
    location: { file: "shop.spec.ts", line: 3, column: 1 },
    duration: 1200,
    annotations: [],
    tags: [],
    outcome: "unexpected",
    path: [],
    ok: false,
  };
  const attachments = [{ name: "screenshot", contentType: "image/png", path: "data/a1.png" }];
  const result = {
    duration: 1200,
    startTime: "2026-11-20T12:00:00.000Z",
    retry: 0,
    steps: [],
    errors: [{ message: "Error: it broke" }],
    status: "failed",
    annotations: [],
    attachments,
  };
  const tests = [{ ...summary, results: [{ attachments }] }];
  const report = {
    metadata: {},
    startTime: 1,
    duration: 1200,
    files: [{ fileId: "f1", fileName: "shop.spec.ts", tests, stats }],
    projectNames: ["desktop"],
    stats,
    errors: [],
    options: {},
    machines: [],
  };
  const zip = zipFile([
    { name: "report.json", content: JSON.stringify(report) },
    { name: "f1.json", content: JSON.stringify({ fileId: "f1", fileName: "shop.spec.ts", tests: [{ ...summary, results: [result] }] }) },
  ]);
  return `${readFileSync(page, "utf8")}<script id="playwrightReportBase64" type="application/zip">data:application/zip;base64,${zip.toString("base64")}</script>`;
}

describe.skipIf(noChromium !== null || noPlaywright !== null)("a report of a suite in a real browser", { timeout: 180_000 }, () => {
  const made = new AsyncDisposableStack();
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  let agent: FakeAgent;
  beforeAll(async () => {
    [plane, browser] = await Promise.all([controlPlaneUnderTest(), watchedBrowser()]);
    made.use(plane);
    made.use(browser);
    owner = await firstOwner(plane);
    const able = { checkTypes: ["PLAYWRIGHT"], runtimes: ["2026.04"], sandboxLevel: 2 };
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), able);
  });
  afterAll(() => made.disposeAsync());

  async function open(context: BrowserContext, page: string): Promise<Page> {
    const body = { name: "shop", locations: ["eu-west-1"], frequency: 1440, codeBundlePath: `${"a".repeat(64)}.tar.gz` };
    const { id } = (await plane.call("POST", "/v1/checks/playwright", { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    const report = bundleOf([
      { path: "./index.html", body: page },
      { path: "./data/a1.png", body: picture },
    ]);
    const evidence = [
      { name: "html-report.tar.gz", type: "log" as const, contentType: "application/gzip", data: report.toString("base64") },
    ];
    await agent.report(reportOf(job!, { detail: checkDetails.PLAYWRIGHT, evidence }));
    const result = (await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0].id;
    const tab = await context.newPage();
    await tab.goto(`/checks/${id}/results/${result}`);
    const [shown] = await Promise.all([context.waitForEvent("page"), tab.getByRole("link", { name: "Open report" }).click()]);
    await shown.waitForLoadState();
    return shown;
  }

  it("shows its tests, their errors and pictures", async () => {
    const context = await signedIn(browser, plane.base, owner);
    const shown = await open(context, realPage());
    await shown.getByText("pays by card").first().click();
    await shown.getByText("it broke").first().waitFor();
    const image = shown.locator("img").first();
    await image.waitFor();
    await expect.poll(() => shown.evaluate("document.querySelector('img').naturalWidth"), { timeout: 10_000 }).toBe(1);
    expect(browser.takeTroubles()).toEqual([]);
    await context.close();
  });

  it("reaches neither the console, nor its cookies and storage, nor anybody else", async () => {
    const asked: string[] = [];
    await using attacker = await httpServer((request, response) => {
      asked.push(request.url ?? "");
      response.setHeader("access-control-allow-origin", "*").end("got it");
    });
    const context = await signedIn(browser, plane.base, owner);
    const shown = await open(context, "<!DOCTYPE html><h1>Harmless</h1>");
    const attempts = `(async () => {
      const outcome = (attempt) => Promise.resolve().then(attempt).then(String, () => "refused");
      const form = Object.assign(document.createElement("form"), { action: "${plane.base}/sign-out", method: "post", target: "_blank" });
      document.body.append(form);
      try { form.submit(); } catch {}
      return [
        origin,
        await outcome(() => document.cookie),
        await outcome(() => fetch("${plane.base}/v1/accounts/me", { credentials: "include" })),
        await outcome(() => fetch("${plane.base}/checks", { credentials: "include", mode: "no-cors" })),
        await outcome(() => fetch("${attacker.url}/fetched")),
        await outcome(() => new Promise((resolve, reject) => Object.assign(new Image(), { onload: resolve, onerror: reject, src: "${attacker.url}/picture" }))),
        await outcome(() => open("${attacker.url}/opened") === null ? Promise.reject() : "opened"),
        await outcome(() => indexedDB.open("x")),
        String(opener),
      ];
    })()`;
    expect(await shown.evaluate(attempts)).toEqual(["null", ...Array.from({ length: 7 }, () => "refused"), "null"]);
    expect(asked).toEqual([]);
    const still = await context.newPage();
    await still.goto("/checks");
    expect(new URL(still.url()).pathname).toBe("/checks");
    browser.takeTroubles();
    await context.close();
  });
});
