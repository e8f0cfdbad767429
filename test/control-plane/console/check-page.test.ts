import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually, quietMoment } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner } from "./people.ts";

const checkTypes = ["API", "TCP", "DNS", "ICMP", "SSL", "URL", "GRPC", "TRACEROUTE"];

describe("the page of a check", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest({}, quietMoment());
    owner = await firstOwner(plane);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  /** Runs a check once at each of these locations. */
  async function run(path: string, check: object, places: Readonly<Record<string, object>>): Promise<string> {
    const names = Object.keys(places);
    const made = await plane.call("POST", path, { body: { ...check, locations: names } });
    expect(made.status).toBeLessThan(300);
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: made.body.id } } });
    for (const [name, changes] of Object.entries(places)) {
      const agent = await FakeAgent.open(plane.base, await plane.locationKey(name), { checkTypes });
      const [job] = await agent.lease(1, 5);
      await agent.report(reportOf(job!, changes));
    }
    return made.body.id;
  }

  const drawn = (text: string, title: string): string =>
    new RegExp(`<figure [^>]*>\\s*<figcaption>${title} [^]*?</figure>`).exec(text)?.[0] ?? "";
  const series = (figure: string): unknown => JSON.parse(/data-series="([^"]*)"/.exec(figure)?.[1] ?? "null");
  const cells = (text: string): readonly string[] =>
    [...(/<table class="numbers over">[^]*?<\/table>/.exec(text)?.[0] ?? "").matchAll(/<td>([^<]+)<\/td>/g)].map(([, cell]) => cell ?? "");

  it("draws bands, availability and phases of each location, and has the same in a table", async () => {
    const id = await run("/v1/checks/api", apiCheck(), {
      "eu-west-1": { responseTimeMs: 120 },
      "us-east-1": { responseTimeMs: 40, hasFailures: true, errorMessage: "expected status 200, got 503" },
    });
    const { text } = await owner.get(`/checks/${id}`);
    const measured = (figure: string): unknown =>
      (series(figure) as number[][][]).map((line) => line.map((values) => values.filter((one) => one !== null)));
    expect(measured(drawn(text, "Response time"))).toEqual([
      [[120], [120], [120]],
      [[40], [40], [40]],
    ]);
    expect(measured(drawn(text, "Availability"))).toEqual([[[100]], [[0]]]);
    expect(measured(drawn(text, "Phases"))).toEqual([[[0.1]], [[1]], [[1]], [[0]], [[10]], [[0.4]]]);
    expect(cells(text)).toEqual([
      "100 %",
      "120 ms",
      "120 ms",
      "120 ms",
      "0 %",
      "40 ms",
      "40 ms",
      "40 ms",
      "0.1 ms",
      "1 ms",
      "1 ms",
      "0 ms",
      "10 ms",
      "0.4 ms",
    ]);
    expect(drawn(text, "Response time").match(/class="band b[01] s[01]"/g)).toHaveLength(4);
    expect(drawn(text, "Phases").match(/<path class="p\d"/g)).toHaveLength(6);
    expect(text).toMatch(/<span aria-hidden="true">Errors<\/span><svg role="img" aria-label="1 error in this range/);
  });

  it("shows times in which no run could begin, and why, beside what was measured and among the runs", async () => {
    const { body: check } = await plane.call("POST", "/v1/checks/api", { body: { ...apiCheck(), frequency: 0, frequencyOffset: 10 } });
    plane.advance(3_600_000);
    const [gap] = await eventually(async () => {
      const { body } = await plane.call("GET", `/v1/checks/${check.id}/gaps`);
      return body.length > 0 && body;
    });
    expect(gap).toMatchObject({ checkId: check.id, reason: "clock_jump", locations: ["eu-west-1"], runParallel: false });
    expect(Date.parse(gap.lastSlot) - Date.parse(gap.firstSlot)).toBe((gap.slots - 1) * 10_000);
    expect([358, 359, 360]).toContain(gap.slots);
    expect((await plane.call("GET", `/v1/checks/${check.id}/gaps?to=${Date.parse(gap.firstSlot)}`)).body).toEqual([]);
    const { text } = await owner.get(`/checks/${check.id}`);
    expect(text).toMatch(/<rect class="gap"[^>]*><title>[^<]* clock was set forward; 3\d\d slots<\/title>/);
    expect(text).toMatch(
      /Coverage: [^<]* of due runs were executed<[^]*<th scope="row">eu-west-1<\/th><td>3\d\d<\/td><td>0<\/td><td>\d<\/td><td>3\d\d<\/td>/,
    );
    expect(text).toMatch(/<tr class="gap"[^]*clock was set forward<\/td><\/tr>/);
    expect((await owner.get("/checks")).text).toMatch(
      /<g><title>[^<]*no run: the control plane&#39;s clock was set forward; \d+ slots<\/title>.*?<line class="gap"/,
    );
    expect((await plane.call("GET", "/metrics", { key: undefined })).text).toContain(
      `outpost_gap_slots_total{reason="clock_jump"} ${gap.slots}\n`,
    );
    expect(plane.logLines.filter((line) => line.includes("slots without a run as gaps"))).toHaveLength(1);
  });

  it("compares the locations that are chosen, and keeps them for another time", async () => {
    const id = await run("/v1/checks/api", apiCheck(), { "eu-west-1": {}, "us-east-1": {} });
    const { text } = await owner.get(`/checks/${id}?location=us-east-1&location=nowhere`);
    expect(series(drawn(text, "Response time"))).toHaveLength(1);
    expect(text).toContain('name="location" value="us-east-1" checked');
    expect(text).toContain('name="location" value="eu-west-1">');
    expect(text).toContain(`href="/checks/${id}?range=7d&amp;location=us-east-1&amp;location=nowhere"`);
    expect(text.match(/<td>us-east-1<\/td>/g)).toHaveLength(1);
  });

  it("shows any time that an address tells, with its runs", async () => {
    const id = await run("/v1/checks/api", apiCheck(), { "eu-west-1": {} });
    const hourAgo = plane.context.nowMs() - 3_600_000;
    const { text } = await owner.get(`/checks/${id}?from=${hourAgo}`);
    expect(text).toContain("<h2>Runs in this range</h2>");
    expect(text).toContain("Back to the last 24 hours");
    const before = await owner.get(`/checks/${id}?from=${hourAgo - 3_600_000}&to=${new Date(hourAgo).toISOString()}`);
    expect(before.status).toBe(200);
    expect(before.text).toContain("No measurements in this range.");
    expect(before.text).toContain("No runs in this range.");
  });

  it("says beside its field what is wrong with a time, and keeps what can be kept", async () => {
    const id = await run("/v1/checks/api", apiCheck(), { "eu-west-1": {} });
    for (const from of ["yesterday", evil, "-1", "2999-01-01T00:00"]) {
      const { status, text } = await owner.get(`/checks/${id}?from=${encodeURIComponent(from)}&to=2026-01-01T10:00`);
      expect([from, status]).toEqual([from, 400]);
      expect(text).toMatch(/<p class="problem" id="from-problem">(?:“[^”]+” is not a valid time|The start is in the future)/);
      expect(text).toContain('value="2026-01-01T10:00"');
      expect(text).toContain("<h2>Latest runs</h2>");
      expect(withoutOurScripts(text)).not.toMatch(/<img|<script/);
    }
  });

  it.each([
    { path: "/v1/checks/icmp", request: { hostname: "127.0.0.1" }, title: "Packet loss", value: "0 %" },
    {
      path: "/v1/checks/ssl",
      request: { sslConfig: { hostname: "127.0.0.1", port: 443 } },
      title: "Days until the certificate expires",
      value: "-3 days",
    },
    { path: "/v1/checks/tcp", request: { hostname: "127.0.0.1", port: 5432 }, title: "Phases", value: "3 ms" },
    { path: "/v1/checks/grpc", request: { url: "127.0.0.1", grpcConfig: { mode: "HEALTH" } }, title: "Phases", value: "3 ms" },
    { path: "/v1/checks/traceroute", request: { url: "127.0.0.1" }, title: "Hops to the target", value: "2 hops" },
    { path: "/v1/checks/traceroute", request: { url: "127.0.0.1" }, title: "Packet loss", value: "0 %" },
  ])("draws what a check of $path measures beside the time: $title", async ({ path, request, title, value }) => {
    const id = await run(path, { name: "One", request, frequency: 1440 }, { "eu-west-1": {} });
    const { text } = await owner.get(`/checks/${id}`);
    expect(drawn(text, title)).toContain('role="img"');
    expect(cells(text)).toContain(value);
  });

  it("shows of a heartbeat how punctual its pings are, and when the next one is due", async () => {
    const heartbeat = { period: 1, periodUnit: "hours", grace: 10, graceUnit: "minutes" };
    const { body } = await plane.call("POST", "/v1/checks/heartbeat", { body: { name: "Backup", heartbeat } });
    const shown = async (query = ""): Promise<string> => (await owner.get(`/checks/${body.id}${query}`)).text;
    const first = await shown();
    expect(first).toContain("no ping yet");
    expect(first).toContain("No pings in this range.");
    expect(first).not.toMatch(/It has not run yet|Run now/);
    const ping = (source: string): Promise<Response> => fetch(body.heartbeat.pingUrl, { headers: { referer: source, "user-agent": evil } });
    for (const minutes of [0, 58, 65, 200]) {
      plane.advance(minutes * 60_000);
      expect((await ping("http://jobs.example/x")).status).toBe(200);
    }
    const text = await shown();
    const figure = (name: string): string | undefined => new RegExp(`<dt>${name}</dt><dd>([^<]*)`).exec(text)?.[1];
    expect(["On time", "Pings", "In grace period", "Late", "Missed", "Longest delay"].map(figure)).toEqual([
      "80 %",
      "4",
      "1",
      "1",
      "1",
      "2 h 20 min",
    ]);
    expect(text).toContain("A ping is expected every 1 h, with a grace period of 10 min.");
    expect(text).toMatch(
      /<dt>Next ping due<\/dt><dd><time [^>]*>[^<]*, \d\d:\d\d:\d\d UTC<\/time> <span class="soft">with grace period, until <time [^>]*>[^<]*, \d\d:\d\d:\d\d UTC</,
    );
    expect(text).toMatch(/<path class="missed" d="M\d+ 0v200"/);
    const states = [...text.matchAll(/<tr><td><time[^]*?<\/svg>([^<]+)<\/span><\/td><td>([^<]+)<\/td><td>([^<]+)/g)].map(
      ([, ...cells]) => cells,
    );
    expect(states).toEqual([
      ["late, after an alert", "3 h 20 min", "2 h 20 min"],
      ["missed", "–", "–"],
      ["in grace period", "1 h 5 min", "5 min"],
      ["on time", "58 min", "–"],
      ["on time", "–", "–"],
    ]);
    expect(withoutOurScripts(text)).not.toMatch(/<img|<script/);
    plane.advance(80 * 60_000);
    expect(await shown("?range=1h")).toContain("overdue");
    await plane.call("PUT", `/v1/checks/heartbeat/${body.id}`, { body: { activated: false } });
    expect(await shown()).toContain("<dt>Next ping due</dt><dd>inactive");
  });
});
