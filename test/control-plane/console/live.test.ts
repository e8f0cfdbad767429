import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually, quietMoment } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import { type Browser, browser } from "./browser.ts";
import { type EventStream, eventStream } from "./event-stream.ts";
import { evil, keyHolder, stranger } from "./key-holder.ts";

describe("pages that are open", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let agent: FakeAgent;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest({}, quietMoment());
    owner = await keyHolder(plane, plane.ownerKey);
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const make = async (changes: object = {}): Promise<string> =>
    (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id;
  const open = (path: string, by = owner): Promise<EventStream> => eventStream(plane.base, by, path);
  async function run(checkId: string, changes: object = {}): Promise<void> {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    const [answer] = await agent.report(reportOf(job!, changes));
    expect(answer).toMatchObject({ outcome: "accepted" });
  }
  const down = { hasFailures: true, errorMessage: "expected status 200, got 503" };

  it("hear of a list what stands otherwise, in its order, once it happens", async () => {
    const [ant, bee] = [await make({ name: "Ant" }), await make({ name: evil })];
    await run(ant);
    await using stream = await open("/live/checks");
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers.get("x-accel-buffering")).toBe("no");
    expect((await stream.next("order")).ids).toEqual([bee, ant]);
    expect(await stream.next("counters")).toMatchObject({ failing: 0 });
    await run(ant, down);
    const row = await stream.next("row");
    expect(row.id).toBe(ant);
    expect(row.html).toMatch(/^<li class="bad" data-id/);
    expect((await stream.next("order")).ids).toEqual([ant, bee]);
    expect(await stream.next("counters")).toMatchObject({ failing: 1 });
    await run(bee);
    const other = await stream.next("row");
    expect(other.id).toBe(bee);
    expect(other.html).not.toContain("<img");
    // The page itself shows the very same.
    const { text } = await owner.get("/checks");
    expect(text).toContain(other.html.slice(0, other.html.indexOf('<p class="last">')));
  });

  it("hear that maintenance began and ended, though nothing ran meanwhile, and nothing twice", async () => {
    const id = await make();
    await run(id);
    const version = /data-version="([^"]+)"/.exec((await owner.get("/checks")).text)?.[1] ?? "";
    await using stream = await open(`/live/checks?has=${version}`);
    await stream.next("counters"); // the row of the page is as it is here
    const nowMs = plane.context.nowMs();
    const [startsAt, endsAt] = [nowMs, nowMs + 300_000].map((ms) => new Date(ms).toISOString());
    const window = { name: "Patching", startsAt, endsAt, repeatUnit: "", pauseAllChecks: true };
    await plane.call("POST", "/v1/maintenance-windows", { body: window });
    plane.advance(10_000);
    const begun = await stream.next("row");
    expect(begun.html).toContain("(Patching: no runs)");
    plane.advance(300_000);
    const over = await stream.next("row");
    expect(over.html).not.toContain("Patching");
    // By then no agent was heard of for five minutes.
    expect(over.html).toContain("no agent connected at");
    const { text } = await owner.get("/checks");
    expect(text).toContain(over.html.slice(0, over.html.indexOf('<p class="last">')));
  });

  it("leave room for others, however many one person opens at once and by however many sign-ins", async () => {
    const again = await keyHolder(plane, plane.ownerKey);
    const refused = await Promise.all([owner, again].map((by) => eventStream(plane.base, by, "/live/checks/nothing")));
    expect(refused.map(({ status }) => status)).toEqual([404, 404]); // and their seats are free again
    const streams = await Promise.all(Array.from({ length: 51 }, (_, n) => open("/live/checks", n % 2 === 0 ? owner : again)));
    expect(streams.map(({ status }) => status).toSorted((a, b) => b - a)).toEqual([503, ...Array(50).fill(200)]);
    await using other = await open("/live/checks", await keyHolder(plane, await plane.keyFor("READ_ONLY")));
    expect([other.status, (await owner.get("/checks")).status]).toEqual([200, 200]);
    await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()));
    await eventually(async () => {
      await using next = await open("/live/checks");
      return next.status === 200;
    });
  });

  it("hear nothing of what they show already, and all of the rest when they come back", async () => {
    const [ant, bee] = [await make({ name: "Ant" }), await make({ name: "Bee" })];
    for (const id of [ant, bee]) await run(id);
    const versions = async (): Promise<string> =>
      [...(await owner.get("/checks")).text.matchAll(/data-version="([^"]+)"/g)].map(([, version]) => version).join(".");
    const has = await versions();
    await run(bee, down);
    await using stream = await open(`/live/checks?has=${has}`);
    expect((await stream.next("row")).id).toBe(bee);
    await using again = await open(`/live/checks?has=${await versions()}`);
    await run(ant, down);
    expect((await again.next("row")).id).toBe(ant);
  });

  it("hear of checks that are made and renamed, and of those only that the address asks for", async () => {
    await make({ name: "Shop", tags: ["shop"] });
    await using stream = await open("/live/checks?tag=shop");
    expect((await stream.next("order")).ids).toHaveLength(1);
    await make({ name: "Other" });
    const made = await make({ name: "Another shop", tags: ["shop"] });
    plane.advance(11_000);
    const row = await stream.next("row");
    expect(row.id).toBe(made);
    expect((await stream.next("order")).ids).toHaveLength(2);
  });

  it("hear of their own account only", async () => {
    const id = await make();
    const other = await stranger(plane);
    await using stream = await open("/live/checks", other);
    await using own = await open("/live/checks");
    expect((await stream.next("order")).ids).toEqual([]);
    expect((await own.next("order")).ids).toEqual([id]);
    expect((await open(`/live/checks/${id}`, other)).status).toBe(404);
    expect((await open("/live/checks", browser(plane.base))).status).toBe(401);
    expect((await eventStream(plane.base, owner, "/live/checks", { "sec-fetch-site": "cross-site" })).status).toBe(403);
  });

  it("end with the sign-in", async () => {
    await using stream = await open("/live/checks");
    await using other = await open("/live/checks", await keyHolder(plane, plane.ownerKey));
    await stream.next("order");
    await owner.get("/checks");
    await owner.post("/sign-out");
    await stream.ended();
    await make();
    plane.advance(11_000);
    expect((await other.next("row")).id).toBeDefined();
  });

  it("end at once when the control plane stops", async () => {
    await using stream = await open("/live/checks");
    await stream.next("order");
    const stopped = plane.controlPlane.stop(AbortSignal.timeout(20_000));
    await expect(stream.ended()).resolves.toBeUndefined();
    await stopped;
  });

  it("hear of a check its new runs, and of a run that was started here how it goes", async () => {
    const id = await make();
    const page = await owner.get(`/checks/${id}`);
    expect(page.text).toContain(`data-address="/live/checks/${id}?range=1h"`);
    const started = await owner.post(`/checks/${id}/run`, {}, { accept: "application/json" });
    const { run: session, html } = JSON.parse(started.text);
    expect(html).toContain("Waiting for an agent");
    await using stream = await open(`/live/checks/${id}?run=${session}`);
    expect((await stream.next("run")).html).toContain("Waiting for an agent");
    const [job] = await agent.lease(1, 5);
    await agent.heartbeat([job!]);
    expect((await stream.next("run")).html).toContain("Running at one location");
    await agent.report(reportOf(job!, down));
    await using again = await open(`/live/checks/${id}?run=${session}`);
    const ended = await eventually(async () => {
      const event = await stream.next("run");
      return event.isOver ? event : undefined;
    });
    expect(ended.html).toContain("got 503");
    expect(await again.next("runs")).toMatchObject({ rows: [{ html: expect.stringContaining("got 503") }] });
    expect((await open(`/live/checks/${await make()}?run=${crypto.randomUUID()}`)).status).toBe(404);
  });

  it("hear of a check its figures and charts, which take in what came, and not more often than somebody can read", async () => {
    const id = await make();
    await run(id, { responseTimeMs: 100 });
    const at = async (path = ""): Promise<string> => {
      const [, shown = ""] = /id="measured" data-at="(\d+)"/.exec((await owner.get(`/checks/${id}${path}`)).text) ?? [];
      return shown;
    };
    await using stream = await open(`/live/checks/${id}?range=24h&at=${await at()}`);
    await using hour = await open(`/live/checks/${id}?range=1h&location=eu-west-1&at=${await at("?range=1h")}`);
    await stream.next("runs");
    await run(id, { ...down, responseTimeMs: 300 });
    expect((await stream.next("runs")).rows).toHaveLength(2);
    plane.advance(10_000);
    // Where a machine takes ten seconds for the above, they come without the second run before.
    const news = await eventually(async () => {
      const event = await stream.next("measured");
      return event.measured.includes("<dt>Availability</dt><dd>50 %</dd>") && event;
    });
    expect(news.told).toContain("expected status 200, got 503");
    // The page shows the very same.
    const { text } = await owner.get(`/checks/${id}`);
    expect(text).toContain(news.told);
    expect(text).toContain(/<dl class="figures">.*<\/dl>/.exec(news.measured)?.[0]);
    expect((await hour.next("measured")).measured).toContain('data-series="[[[');
    // Who comes back hears at once what there is by now.
    await using again = await open(`/live/checks/${id}?range=24h&at=${plane.context.nowMs() - 3_600_000}`);
    expect((await again.next("measured")).measured).toContain("50 %");
  });

  it("hear nothing of a time that has an end", async () => {
    const id = await make();
    const { text } = await owner.get(`/checks/${id}?from=${plane.context.nowMs() - 3_600_000}`);
    expect(text).toContain("data-at=");
    expect(text).not.toContain("data-address");
  });

  it("hear of a heartbeat its pings, and how it stands", async () => {
    const heartbeat = { period: 1, periodUnit: "hours", grace: 10, graceUnit: "minutes" };
    const { body } = await plane.call("POST", "/v1/checks/heartbeat", { body: { name: "Backup", heartbeat } });
    await using stream = await open(`/live/checks/${body.id}?range=24h&at=${plane.context.nowMs()}`);
    await fetch(body.heartbeat.pingUrl);
    plane.advance(11_000);
    const { measured, state } = await stream.next("measured");
    expect(measured).toContain("<dt>Pings</dt><dd>1</dd>");
    expect(state).toContain("pinged");
    expect((await plane.call("GET", "/metrics", { key: undefined })).text).toContain("outpost_console_open_pages 1\n");
  });

  it.each([
    ["the owner", ["OWNER", "READ_ONLY"]],
    ["the reader", ["READ_ONLY", "OWNER"]],
  ] as const)("tell the address of pings to the owner alone, where %s came first", async (_who, order) => {
    const heartbeat = { period: 1, periodUnit: "hours", grace: 10, graceUnit: "minutes" };
    const { body } = await plane.call("POST", "/v1/checks/heartbeat", { body: { name: "Backup", heartbeat } });
    const told: Record<string, string> = {};
    const streams: (readonly [string, EventStream])[] = [];
    for (const role of order) {
      const by = role === "OWNER" ? owner : await keyHolder(plane, await plane.keyFor(role));
      streams.push([role, await open(`/live/checks/${body.id}?range=24h&at=${plane.context.nowMs()}`, by)]);
    }
    await fetch(body.heartbeat.pingUrl);
    plane.advance(11_000);
    for (const [role, stream] of streams) {
      told[role] = String((await stream.next("measured")).measured);
      await stream[Symbol.asyncDispose]();
    }
    const token = body.heartbeat.pingUrl.split("/").at(-1);
    expect(told["OWNER"]).toContain(token);
    expect(told["READ_ONLY"]).not.toContain(token);
  });
});
