import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { browserPath } from "../../support/playwright-runtime.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

const shop = `<title>Shop</title><h1>Shop</h1><a href="/cart">cart</a><img src="/missing.png">
  <script>console.error("bad news"); setTimeout(() => { throw new Error("boom"); }, 5);</script>`;
const tools = `<input type="file"><button onclick="document.title = confirm('sure?')">ask</button>
  <iframe srcdoc="<p>within</p>"></iframe><a download="x.txt" href="/file">download</a><a target="_blank" href="/cart">open</a>`;

describe.skipIf(missing !== null)("a browser check", () => {
  let tested: EngineUnderTest;
  let server: HttpServer;
  beforeAll(async () => {
    server = await httpServer((request, response) => {
      if (request.url === "/file") return void response.setHeader("content-disposition", "attachment").end("paid");
      response.statusCode = request.url === "/missing.png" ? 404 : 200;
      response.setHeader("content-type", "text/html").end(request.url === "/tools" ? tools : shop);
    });
    tested = await EngineUnderTest.start();
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const environment = (): Record<string, string> => ({ URL: server.url });

  it("tells pages with vitals, console, requests and exceptions", async () => {
    const script = `import { expect, test } from "@playwright/test";
      test.use({ locale: "de-DE", viewport: { width: 800, height: 600 } });
      test("buys", async ({ page }) => {
        await page.goto(process.env.URL + "/");
        await page.getByRole("link").click();
        await expect(page).toHaveURL(/cart/);
        console.log(await page.evaluate(() => navigator.language + " " + innerWidth + " " + Intl.DateTimeFormat().resolvedOptions().timeZone));
        await page.waitForTimeout(300);
      });`;
    const { outcome, failure, result } = await tested.run("BROWSER", script, { environment: environment() });
    expect([outcome, failure, result.errors]).toEqual(["passed", null, []]);
    expect(result.type).toBe("PLAYWRIGHT_TEST");
    expect(result.browserVersion).toMatch(/^chromium\/\d+/);
    expect(result.jobLog[0]?.msg).toBe("de-DE 800 UTC");
    expect(result.pages.map(({ url, index }) => [url, index])).toEqual([
      [`${server.url}/`, 0],
      [`${server.url}/cart`, 1],
    ]);
    expect(result.pages[0]?.webVitals).toMatchObject({ CLS: { score: "GOOD" }, TTFB: { value: expect.any(Number) as number } });
    expect(result.console).toEqual(expect.arrayContaining([expect.objectContaining({ level: "error", text: "bad news", page: 0 })]));
    expect(result.traceSummary).toMatchObject({ documentErrors: 0 });
    expect(result.traceSummary.userScriptErrors).toBeGreaterThan(0);
    expect(result.traceSummary.networkErrors).toBeGreaterThan(0);
    const [document] = result.requests;
    expect(document).toMatchObject({ url: `${server.url}/`, status: 200, type: "document", page: 0, bytes: shop.length });
    expect(result.steps[document?.step ?? -1]?.title).toContain("Navigate");
  });

  it("uploads, downloads, answers dialogs, reads frames and follows pop-ups", async () => {
    const script = `import { expect, test } from "@playwright/test";
      import { readFileSync } from "node:fs";
      test("tools", async ({ page, context }) => {
        await page.goto(process.env.URL + "/tools");
        await page.locator("input").setInputFiles("data/order.txt");
        expect(await page.locator("input").evaluate((input: any) => input.files[0].text())).toBe("two apples");
        page.on("dialog", (dialog) => dialog.accept());
        await page.getByText("ask").click();
        await expect(page).toHaveTitle("true");
        await expect(page.frameLocator("iframe").getByText("within")).toBeVisible();
        const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("download").click()]);
        expect(readFileSync(await download.path(), "utf8")).toBe("paid");
        const [popup] = await Promise.all([context.waitForEvent("page"), page.getByText("open").click()]);
        await expect(popup).toHaveTitle("Shop");
      });`;
    const files = [{ path: "data/order.txt", content: "two apples" }];
    const { outcome, result } = await tested.run("BROWSER", script, { environment: environment(), files });
    expect([outcome, result.errors]).toEqual(["passed", []]);
  });

  it("that fails leaves a screenshot, a trace, and a video where the script asks for one", async () => {
    const script = `import { expect, test } from "@playwright/test";
      test.use({ video: "on", headless: false, launchOptions: { executablePath: "/bin/false", args: ["--no-proxy-server"] } });
      test("looks for money", async ({ page }) => {
        await page.goto(process.env.URL + "/");
        await expect(page.getByText("money")).toBeVisible({ timeout: 200 });
      });`;
    const { outcome, result, files } = await tested.run("BROWSER", script, { environment: environment() });
    expect(outcome).toBe("failed");
    const names = files.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["screenshot-looks-for-money.png", "trace-looks-for-money.zip", "video-looks-for-money.webm"]),
    );
    expect(result.errors[0]).toMatchObject({ screenshot: "screenshot-looks-for-money.png", location: { line: 5 }, isSoft: false });
    expect(result.jobLog.map(({ msg }) => msg).join()).toMatch(/executablePath of the script is not used.*headless: false/);
    const picture = files.find(({ name }) => name.endsWith(".png"))?.content;
    expect(picture !== undefined && "file" in picture && readFileSync(picture.file).subarray(1, 4).toString()).toBe("PNG");
  });

  it.each(["http", "https"])("says which host the policy refused, by %s", async (protocol) => {
    const script = `import { expect, test } from "@playwright/test";
      test("x", async ({ page }) => { expect((await page.goto("${protocol}://169.254.169.254/"))!.status(), "169.254.169.254").toBe(200); });`;
    const { outcome, result } = await tested.run("BROWSER", script);
    expect(outcome).toBe("failed");
    expect(result.errors[0]?.message).toMatch(/^EPOLICY 169\.254\.169\.254 is not allowed by this agent's egress policy\n/);
  });

  it("reaches metadata by no way that a page or a script has", async () => {
    const script = `import { test } from "@playwright/test";
      test("x", async ({ page, playwright }) => {
        await page.goto(process.env.URL + "/cart");
        const ways: Record<string, unknown> = {};
        for (const host of ["169.254.169.254", "2852039166", "0xa9fea9fe", "[::ffff:169.254.169.254]", "[fd00:ec2::254]"])
          ways[host] = await page.request.get("http://" + host + "/", { timeout: 4000 }).then((one) => one.status(), () => "refused");
        ways.fetch = await page.evaluate(() => fetch("http://169.254.169.254/").then((one) => one.status, () => "refused"));
        ways.socket = await page.evaluate(() => new Promise((resolve) => {
          const socket = new WebSocket("ws://169.254.169.254/"); socket.onerror = () => resolve("refused"); socket.onopen = () => resolve("open"); }));
        ways.rtc = await page.evaluate(() => new Promise(async (resolve) => {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:9" }] }); const seen: string[] = [];
          peer.onicecandidate = (event) => event.candidate ? seen.push(event.candidate.candidate) : resolve(seen.length);
          peer.createDataChannel("x"); await peer.setLocalDescription(await peer.createOffer()); setTimeout(() => resolve(seen.length), 2000); }));
        ways.context = await playwright.request.newContext().then((one) => one.get("http://169.254.169.254/")).then((one) => one.status(), () => "refused");
        console.log(JSON.stringify(ways));
      });`;
    const { result } = await tested.run("BROWSER", script, { environment: environment() });
    const { rtc, fetch, ...ways } = JSON.parse(result.jobLog[0]?.msg ?? "{}") as Record<string, unknown>;
    expect(Object.keys(ways)).toHaveLength(7);
    expect([...new Set(Object.values(ways))]).toEqual(["refused"]);
    expect([fetch, rtc]).toEqual(["refused", 0]);
  });

  it.each([
    ["that waits", "await main();"],
    ["that does not wait", "main();"],
  ])("without test() runs as a plain script %s, and can be degraded", async (_how, call) => {
    const script = `const { chromium } = require("playwright");
const fs = require("fs");
async function main() {
  const browser = await chromium.launch({ headless: false });
  const page = await browser.newPage();
  await page.goto(process.env.URL);
  console.log(await page.title());
  fs.writeFileSync("degraded.json", JSON.stringify([{ message: "slow" }]));
  await browser.close();
}
${call}`;
    const { outcome, result } = await tested.run("BROWSER", script, { environment: environment(), scriptPath: "shop.spec.js" });
    expect([outcome, result.type, result.errors]).toEqual(["degraded", "PLAYWRIGHT", []]);
    expect(result.jobLog.at(-1)?.msg).toBe("Shop");
  });

  it("is the only type whose scripts can execute the browser", async () => {
    const script = `import { test } from "@playwright/test"; import { readFileSync } from "node:fs"; import { spawnSync } from "node:child_process";
      const browser = ${JSON.stringify(browserPath)};
      const says = (act: () => { error?: any }) => { try { return act().error?.code ?? "done"; } catch (error: any) { return error.code; } };
      test("x", () => console.log(says(() => spawnSync(browser, ["--version"])), says(() => readFileSync(browser) as any)));`;
    expect((await tested.run("BROWSER", script)).result.jobLog[0]?.msg).toBe("done done"); // or the other proves nothing
    expect((await tested.run("MULTI_STEP", script)).result.jobLog[0]?.msg).toBe("EACCES EACCES");
  });

  it("is degraded by soft assertions where it says so, and failed by others", async () => {
    const script = (hard: string): string => `import { expect, test } from "@playwright/test";
      import { writeFileSync } from "node:fs";
      test("x", async ({ page }) => { expect.soft(1).toBe(2); ${hard}; writeFileSync("degraded.json", "[{}]"); });`;
    expect((await tested.run("BROWSER", script(""))).outcome).toBe("degraded");
    expect((await tested.run("BROWSER", script('writeFileSync("degraded.json", "[{}]"); expect(1).toBe(2)'))).outcome).toBe("failed");
  });
});
