import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkDetails } from "../../support/check-details.ts";
import type { Browser } from "../console/browser.ts";
import { firstOwner } from "../console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

const viewer = "https://traces.example.com";
const host = "traces.example.com";
const trace = Buffer.from("PK trace");

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

describe("the viewer of traces", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let locationKey: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ TRACE_VIEWER_URL: viewer, PUBLIC_URL: "http://outpost.example.com" });
    owner = await firstOwner(plane);
    locationKey = await plane.locationKey("eu-west-1");
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const get = (path: string, headers: Readonly<Record<string, string>> = { host }): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(plane.base);
      request({ hostname, port, path, headers }, async (answer) => {
        const text = Buffer.concat(await answer.toArray()).toString();
        resolve({ status: answer.statusCode, headers: answer.headers, text });
      })
        .once("error", reject)
        .end();
    });

  async function report(): Promise<void> {
    const able = { checkTypes: ["BROWSER"], runtimes: ["2026.04"], sandboxLevel: 2 };
    const agent = await FakeAgent.open(plane.base, locationKey, able); // sessions end when the clock moves
    const jobs = await agent.lease(10, 5); // of the schedule, too, where it comes in between
    const detail = { ...checkDetails.BROWSER, playwrightTestTraces: ["trace-1.zip", "gone.zip"] };
    const evidence = [{ name: "trace-1.zip", type: "log" as const, contentType: "application/zip", data: trace.toString("base64") }];
    expect(jobs.length).toBeGreaterThan(0);
    await agent.report(...jobs.map((job) => reportOf(job, { detail, evidence })));
  }

  async function resultOfCheck(): Promise<string> {
    const body = { name: "shop", script: "1", locations: ["eu-west-1"], frequency: 1440 };
    const { id } = (await plane.call("POST", "/v1/checks/browser", { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    await report();
    return `/checks/${id}/results/${(await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0].id}`;
  }

  async function resultOfTestSession(): Promise<string> {
    const body = { checkType: "BROWSER", name: "shop", script: "1" };
    const { testSessionId, results } = (await plane.call("POST", "/v1/checks/try?runLocation=eu-west-1", { body })).body;
    await report();
    return `/test-sessions/${testSessionId}/results/${results[0].testSessionResultId}`;
  }

  /** Where the trace is, as the viewer's address says it. */
  async function traceOf(result: string): Promise<URL> {
    const { status, location } = await owner.get(`${result}/files/trace-1.zip/viewer`);
    expect([status, location?.startsWith(`${viewer}/?trace=`)]).toEqual([303, true]);
    return new URL(new URL(location ?? "").searchParams.get("trace") ?? "");
  }

  it.each([
    ["a check", () => resultOfCheck()],
    ["a test session", () => resultOfTestSession()],
  ])("has a trace of %s for whoever is led there by its page, for a quarter of an hour", async (_of, resultOf) => {
    const result = await resultOf();
    const { text } = await owner.get(result);
    expect(text).toContain(`href="${result}/files/trace-1.zip/viewer" target="_blank" rel="noopener">Open trace</a>`);
    expect(text).not.toContain("gone.zip/viewer");
    const { origin, pathname, search } = await traceOf(result);
    expect([origin, pathname]).toEqual([viewer, "/traces/trace-1.zip"]);
    expect(await get(pathname + search)).toMatchObject({ status: 200, text: trace.toString() });
    expect((await get(pathname + search, { host: "outpost.example.com" })).status).toBe(404);
    expect((await get(pathname)).status).toBe(404);
    const [text64 = "", signature = ""] = search.slice("?token=".length).split(".");
    const other = Buffer.from(Buffer.from(text64, "base64url").toString().replace('"accountId":1', '"accountId":2')).toString("base64url");
    expect((await get(`${pathname}?token=${other}.${signature}`)).status).toBe(404);
    plane.advance(15 * 60_000 + 1);
    expect((await get(pathname + search)).status).toBe(404);
  });

  it("leads nobody there who is not signed in, and to no file that is not there", async () => {
    const result = await resultOfCheck();
    const { status, headers } = await get(`${result}/files/trace-1.zip/viewer`, { host: "outpost.example.com" });
    expect([status, headers["location"]]).toEqual([303, `/sign-in?to=${encodeURIComponent(`${result}/files/trace-1.zip/viewer`)}`]);
    expect((await owner.get(`${result}/files/gone.zip/viewer`)).status).toBe(404);
  });

  it("answers at its own name alone, and nothing else answers there", async () => {
    for (const path of [
      "/checks",
      "/sign-in",
      "/v1/checks",
      "/health",
      "/-/liveness",
      "/docs",
      "/live/checks",
      "/ping/x",
      "/agent/v1/sessions",
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    for (const path of ["/index.html", "/sw.bundle.js", "/snapshot.html"]) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
      expect([path, (await get(path, { host: "outpost.example.com" })).status]).toEqual([path, 404]);
    }
    for (const path of ["/uiMode.html", "/..%2fpackage.json", "/assets/..%2f..%2findex.html", "/%2e%2e/package.json", "/constructor"])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  it("comes packed, with a policy on each page and its worker, and keeps for good what never changes", async () => {
    const page = await get("/", { host: "Traces.example.com:8443", "accept-encoding": "gzip" });
    expect(page.headers).toMatchObject({
      "content-encoding": "gzip",
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
    });
    expect(page.headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[^;]+'; .*connect-src 'self' blob:/,
    );
    const { text, headers } = await get("/sw.bundle.js");
    expect(headers["content-security-policy"]).toBe("default-src 'none'; connect-src 'self' blob:");
    expect(text).toContain("content-security-policy");
    const [, script = ""] = /src="\.(\/index\.[^"]+\.js)"/.exec((await get("/")).text) ?? [];
    expect((await get(script)).headers["cache-control"]).toMatch(/immutable/);
  });

  it("is not there, and no page leads to it, where nobody set it up", async () => {
    await using plain = await controlPlaneUnderTest();
    const here = await firstOwner(plain);
    expect((await here.get("/checks/x/results/y/files/z/viewer")).status).toBe(404);
    expect((await here.get("/sw.bundle.js")).status).toBe(404);
  });
});
