import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { tries } from "../../attacks/cases.ts";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { browserPath } from "../../support/playwright-runtime.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

const shop = `<title>Shop</title><h1>Shop</h1><a href="/cart">cart</a><img src="/missing.png">
  <script>console.error("bad news"); setTimeout(() => { throw new Error("boom"); }, 5);</script>`;
const worker = (port: number): string => `self.addEventListener("fetch", (event) => {
    if (event.request.url.endsWith("/worked")) event.respondWith(fetch("http://127.0.0.9:${port}/worked")); });
  self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));`;
const tools = `<input type="file"><button onclick="document.title = confirm('sure?')">ask</button>
  <iframe srcdoc="<p>within</p>"></iframe><a download="x.txt" href="/file">download</a><a target="_blank" href="/cart">open</a>`;

describe.skipIf(missing !== null)("a browser check", () => {
  let tested: EngineUnderTest;
  let server: HttpServer;
  beforeAll(async () => {
    server = await httpServer((request, response) => {
      if (request.url === "/file") return void response.setHeader("content-disposition", "attachment").end("paid");
      if (request.url === "/moved") return void response.writeHead(302, { location: `http://127.0.0.9:${server.port}/moved` }).end();
      if (request.url === "/worker.js") return void response.setHeader("content-type", "text/javascript").end(worker(server.port));
      response.statusCode = request.url === "/missing.png" ? 404 : 200;
      response.setHeader("connection", "close");
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

  it("that did not pass leaves its report, console and network for other programs", async () => {
    const script = (sum: number): string => `import { expect, test } from "@playwright/test";
      test("adds", async ({ page }) => {
        await page.goto(process.env.URL + "/?from=a%20b");
        test.info().attachments.push({ name: "own", path: process.cwd() + "/report.json", contentType: "application/json" });
        expect(1 + 1).toBe(${sum});
      });`;
    const files = [{ path: "report.json", content: "mine" }];
    const { result, ...failed } = await tested.run("BROWSER", script(3), { environment: environment(), files });
    expect(failed.files.map(({ name }) => name)).toEqual(result.jobAssets);
    expect(result.playwrightTestJsonReportFile).toBe("report.json");
    const textOf = (wanted: string): string => {
      const content = failed.files.find(({ name }) => name === wanted)?.content;
      return Buffer.isBuffer(content) ? content.toString() : "";
    };
    expect(JSON.parse(textOf("report.json"))).toMatchObject({ stats: { unexpected: 1 }, suites: [{ file: "check.spec.ts" }] });
    expect(textOf("report.json")).not.toContain(tested.folder);
    const lines = textOf("console.ndjson").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ level: "error", text: "bad news", page: `${server.url}/?from=a%20b` }),
    );
    const { log } = JSON.parse(textOf("network.har")) as { log: { version: string; entries: object[] } };
    expect([log.version, log.entries.length > 1]).toEqual(["1.2", true]);
    expect(log.entries[0]).toMatchObject({
      startedDateTime: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      request: { method: "GET", url: `${server.url}/?from=a%20b`, queryString: [{ name: "from", value: "a b" }], headers: [] },
      response: { status: 200, content: { size: shop.length } },
      _resourceType: "document",
    });
    const passed = await tested.run("BROWSER", script(2), { environment: environment(), files });
    expect([passed.outcome, passed.files.map(({ name }) => name)]).toEqual(["passed", ["report-2.json"]]);
  });

  it.each(["http", "https"])("says which host the policy refused, by %s", async (protocol) => {
    const script = `import { expect, test } from "@playwright/test";
      test("x", async ({ page }) => { expect((await page.goto("${protocol}://169.254.169.254/"))!.status(), "169.254.169.254").toBe(200); });`;
    const { outcome, result } = await tested.run("BROWSER", script);
    expect(outcome).toBe("failed");
    expect(result.errors[0]?.message).toMatch(/^EPOLICY 169\.254\.169\.254 is not allowed by this agent's egress policy\n/);
  });

  it(
    "reaches metadata by no way that a page or a script has",
    tries("S3", "EPOLICY for the address that is dialled, each time"),
    async () => {
      const script = `import { expect, test } from "@playwright/test";
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
      let asked = 0;
      const resolver = {
        resolve: async (host: string) => (host === "rebinds.test" ? [(asked += 1) > 2 ? "169.254.169.254" : "127.0.0.1"] : [host]),
      };
      const { result } = await tested.run("BROWSER", script, { environment: environment(), resolver });
      expect(result.errors).toEqual([]);
      const { rtc, fetch, ...ways } = JSON.parse(result.jobLog[0]?.msg ?? "{}") as Record<string, unknown>;
      expect(Object.keys(ways)).toHaveLength(7);
      expect([...new Set(Object.values(ways))]).toEqual(["refused"]);
      expect([fetch, rtc]).toEqual(["refused", 0]);
    },
  );

  it(
    "reaches a denied address by nothing that leads to it from elsewhere",
    tries("S3", "no request came to a server there; 5 without the rule"),
    async () => {
      const seen: string[] = [];
      const denied = createServer((request, response) => {
        seen.push(request.url ?? "");
        response.setHeader("access-control-allow-origin", "*").end("reached");
      });
      await once(denied.listen(server.port, "127.0.0.9"), "listening");
      onTestFinished(() => {
        denied.close();
        denied.closeAllConnections();
      });
      const script = `import { test } from "@playwright/test";
      test("x", async ({ page }) => {
        const port = new URL(process.env.URL!).port;
        const add = (tag: string) => page.evaluate(([tag, src]) => new Promise((resolve) => {
          const one = document.createElement(tag) as HTMLImageElement; one.onload = one.onerror = resolve; one.src = src; document.body.append(one);
        }), [tag, "http://127.0.0.9:" + port + "/" + tag]);
        await page.goto(process.env.URL + "/cart");
        await page.request.get(process.env.URL + "/moved").catch(() => {});
        for (const tag of ["img", "iframe"]) await add(tag);
        await page.evaluate(() => navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready));
        await page.reload();
        await page.evaluate(() => fetch("/worked").catch(() => {}));
        await page.goto("http://rebinds.test:" + port + "/");
        for (let round = 0; round < 3; round += 1) await page.evaluate(() => fetch("/rebound").catch(() => {}));
      });`;
      const come = async (denyCidrs: string[]): Promise<string[]> => {
        seen.length = 0;
        let asked = 0;
        const resolve = async (host: string): Promise<string[]> => {
          if (host === "rebinds.test") asked += 1;
          return [host === "rebinds.test" ? (asked > 2 ? "127.0.0.9" : "127.0.0.1") : host];
        };
        const egress = createEgressPolicy({ allowCidrs: [], denyCidrs, mode: "default", ownPorts: [] });
        const { result } = await tested.run("BROWSER", script, { environment: environment(), egress, resolver: { resolve } });
        expect(result.errors).toEqual([]);
        return [...new Set(seen)].toSorted();
      };
      expect(await come(["127.0.0.9/32"])).toEqual([]);
      expect(await come([])).toEqual(["/iframe", "/img", "/moved", "/rebound", "/worked"]);
    },
  );

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

  it("warns where every test of its script was skipped", async () => {
    const script = `import { test } from "@playwright/test"; test.skip("one", () => {}); test.fixme("two", () => {});`;
    const { outcome, result } = await tested.run("BROWSER", script);
    expect([outcome, result.tests.map(({ status }) => status)]).toEqual(["passed", ["skipped", "skipped"]]);
    expect(result.jobLog).toMatchObject([{ level: "WARN", msg: "every test of this script was skipped: nothing was looked at" }]);
  });

  it("knows the helpers of scripts by the scope of any service, as a module, too", async () => {
    const script = `import { markCheckAsDegraded } from "@elsewhere/playwright-helpers"; import { test } from "@playwright/test";
      test("x", () => { markCheckAsDegraded("slow"); try { markCheckAsDegraded("€".repeat(34)); } catch (error) { console.log(error.message); } });`;
    const { outcome, result } = await tested.run("BROWSER", script, { scriptPath: "check.spec.mjs" });
    expect([outcome, result.errors, result.degradedBy]).toEqual(["degraded", [], ["slow"]]);
    expect(result.jobLog[0]?.msg).toBe("the message of markCheckAsDegraded has more than 100 bytes");
  });

  it("is degraded by soft assertions where it says so, and failed by others", async () => {
    const script = (hard: string): string => `import { expect, test } from "@playwright/test";
      import { writeFileSync } from "node:fs";
      test("x", async ({ page }) => { expect.soft(1).toBe(2); ${hard}; writeFileSync("degraded.json", "[{}]"); });`;
    expect((await tested.run("BROWSER", script(""))).outcome).toBe("degraded");
    expect((await tested.run("BROWSER", script('writeFileSync("degraded.json", "[{}]"); expect(1).toBe(2)'))).outcome).toBe("failed");
  });
});
