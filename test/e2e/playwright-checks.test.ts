import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import type { CheckSession } from "../../src/contract/check-sessions.ts";
import type { TestSession } from "../../src/contract/test-sessions.ts";
import { tries } from "../attacks/cases.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { findSecret } from "../support/find-secret.ts";
import { type HttpServer, httpServer } from "../support/http-servers/http-server.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../support/playwright-runtime.ts";
import { until } from "../support/processes.ts";
import { type AgentProcess, Site } from "../support/site.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());
const password = "kTz+9f/31c07e2b=enters";

/** From REST to the result, by real processes: Outpost's own console is what the browser looks at. */
describe.skipIf(noPlaywright !== null).each(engines.list)("checks that are scripts of Playwright, on $name", ({ databaseUrl }) => {
  let site: Site;
  let agent: AgentProcess;
  let alerts: HttpServer;
  let agentKey: string;
  const told: string[] = [];
  const made = new AsyncDisposableStack();
  beforeAll(async () => {
    alerts = made.use(
      await httpServer((request, response) => {
        request.on("data", (chunk: Buffer) => told.push(chunk.toString()));
        request.on("end", () => response.end());
      }),
    );
    site = made.use(await Site.start({ databaseUrl: await databaseUrl(), env: { PUBLIC_URL: "https://outpost.example.com" } }));
    agentKey = await site.location("north");
    agent = await site.agent(agentKey, { RUNTIMES_DIR: runtimesFolder }).ready();
  }, 120_000);
  afterAll(() => made.disposeAsync());

  const create = async (kind: "browser" | "multistep", script: string, more: object = {}): Promise<string> => {
    const check = { name: kind, script, privateLocations: ["north"], frequency: 1440, runtimeId: playwrightRuntime, retryStrategy: null };
    return (await site.api<{ id: string }>("POST", `/v1/checks/${kind}`, { ...check, ...more })).id;
  };
  /** Triggered, not by its schedule. */
  const resultOf = async (checkId: string): Promise<CheckResult> => {
    for (const session of await site.trigger(checkId)) await site.ended(session, 120_000);
    const [newest] = await site.results(checkId);
    if (newest === undefined) throw new Error("no result");
    return newest;
  };

  it("are announced with what they run on", async () => {
    const { playwright } = (await agent.health()) as unknown as { playwright: { browser: string; level: number; egress: string } };
    expect(playwright).toMatchObject({ browser: expect.stringMatching(/^chromium\/\d/) as unknown, level: 2, egress: "kernel" });
  });

  it("tell steps, requests and vitals of a journey through the console", { timeout: 180_000 }, async () => {
    const script = `import { expect, test } from "@playwright/test";
test("signs in", async ({ page }) => {
  await page.goto("${site.base}/sign-in");
  await test.step("with a key that is wrong", async () => {
    await page.getByLabel("API key").fill(process.env.KEY);
    await page.getByLabel("API key").press("Enter");
  });
  await expect(page.locator("h1")).toHaveText("Sign in");
});`;
    const id = await create("browser", script, { environmentVariables: [{ key: "KEY", value: password, locked: true }] });
    const result = await resultOf(id);
    expect([result.errorMessage, result.hasFailures, result.hasErrors]).toEqual([null, false, false]);
    const seen = result.browserCheckResult as unknown as {
      tests: unknown[];
      pages: { url: string; webVitals: object }[];
      requests: { type: string; status: number }[];
      steps: { title: string }[];
    };
    expect(seen.tests).toMatchObject([{ title: "signs in", status: "passed" }]);
    expect(seen.pages[0]).toMatchObject({ url: `${site.base}/sign-in`, webVitals: { LCP: { score: expect.any(String) as unknown } } });
    expect(seen.requests).toContainEqual(expect.objectContaining({ type: "document", status: 200 }));
    expect(seen.steps.map(({ title }) => title)).toContain("with a key that is wrong");
    const day = `from=${Math.floor(Date.now() / 1000) - 3600}&to=${Math.floor(Date.now() / 1000) + 3600}`;
    const path = `/v1/analytics/browser-checks/${id}?${day}&metrics=LCP_p95,FCP_avg`;
    const { series } = await site.api<{ series: { data: Record<string, number>[] }[] }>("GET", path);
    expect(series[0]?.data[0]?.["FCP_avg"]).toBeGreaterThan(0);
  });

  it("show the page when they fail, without its secrets, and alert with the step", {
    timeout: 180_000,
    ...tries("S6", "masked before it has a name on disk: 0 found, in any form"),
  }, async () => {
    const script = `const { expect, test } = require("@playwright/test");
test.use({ video: "on" });
test("the title", async ({ page, context }) => {
  const key = process.env.KEY, bytes = Buffer.from(key);
  await context.setExtraHTTPHeaders({ "x-api-key": key, authorization: "Basic " + Buffer.from("mary:" + key).toString("base64") });
  await context.addCookies([{ name: "key", value: encodeURIComponent(key), url: "${site.base}" }]);
  await page.goto("${site.base}/sign-in?key=" + encodeURIComponent(key) + "&hex=" + bytes.toString("hex"));
  console.log("with", key, bytes.toString("base64"), bytes.toString("hex"), encodeURIComponent(key), JSON.stringify({ key }));
  await page.evaluate((key) => { localStorage.setItem("key", key); sessionStorage.setItem(key, "1"); console.error("page says " + key); }, key);
  await page.evaluate((key) => { setTimeout(() => { throw new Error("with " + key); }); }, key);
  await page.request.post("${site.base}/nowhere", { data: { key }, form: undefined });
  await test.info().attach("note-" + key, { body: "noted " + key, contentType: "text/plain" });
  await test.step("step of " + key, async () => {});
  await page.getByLabel("API key").fill(process.env.KEY);
  await expect(page.locator("h1"), process.env.KEY).toHaveText("Something else", { timeout: 500 });
});`;
    const channel = { type: "WEBHOOK", config: { name: "hook", url: alerts.url } };
    const { id: alertChannelId } = await site.api<{ id: number }>("POST", "/v1/alert-channels", channel);
    const id = await create("browser", script, {
      environmentVariables: [{ key: "KEY", value: password, locked: true }],
      alertChannelSubscriptions: [{ alertChannelId, activated: true }],
    });
    const result = await resultOf(id);
    expect([result.hasFailures, result.hasErrors]).toEqual([true, false]);
    expect(result.errorMessage).toMatch(
      /^the title: .*expect\(locator\('h1'\)\)\.toHaveText failed: expected "Something else", received "Sign in"$/,
    );
    const names = await until("the files of the result", async () => {
      const { assets } = await site.api<{ assets: { name: string; url: string }[] }>("GET", `/v1/check-results/${id}/${result.id}/assets`);
      const all = assets.map(({ name }) => name);
      return (
        [".zip", ".png", ".webm", "report.json", "console.ndjson", "network.har"].every((end) => all.some((name) => name.endsWith(end))) &&
        all
      ); // they come one after another
    });
    const bytes = await Promise.all(
      names.map(async (name) => Buffer.from(await (await site.fetch(`/v1/check-results/${id}/${result.id}/assets/${name}`)).arrayBuffer())),
    );
    for (const [index, content] of [...bytes, Buffer.from(JSON.stringify(result))].entries())
      expect([names[index], findSecret(content, password)]).toEqual([names[index], []]);
    await until("an alert", () => told.some((text) => text.includes("the title")));
    expect(told.flatMap((text) => findSecret(Buffer.from(text), password))).toEqual([]);
  });

  it("wait for their turn, and uptime checks do not wait for them", {
    timeout: 180_000,
    ...tries("F15", "10 due at once on 2 cores: the last begins after 30 s, URL checks beside them wait 0.12 s at most"),
  }, async () => {
    const script = `const { test } = require("@playwright/test");
test("x", async ({ page }) => { await page.goto("${site.base}/sign-in"); });`;
    const ids = await Promise.all(Array.from({ length: 10 }, () => create("browser", script)));
    const url = { name: "url", privateLocations: ["north"], frequency: 1440, request: { url: `${site.base}/health` }, retryStrategy: null };
    const { id: urlId } = await site.api<{ id: string }>("POST", "/v1/checks/url", url);
    const asked = async (checkId: string): Promise<void> => {
      for (const session of await site.trigger(checkId)) await site.ended(session, 120_000);
    };
    for (let count = 0; count < 5; count += 1) await asked(urlId);
    let areDue = true;
    const browsers = Promise.all(ids.map(asked)).finally(() => (areDue = false));
    while (areDue) await asked(urlId);
    await browsers;
    const waited = (await site.results(urlId)).map(({ queuedMs }) => queuedMs).toReversed();
    const ended = await Promise.all(ids.map(async (id) => (await site.results(id))[0]));
    const of = (values: readonly number[]): string => `${values.length}: ${Math.round(Math.max(...values))} ms`;
    const last = Math.max(...ended.map((one) => one?.queuedMs ?? 0));
    process.stdout.write(
      `URL checks wait at most, alone ${of(waited.slice(0, 5))}, beside ${of(waited.slice(5))}; the last browser ${last} ms\n`,
    );
    expect(ended.map((one) => [one?.resultType, one?.errorMessage])).toEqual(ids.map(() => ["FINAL", null]));
    expect(waited.length).toBeGreaterThan(10);
    expect(Math.max(...waited)).toBeLessThan(1_000);
  });

  it("compare screenshots with those of the run before, until somebody says that the page is right", { timeout: 180_000 }, async () => {
    let colour = "green";
    await using page = await httpServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(`<body style="background: ${colour}"><h1>Shop</h1>`);
    });
    const id = await create(
      "browser",
      `const { expect, test } = require("@playwright/test");
test("the shop", async ({ page }) => {
  await page.goto("${page.url}/");
  await expect(page).toHaveScreenshot("front.png");
});`,
    );
    const first = await resultOf(id);
    expect([first.errorMessage, JSON.stringify(first).includes("these are the first ones")]).toEqual([null, true]);
    const second = await resultOf(id);
    expect([second.errorMessage, JSON.stringify(second).includes("these are the first ones")]).toEqual([null, false]);

    colour = "red";
    const differs = await resultOf(id);
    expect(differs.errorMessage).toMatch(/^the shop: .*toHaveScreenshot/);
    const pictures = ["front-actual.png", "front-diff.png", "front-expected.png"];
    await until("the pictures of the result", async () => {
      const { assets } = await site.api<{ assets: { name: string }[] }>("GET", `/v1/check-results/${id}/${differs.id}/assets`);
      return pictures.every((name) => assets.some((asset) => asset.name === name));
    });

    const body = { target: { checkId: [id] }, updateSnapshots: true };
    const { sessions } = await site.api<{ sessions: CheckSession[] }>("POST", "/v2/check-sessions/trigger", body);
    for (const session of sessions) await site.ended(session, 120_000);
    expect((await resultOf(id)).errorMessage).toBeNull();
    colour = "green";
    expect((await resultOf(id)).hasFailures).toBe(true);
  });

  it("say while they are tried where they are, with the page and the log", { timeout: 120_000 }, async () => {
    const script = `const { test } = require("@playwright/test");
test("a slow visitor", async ({ page }) => {
  await page.goto("${site.base}/sign-in");
  await test.step("thinks", async () => {
    console.log("with", process.env.KEY);
    await page.waitForTimeout(8_000);
  });
});`;
    const body = { checkType: "BROWSER", name: "tried", script, runtimeId: playwrightRuntime };
    const tried = { ...body, environmentVariables: [{ key: "KEY", value: password, locked: true }] };
    const { testSessionId } = await site.api<TestSession>("POST", "/v1/checks/try?runLocation=north", tried);
    const path = `/v1/test-sessions/${testSessionId}`;
    const progress = await until("what is told meanwhile", async () => {
      const { results } = await site.api<TestSession>("GET", path);
      const [run] = results;
      return (
        run?.progress?.step?.includes("thinks") === true && run.progress.picture !== null && run.progress.log.length > 0 && run.progress
      );
    });
    expect([progress.phase, progress.step?.startsWith("a slow visitor › thinks")]).toEqual(["testing", true]);
    expect(progress.log.map(({ msg }) => msg)).toContain("with ********");
    const ended = await until("its end", async () => {
      const session = await site.api<TestSession>("GET", path);
      return session.status !== "RUNNING" && session;
    });
    expect([ended.status, ended.results[0]?.progress]).toEqual(["PASSED", undefined]);
  });

  it("chain requests without a browser, and without the agent's key", {
    timeout: 120_000,
    ...tries("S5", "401 of the control plane; scripts have no key of the agent"),
  }, async () => {
    const script = `import { expect, test } from "@playwright/test";
test("api", async ({ request }) => {
  const health = await request.get("${site.base}/health");
  expect(health.status()).toBe(200);
  expect((await request.post("${site.base}/agent/v1/sessions", { data: {} })).status()).toBe(401);
  expect(JSON.stringify(process.env)).not.toContain("${agentKey}");
  await test.step("what is not there", async () => expect((await request.get("${site.base}/nowhere")).status()).toBe(404));
});`;
    const result = await resultOf(await create("multistep", script));
    expect([result.errorMessage, result.hasFailures]).toEqual([null, false]);
    expect(result.multiStepCheckResult).toMatchObject({ requests: [{ status: 200, type: "api" }, { status: 401 }, { status: 404 }] });
  });
});
