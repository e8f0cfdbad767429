import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimeCatalog } from "../../../src/contract/runtime-catalog.ts";
import { tries } from "../../attacks/cases.ts";
import { type RawServer, serve } from "../../support/http-servers/raw-server.ts";
import { runtimesFolder } from "../../support/playwright-runtime.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

/* What scripts use, in every runtime that is here: each has a Playwright of its own, all have the same browser. */

const isHere = (id: string): boolean => existsSync(join(runtimesFolder, id, "runtime.json"));
const runtimes = missing === null ? runtimeCatalog.filter(({ name }) => isHere(name)) : [];
for (const { name } of runtimeCatalog.filter((one) => !runtimes.includes(one)))
  process.stdout.write(`Playwright of runtime ${name} is not tried: outpost runtime install ${name}\n`);

const page = `<title>Tools</title><h1>Tools</h1><label>Name <input id="name"></label><input type="file">
  <button onclick="document.title = confirm('sure?')">ask</button><iframe srcdoc="<p>within</p>"></iframe>
  <a download="x.txt" href="/file">download</a><a target="_blank" href="/other">open</a>`;
const worker = `self.addEventListener("fetch", (event) => { if (event.request.url.endsWith("/worked")) event.respondWith(new Response("by worker")); });
  self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));`;

/** Greets over WebSocket; else pages, a file and a service worker. */
async function target(): Promise<RawServer> {
  const server = createServer((request, response) => {
    if (request.url === "/file") return void response.setHeader("content-disposition", "attachment").end("paid");
    if (request.url === "/worker.js") return void response.setHeader("content-type", "text/javascript").end(worker);
    response.setHeader("set-cookie", "seen=yes").setHeader("content-type", "text/html").end(page);
  });
  server.on("upgrade", (request, socket) => {
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    const greet = (): boolean => socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from("hello")]));
    setTimeout(greet, 500); // until the script listens
  });
  return serve(server, "listening", () => undefined);
}

const browserScript = `import { expect, test, type Page } from "@playwright/test";
import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { greeting } from "./lib/greeting";

const url: string = process.env.URL!;
enum Side { Left, Right }
test.beforeEach(async ({ page }) => { await page.goto(url + "/"); });

test("TypeScript", () => { expect([greeting("you"), Side.Right]).toEqual(["hello you", 1]); });
test("locators", async ({ page }) => {
  await page.getByLabel("Name").fill("Ada");
  await expect(page.locator("#name")).toHaveValue("Ada");
  await expect(page.getByRole("heading", { name: "Tools" })).toBeVisible();
});
test("frames", async ({ page }) => { await expect(page.frameLocator("iframe").getByText("within")).toBeVisible(); });
test("pop-ups", async ({ page, context }) => {
  const [popup] = await Promise.all([context.waitForEvent("page"), page.getByText("open").click()]);
  await expect(popup).toHaveURL(/other/);
});
test("downloads", async ({ page }) => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("download").click()]);
  expect(readFileSync((await download.path())!, "utf8")).toBe("paid");
});
test("uploads", async ({ page }) => {
  await page.locator("input[type=file]").setInputFiles("data/order.txt");
  const text = () => page.locator("input[type=file]").evaluate((input: any) => input.files[0].text());
  expect(await text()).toBe("two apples");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.locator("input[type=file]").click()]);
  await chooser.setFiles(["data/order.txt"]);
  expect(await text()).toBe("two apples");
  await (await page.$("input[type=file]"))!.setInputFiles("data/order.txt");
  expect(await text()).toBe("two apples");
});
test("dialogs", async ({ page }) => {
  page.on("dialog", (dialog) => dialog.accept());
  await page.getByText("ask").click();
  await expect(page).toHaveTitle("true");
});
test("route", async ({ page }) => {
  await page.route("**/routed", (route) => route.fulfill({ body: "by route" }));
  expect(await page.evaluate(() => fetch("/routed").then((one) => one.text()))).toBe("by route");
});
test("storage state", async ({ page, context, browser }) => {
  await page.evaluate(() => localStorage.setItem("basket", "two"));
  const other = await browser.newContext({ storageState: await context.storageState() });
  const again = await other.newPage();
  await again.goto(url + "/");
  expect(await again.evaluate(() => localStorage.getItem("basket") + document.cookie)).toBe("twoseen=yes");
  await other.close();
});
test("service workers", async ({ page }) => {
  await page.evaluate(() => navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready));
  await page.reload();
  await expect.poll(() => page.evaluate(() => fetch("/worked").then((one) => one.text()))).toBe("by worker");
});
test("WebSocket events", async ({ page }) => {
  const opened = page.waitForEvent("websocket");
  await page.evaluate(() => { (globalThis as any).socket = new WebSocket(location.origin.replace("http", "ws")); });
  const frame = await (await opened).waitForEvent("framereceived");
  expect(frame.payload).toBe("hello");
});
test.describe("with a place", () => {
  test.use({ geolocation: { latitude: 52, longitude: 13 }, permissions: ["geolocation"] });
  test("geolocation", async ({ page }) => {
    const where = await page.evaluate(() => new Promise<any>((resolve, reject) =>
      navigator.geolocation.getCurrentPosition(({ coords }) => resolve(coords.latitude), ({ message }) => reject(new Error(message)))));
    expect(where).toBe(52);
  });
});
test("expect.soft", () => { test.fail(); expect.soft(1).toBe(2); expect.soft(2).toBe(3); });
test.describe("again", () => {
  test.describe.configure({ retries: 1 });
  test("retries", async ({ page }) => { expect(test.info().retry).toBe(1); });
});
test("toHaveScreenshot", async ({ page }) => {
  const baseline = test.info().snapshotPath("tools.png");
  mkdirSync(dirname(baseline), { recursive: true });
  writeFileSync(baseline, await page.screenshot({ animations: "disabled", caret: "hide" }));
  await expect(page).toHaveScreenshot("tools.png", { maxDiffPixelRatio: 0.01 });
});
test("request fixture", async ({ request }) => { expect((await request.get(url + "/file")).status()).toBe(200); });
test("trace", async ({ page }) => { await page.locator("#nowhere").click({ timeout: 300 }); });
test("time-out", async ({ page }) => { test.setTimeout(1_500); await page.locator("#nowhere").click(); });`;
const files = [
  { path: "lib/greeting.ts", content: "export const greeting = (name: string): string => `hello ${name}`;" },
  { path: "data/order.txt", content: "two apples" },
];

describe.runIf(runtimes.length > 0)("Playwright of a runtime", { timeout: 150_000 }, () => {
  let tested: EngineUnderTest;
  let server: RawServer;
  beforeAll(async () => {
    server = await target();
    tested = await EngineUnderTest.start();
  }, 120_000);
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const environment = (): Record<string, string> => ({ URL: `http://127.0.0.1:${server.port}` });

  it.each(runtimes.map(({ name }) => name))(
    "%s does in a browser check what scripts ask for, and leaves evidence",
    tries("F20", "all that scripts use works, the worker cold where need be"),
    async (runtimeId) => {
      const run = await tested.run("BROWSER", browserScript, { runtimeId, files, environment: environment(), limitMs: 120_000 });
      const statuses = run.result.tests.map(({ title, status }) => [title, status]);
      const others = statuses.filter(([title]) => !["again › retries", "trace", "time-out"].includes(title ?? ""));
      const unexpected = others.filter(([, status]) => status !== "passed");
      expect([run.failure, unexpected, unexpected.length === 0 ? [] : run.result.errors.map(({ message }) => message)]).toEqual([
        null,
        [],
        [],
      ]);
      expect(others).toHaveLength(15);
      expect(statuses).toEqual(
        expect.arrayContaining([
          ["again › retries", "flaky"],
          ["trace", "failed"],
          ["time-out", "timedOut"],
        ]),
      );
      const names = run.files.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["trace-trace.zip", "screenshot-trace.png", "screenshot-time-out.png"]));
      const error = run.result.errors.find(({ title }) => title === "trace");
      expect(error).toMatchObject({ location: { file: "check.spec.ts" }, screenshot: "screenshot-trace.png", isSoft: false });
      expect(error?.snippet).toContain(`> ${error?.location?.line} | test("trace"`);
      expect(run.result.pages[0]?.webVitals.TTFB?.score).toBe("GOOD");
      expect(run.result.requests.some(({ url, status }) => url.endsWith("/file") && status === 200)).toBe(true);
    },
  );

  it.each(runtimes.map(({ name }) => name))("%s runs an ES module", async (runtimeId) => {
    const script = `import { expect, test } from "@playwright/test";
      const { answer } = await import("./lib/answer.mjs");
      test("answers", async ({ page }) => { await page.goto(process.env.URL); expect([answer, import.meta.url.startsWith("file:")]).toEqual([42, true]); });`;
    const answer = { path: "lib/answer.mjs", content: "export const answer = 42;" };
    const more = { runtimeId, files: [answer], environment: environment(), scriptPath: "check.spec.mjs" };
    const { failure, result } = await tested.run("BROWSER", script, more);
    expect([failure, result.errors, result.tests.map(({ status }) => status)]).toEqual([null, [], ["passed"]]);
  });

  it.each(runtimes.map(({ name }) => name))("%s ends a test in time that wants no time-out, and keeps its evidence", async (runtimeId) => {
    const script = `import { test } from "@playwright/test";
      test("waits", async ({ page }) => { test.setTimeout(0); await page.goto(process.env.URL!); await page.locator("#nowhere").click(); });`;
    const {
      failure,
      result,
      files: kept,
    } = await tested.run("BROWSER", script, { runtimeId, environment: environment(), limitMs: 18_000 });
    expect([failure, result.tests.map(({ status }) => status)]).toEqual([null, ["timedOut"]]);
    expect(kept.map(({ name }) => name)).toEqual(expect.arrayContaining(["screenshot-waits.png", "trace-waits.zip", "report.json"]));
  });

  it.each(runtimes.map(({ name }) => name))(
    "%s is degraded by soft assertions where its script marks it, and failed by others",
    async (runtimeId) => {
      const script = (how: string): string => `import { expect, test } from "@playwright/test";
      import { markCheckAsDegraded } from "@outpost/playwright-helpers";
      test("x", async ({ page }) => {
        markCheckAsDegraded("the shop is slow");
        markCheckAsDegraded();
        await page.goto(process.env.URL);
        await expect.soft(page.locator("#nowhere"), "sold").toBeVisible({ timeout: 100 });
        ${how}(1).toBe(2);
      });`;
      const runs = ["expect.soft", "expect"].map((how) => tested.run("BROWSER", script(how), { runtimeId, environment: environment() }));
      const [soft, hard] = await Promise.all(runs);
      expect([soft?.failure, soft?.result.errors.map(({ isSoft }) => isSoft), soft?.outcome]).toEqual([null, [true, true], "degraded"]);
      expect(soft?.result.degradedBy).toEqual(["the shop is slow"]);
      expect([hard?.failure, hard?.result.errors.map(({ isSoft }) => isSoft), hard?.outcome]).toEqual([null, [true, false], "failed"]);
    },
  );

  it.each(runtimes.filter(({ multiStepSupport }) => multiStepSupport).map(({ name }) => name))(
    "%s tells steps and requests of a multistep check",
    async (runtimeId) => {
      const script = `import { expect, test } from "@playwright/test";
        import { getAPIResponseTime } from "@outpost/playwright-helpers";
        test("asks", async ({ request }) => { await test.step("first", async () => {
          const answer = await request.get(process.env.URL + "/file");
          expect(answer.status()).toBe(200);
          expect(getAPIResponseTime(answer)).toBeGreaterThan(0);
        }); });`;
      const { failure, result } = await tested.run("MULTI_STEP", script, { runtimeId, environment: environment() });
      expect([failure, result.errors]).toEqual([null, []]);
      expect(result.steps.find(({ title }) => title === "first")).toMatchObject({ category: "test.step", error: null });
      expect(result.requests).toMatchObject([{ method: "GET", status: 200, type: "api" }]);
      expect(result.steps.find(({ category }) => category === "pw:api")?.location?.line ?? 4).toBe(4);
      expect(result.requests[0]?.timings?.firstByte).toEqual(expect.any(Number));
    },
  );
});
