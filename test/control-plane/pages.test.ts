import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "#contract/operations.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";

describe("pages of the control plane", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const get = (path: string) => plane.call("GET", path, { key: undefined });

  it("describe the API for machines", async () => {
    const { status, body, headers } = await get("/openapi.json");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("application/json");
    expect(body).toMatchObject({ openapi: "3.1.0", servers: [{ url: plane.base }] });
    expect(Object.keys(body.paths)).toContain("/v1/checks/api");
  });

  it("describe every operation for people, each with an anchor that its links reach", async () => {
    const { text } = await get("/docs");
    for (const { id } of operations) expect(text).toContain(`<article id="${id}">`);
    const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const dangling = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target).filter((target) => !anchors.has(target));
    expect([...new Set(dangling)]).toEqual([]);
    expect(text).toContain("curl -X POST");
  });

  it("tell a person who asks for what is not there on a page, a program in JSON", async () => {
    const asked = await fetch(`${plane.base}/nothing/<b>here</b>`, { headers: { accept: "text/html,*/*;q=0.8" } });
    expect([asked.status, asked.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const page = await asked.text();
    expect(page).toContain("<h1>Page not found</h1>");
    expect(page).not.toContain("<b>");
    expect((await get("/nothing")).body).toMatchObject({ statusCode: 404, message: "There is no GET /nothing" });
  });

  it.each(["/", "/docs", "/docs/guide", "/docs/guide/console", "/docs/guide/search?q=proxy"])(
    "%s runs no script and loads nothing, and its policy says so",
    async (path) => {
      const { text, headers } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
      expect(text).not.toMatch(/<script| style=| on\w+=|src="http|@import/);
    },
  );

  it("tell the examples of the reference so that they work", async () => {
    const { text } = await get("/docs");
    const example = /<article id="createUrlCheck">[\s\S]*?-d &#39;([\s\S]*?)&#39;<\/code>/.exec(text)?.[1]?.replaceAll("&quot;", '"') ?? "";
    expect((await plane.call("POST", "/v1/checks/url", { body: JSON.parse(example) })).status).toBe(201);
  });

  it("tell how the process does", async () => {
    expect((await get("/health")).body).toMatchObject({ status: "ok", store: "ok" });
    expect((await get("/-/liveness")).status).toBe(200);
    expect((await get("/-/readiness")).status).toBe(200);
    const { text, headers } = await get("/metrics");
    expect(headers.get("content-type")).toContain("text/plain");
    for (const name of [
      "outpost_http_request_duration_seconds_bucket",
      "outpost_schedule_lag_seconds_sum",
      '\noutpost_gap_slots_total{reason="clock_jump"} 0\n',
      "\noutpost_jobs_queued 0\n",
      "process_cpu_seconds_total",
    ]) {
      expect(text).toContain(name);
    }
  });
});

describe("a control plane that stops", () => {
  it("says 503 to readiness, ends long polls and closes", async () => {
    const plane = await controlPlaneUnderTest();
    const { body } = await plane.call("POST", "/v1/checks/api", {
      body: { name: "a", locations: ["eu-west-1"], frequency: 1440, request: { method: "GET", url: "http://a/" } },
    });
    const {
      body: {
        sessions: [session],
      },
    } = await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: body.id } } });
    const poll = plane.call("GET", `/v1/check-sessions/${session.checkSessionId}/completion`);
    await plane.call("GET", "/health");
    await plane[Symbol.asyncDispose]();
    expect((await poll).status).toBe(408);
    await expect(plane.call("GET", "/health")).rejects.toThrow("fetch failed");
    await plane.controlPlane.stop(AbortSignal.timeout(100));
  });

  it("counts requests against the limits that the settings give", async () => {
    await using plane = await controlPlaneUnderTest({ RATE_LIMIT_STANDARD: "3/60", RATE_LIMIT_RESULTS: "1/60" });
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await plane.call("GET", "/v1/checks")).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const missing = "/v2/check-results/00000000-0000-4000-8000-000000000000";
    expect([(await plane.call("GET", missing)).status, (await plane.call("GET", missing)).status]).toEqual([404, 429]);
    plane.advance(60_001);
    expect((await plane.call("GET", "/v1/checks")).status).toBe(200);
  });
});
