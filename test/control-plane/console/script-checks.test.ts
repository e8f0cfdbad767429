import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ResultOf } from "#contract/checks/index.ts";
import { checkDetails } from "../../support/check-details.ts";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { receiver } from "../alerting/channels/receiver.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner } from "./people.ts";

const picture = Buffer.from("89504e470d0a1a0a", "hex").toString("base64");

describe("pages of checks that are a script", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let agent: FakeAgent;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    const able = { checkTypes: ["BROWSER", "MULTI_STEP"], runtimes: ["2026.04"], sandboxLevel: 2 };
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), able);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  async function pageOf(type: "browser" | "multistep", changes: object): Promise<{ readonly text: string; readonly policy: string }> {
    const body = { name: "shop", script: "1", locations: ["eu-west-1"], frequency: 1440 };
    const { id } = (await plane.call("POST", `/v1/checks/${type}`, { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, { hasFailures: true, errorMessage: "order a book: 503", ...changes }));
    const result = (await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0].id;
    const { text, headers } = await owner.get(`/checks/${id}/results/${result}`);
    return { text: withoutOurScripts(text), policy: headers.get("content-security-policy") ?? "" };
  }
  const read = (text: string): string =>
    text
      .replaceAll(/<(?:style|title)>[^]*?<\/(?:style|title)>/g, "")
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll(/\s+/g, " ");

  it("tell what failed first, with the page as it was then, and all that a browser saw", async () => {
    const [error] = checkDetails.BROWSER.errors;
    const detail: ResultOf<"BROWSER"> = {
      ...checkDetails.BROWSER,
      errors: [{ ...error!, screenshot: "screenshot-1.png" }],
      console: [{ ...checkDetails.BROWSER.console[0]!, text: evil }],
      jobLog: [{ time: 1_777_593_600_100, level: "INFO", msg: evil }],
    };
    const evidence = [{ name: "screenshot-1.png", type: "log", contentType: "image/png", data: picture }];
    const { text, policy } = await pageOf("browser", { detail, evidence, errorMessage: "it broke" });
    const words = read(text);
    const order = [
      "Failure",
      "order a book",
      "check.spec.ts, line 4",
      "Tests",
      "Steps",
      "GET https://shop.example/api/orders",
      "Browser console",
      "Network",
      "Pages and web vitals",
      "4.20 s poor",
      "Script log",
      "level 2, egress policy enforced by the kernel",
    ];
    const places = order.map((one) => words.indexOf(one));
    expect([places.includes(-1), places.toSorted((a, b) => a - b)]).toEqual([false, places]);
    expect(text).toMatch(/<img src="\/checks\/[^"]+\/files\/screenshot-1\.png" alt="Screenshot at failure"/);
    expect(policy).toContain("img-src 'self' data:; media-src 'self'");
    expect(text).not.toContain(evil);
  });

  it("show screenshots that differ beside each other", async () => {
    const names = ["front-expected.png", "front-actual.png", "front-diff.png"];
    const evidence = names.map((name) => ({ name, type: "log", contentType: "image/png", data: picture }));
    const { text } = await pageOf("browser", { detail: { ...checkDetails.BROWSER, jobAssets: [...names, "gone-actual.png"] }, evidence });
    const words = read(text);
    expect(words).toMatch(
      /Screenshot differences front Expected Actual Difference Update baselines .*all of its baselines, not only these/,
    );
    for (const name of names) expect(text).toMatch(new RegExp(`<img src="/checks/[^"]+/files/${name}" alt="[^"]+: front"`));
    expect(text).not.toContain("gone-actual");
    expect(read((await pageOf("browser", {})).text)).not.toContain("Screenshot differences");
  });

  it("forget the pictures of a check and run it, where somebody who may run it says that its pages are right", async () => {
    const picked = { browser: 156, name: "check.spec.ts/front.png" };
    const detail = { ...checkDetails.BROWSER, jobAssets: ["front-actual.png"] };
    const evidence = [{ name: "front-actual.png", type: "log", contentType: "image/png", data: picture }];
    const { text } = await pageOf("browser", { detail, evidence });
    const action = /action="(\/checks\/([^"/]+)\/update-pictures)"/.exec(text);
    const [, path = "", id = ""] = action ?? [];
    const run = async (): Promise<object> => {
      const [job] = await agent.lease(1, 5);
      return { jobId: job!.jobId, fence: job!.fence };
    };
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    expect((await agent.send("POST", "/baselines/keep", { ...(await run()), ...picked, data: picture })).status).toBe(200);
    expect((await owner.post(path, {})).location).toMatch(new RegExp(`^/checks/${id}\\?started=`));
    expect((await agent.send("POST", "/baselines/list", await run())).body.baselines).toEqual([]);
  });

  it("say where a run looked at nothing, and why its script marked it as degraded", async () => {
    const [one] = checkDetails.BROWSER.tests;
    const detail = { ...checkDetails.BROWSER, errors: [], tests: [{ ...one!, status: "skipped" }], degradedBy: ["out of tides"] };
    const words = read((await pageOf("browser", { detail, hasFailures: false, errorMessage: null })).text);
    expect(words).toContain("All tests were skipped: this run checked nothing. Marked as degraded: out of tides");
  });

  it("tell the requests of a multistep check below their steps", async () => {
    const words = read((await pageOf("multistep", {})).text);
    expect(words).toMatch(
      /sign in 400 ms GET https:\/\/shop\.example\/api\/login 200 27 ms 64 bytes order a book 500 ms GET https:\/\/shop\.example\/api\/orders 503/,
    );
    expect(words).not.toContain("web vitals");
  });

  it("sum the sizes of requests, offer those of a type and those that failed, and put failed tests first", async () => {
    const [request] = checkDetails.BROWSER.requests;
    const [one] = checkDetails.BROWSER.tests;
    const asked = (type: string, bytes: number | null, status: number) => ({
      ...request!,
      type,
      bytes,
      status,
      url: `https://shop.example/${type}`,
    });
    const requests = [
      asked("document", 2_048, 200),
      asked("script", 10_240, 200),
      asked("script", null, 404),
      { ...asked("image", 9_999_999, 200), fromCache: true },
      asked(`"><b>`, 0, 200),
    ];
    const tests = [
      { ...one!, title: "first", status: "passed" as const },
      { ...one!, title: "second", status: "timedOut" as const },
      { ...one!, title: "third", status: "failed" as const },
    ];
    const { text } = await pageOf("browser", { detail: { ...checkDetails.BROWSER, requests, tests } });
    const words = read(text);
    expect(words).toMatch(
      /5 requests, 12,288 bytes Filter requests all script 2 · 10,240 bytes document 1 · 2,048 bytes image 1 · 0 bytes other 1 · 0 bytes failed only \(1\)/,
    );
    expect(text.match(/<tr class="[a-z]+(?: failed)?"><td class="free"><span class="address">/g)).toHaveLength(5);
    expect(text).toContain('<tr class="script failed">');
    expect(words).toMatch(/timed out second .*failed third .*passed first/);
  });

  it("show nothing of a file that is not stored, and bear a result with empty lists", async () => {
    const [error] = checkDetails.BROWSER.errors;
    const empty = {
      errors: [{ ...error!, screenshot: "gone.png" }],
      tests: [],
      steps: [],
      requests: [],
      pages: [],
      console: [],
      jobLog: [],
    };
    const { text } = await pageOf("browser", { detail: { ...checkDetails.BROWSER, ...empty, playwrightTestVideos: ["gone.webm"] } });
    expect(text).not.toContain("gone.");
    expect(read(text)).toContain("Failure");
  });

  it("tell how far a trial is while it runs: step, log and page", async () => {
    const form = { type: "BROWSER", name: "shop", script: "1", next: "try", runLocation: "eu-west-1" };
    await owner.get("/checks/new?type=BROWSER");
    const begun = JSON.parse((await owner.post("/checks/new", form, { accept: "application/json" })).text);
    const [session] = begun.sessions;
    const [job] = await agent.lease(1, 5);
    expect(job?.payload.isWatched).toBe(true);
    const shown = async (): Promise<string> => JSON.parse((await owner.get(`/test-sessions?id=${session}&ended=0`)).text).html;
    const log = [{ time: 1, level: "WARN", msg: `${evil}` }];
    const progress = { phase: "testing", testsDone: 1, step: `buys › ${evil}`, log, picture: "/9j/2Q==" };
    const { jobId, fence } = job!;
    expect((await agent.send("POST", "/jobs/progress", { jobId, fence, progress })).status).toBe(204);
    expect((await plane.call("GET", `/v1/test-sessions/${session}`)).body.results[0].progress).toEqual(progress);
    const text = await shown();
    expect(read(text)).toMatch(/running eu-west-1 1 test done buys › .* WARN /);
    expect(text).toContain('src="data:image/jpeg;base64,/9j/2Q=="');
    expect(text).not.toContain(evil);
    const page = await owner.get(`/test-sessions/${session}`);
    expect([page.headers.get("refresh"), read(page.text)]).toEqual(["3", expect.stringContaining("1 test done")]);
    for (const wrong of [
      { ...progress, picture: "<svg>" },
      { ...progress, phase: "x" },
      { ...progress, log: Array(31).fill(log[0]) },
    ])
      expect((await agent.send("POST", "/jobs/progress", { jobId, fence, progress: wrong })).status).toBe(400);
    await agent.report(reportOf(job!));
    expect(read(await shown())).toContain("passed");
    expect((await agent.send("POST", "/jobs/progress", { jobId, fence, progress })).status).toBe(204);
    const ended = await owner.get(`/test-sessions/${session}`);
    expect([ended.headers.get("refresh"), ended.text.includes("data:image/jpeg")]).toEqual([null, false]);
  });

  it("alert with the step that failed, and with where its page is seen", async () => {
    await using service = await receiver();
    const channel = { type: "WEBHOOK", config: { name: "hook", url: service.url } };
    const { id: alertChannelId } = (await plane.call("POST", "/v1/alert-channels", { body: channel })).body;
    const [error] = checkDetails.BROWSER.errors;
    const failed = { ...checkDetails.BROWSER, errors: [{ ...error!, screenshot: "screenshot-1.png" }] };
    const passed = { ...checkDetails.BROWSER, errors: [], steps: [] };
    const subscribed = { alertChannelSubscriptions: [{ alertChannelId, activated: true }] };
    const body = { name: "shop", script: "1", locations: ["eu-west-1"], frequency: 1440, ...subscribed };
    const { id } = (await plane.call("POST", "/v1/checks/browser", { body })).body;
    for (const change of [{ detail: passed }, { detail: failed, hasFailures: true, errorMessage: "it broke" }, { detail: passed }]) {
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
      const [job] = await agent.lease(1, 5);
      await agent.report(reportOf(job!, change));
    }
    await eventually(async () => service.received.length === 2);
    const [failure, recovery] = service.received.map(({ body: text }) => JSON.parse(text));
    expect(failure).toMatchObject({
      ALERT_TYPE: "ALERT_FAILURE",
      FAILED_STEP: "order a book",
      SCREENSHOT_LINK: `${failure.RESULT_LINK}#screenshot`,
    });
    expect(recovery).toMatchObject({ ALERT_TYPE: "ALERT_RECOVERY", FAILED_STEP: "", SCREENSHOT_LINK: "" });
    expect((await owner.get(new URL(failure.RESULT_LINK).pathname)).text).toContain('<div id="screenshot">');
  });

  it("run by schedule without telling anybody", async () => {
    const body = { name: "shop", script: "1", locations: ["eu-west-1"], frequency: 1440 };
    const { id } = (await plane.call("POST", "/v1/checks/browser", { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    expect(job?.payload.isWatched).toBeUndefined();
  });

  it.each([
    ["BROWSER", "sign-in", "getByLabel"],
    ["MULTI_STEP", "token", "client_credentials"],
  ])("let a new check of type %s begin with a typical journey", async (type, template, words) => {
    const plain = await owner.get(`/checks/new?type=${type}`);
    expect(plain.text).toContain(`href="/checks/new?type=${type}&amp;template=${template}"`);
    expect(plain.text).not.toContain(words);
    expect((await owner.get(`/checks/new?type=${type}&template=${template}`)).text).toContain(words);
    expect((await owner.get(`/checks/new?type=${type}&template=constructor`)).status).toBe(200);
  });
});
