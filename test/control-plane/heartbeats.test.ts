import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTexts } from "../../src/check-texts.ts";
import { ensureSetup } from "../../src/control-plane/accounts/setup.ts";
import { readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { createControlPlane } from "../../src/control-plane/control-plane.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { type Answer, call } from "./call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";

const hour = 3_600_000;
const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("heartbeats on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest({ RATE_LIMIT_PINGS: "20/3600", ...(url !== undefined && { DATABASE_URL: url }) });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const hourly = { period: 1, periodUnit: "hours", grace: 10, graceUnit: "minutes" };
  const create = (changes: object = {}): Promise<Answer> =>
    plane.call("POST", "/v1/checks/heartbeat", { body: { name: "backup", heartbeat: hourly, ...changes } });
  const change = (id: string, body: object): Promise<Answer> => plane.call("PUT", `/v1/checks/heartbeat/${id}`, { body });
  const ping = (url: string, init: RequestInit = {}): Promise<Response> => fetch(url, init);
  const events = async (id: string) => (await plane.call("GET", `/v1/checks/heartbeats/${id}/events`)).body[0];
  const states = async (id: string): Promise<string[]> => (await events(id)).events.map(({ state }: { state: string }) => state);

  it("are created with an address of their own, read in every version, and changed in part", async () => {
    const { status, body } = await create({ tags: ["nightly"], frequency: 5, script: 7, request: null, locations: ["eu-west-1"] });
    expect(status).toBe(201);
    const { pingToken } = body.heartbeat;
    expect(body).toMatchObject({
      checkType: "HEARTBEAT",
      heartbeat: { ...hourly, pingUrl: `${plane.base}/ping/${pingToken}` },
      locations: [],
    });
    for (const ignored of ["frequency", "frequencyOffset", "script", "request", "doubleCheck"]) expect(body).not.toHaveProperty(ignored);
    for (const version of ["v1", "v2", "v3"]) {
      expect((await plane.call("GET", `/${version}/checks/${body.id}`)).body.heartbeat).toEqual(body.heartbeat);
      const listed = (await plane.call("GET", `/${version}/checks?checkType=HEARTBEAT&tag=nightly`)).body;
      expect(listed).toMatchObject([{ id: body.id, heartbeat: body.heartbeat }]);
    }
    const times = { period: 2, periodUnit: "days", grace: 0, graceUnit: "seconds" };
    const changed = await change(body.id, { heartbeat: { ...times, pingToken: null } });
    expect(changed.body.heartbeat).toEqual({ ...body.heartbeat, ...times });
    expect((await change(body.id, body)).body.heartbeat).toEqual(body.heartbeat);
    const moved = (await change(body.id, { heartbeat: { ...hourly, pingToken: "my-own-backup-token" } })).body.heartbeat;
    expect(moved.pingUrl).toBe(`${plane.base}/ping/my-own-backup-token`);
    expect((await ping(body.heartbeat.pingUrl)).status).toBe(404);
    expect((await ping(moved.pingUrl)).status).toBe(200);
    const taken = await create({ heartbeat: { ...hourly, pingToken: "my-own-backup-token" } });
    expect([taken.status, taken.body.message]).toEqual([409, expect.stringContaining("heartbeat.pingToken")]);
    expect(taken.text).not.toContain("my-own-backup-token");
  });

  it.each<[string, object | undefined, string]>([
    ["a short period", { ...hourly, period: 29, periodUnit: "seconds" }, "heartbeat.period"],
    ["a long period", { ...hourly, period: 366, periodUnit: "days" }, "heartbeat.period"],
    ["a negative grace", { ...hourly, grace: -1 }, "heartbeat.grace"],
    ["a long grace", { ...hourly, grace: 366, graceUnit: "days" }, "heartbeat.grace"],
    ["an unknown unit", { ...hourly, graceUnit: "weeks" }, "heartbeat.graceUnit"],
    ["a token that can be guessed", { ...hourly, pingToken: "short" }, "heartbeat.pingToken"],
    ["a token that is a path", { ...hourly, pingToken: "../../../v1/checks/" }, "heartbeat.pingToken"],
    ["no times", undefined, "heartbeat"],
  ])("refuse %s, naming the field", async (_case, heartbeat, path) => {
    const { status, body } = await create({ heartbeat });
    expect([status, body.attributes.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
  });

  it("are pinged by GET, POST and HEAD, with any body, and remember who pinged", async () => {
    const { id, heartbeat } = (await create()).body;
    const { pingUrl: url } = heartbeat;
    const first = await ping(url, {
      headers: { origin: "https://jobs.example", referer: "https://other.example/", "user-agent": "backup/1" },
    });
    expect([first.status, await first.text()]).toEqual([200, "OK\n"]);
    const head = await ping(url, { method: "HEAD", headers: { referer: "https://cron.example/nightly" } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const form = await ping(url, { method: "POST", body: new URLSearchParams({ rows: "5" }) });
    const broken = await ping(url, { method: "POST", body: "{", headers: { "content-type": "application/json" } });
    const large = await ping(`${url}/`, { method: "POST", body: "x".repeat(3_000_000), headers: { "content-type": "text/plain" } });
    expect([form.status, broken.status, large.status]).toEqual([200, 200, 200]);
    const told = (await events(id)).events;
    expect(told.map(({ state }: { state: string }) => state)).toEqual(["EARLY", "EARLY", "EARLY", "EARLY", "RECEIVED"]);
    expect(told[4]).toMatchObject({ source: "https://jobs.example", userAgent: "backup/1" });
    expect(told[3]).toMatchObject({ source: "https://cron.example/nightly" });
    expect(told[2].source).toBeNull();
    const one = (await plane.call("GET", `/v1/checks/heartbeats/${id}/events/${told[3].id}`)).body;
    expect(one.event).toEqual(told[3]);
    expect(one.stats.last24Hours).toEqual({ successRatio: { currentPeriod: 100 }, totalEntitiesCurrentPeriod: 5 });
  });

  it("answer 404 for what is no token, and 429 to a job that pings too often", async () => {
    for (const path of ["/ping/no-such-token-here", "/ping/x", "/ping/%F0%9F%92%A5", `/ping/${"t".repeat(250)}`]) {
      expect((await plane.call("GET", path)).status).toBe(404);
    }
    const { heartbeat } = (await create()).body;
    const answers = await Promise.all(Array.from({ length: 25 }, () => ping(heartbeat.pingUrl)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const limited = answers.find(({ status }) => status === 429);
    expect(Number(limited?.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("alert when nothing comes by period and grace, and recover with the next ping", async () => {
    const { id, heartbeat } = (await create()).body;
    const status = () => plane.call("GET", `/v1/check-statuses/${id}`);
    expect((await status()).status).toBe(404);
    await ping(heartbeat.pingUrl);
    expect((await status()).body).toMatchObject({ checkId: id, hasFailures: false, lastRunLocation: null, longestRun: null });
    plane.advance(hour + 10 * 60_000);
    await eventually(async () => (await states(id))[0] === "FAILING");
    expect((await status()).body).toMatchObject({ hasFailures: true, isDegraded: false });
    const failing = (await plane.call("GET", "/v1/checks?status=failing&checkType=HEARTBEAT&limit=100")).body;
    expect(failing.map((check: { id: string }) => check.id)).toContain(id);
    await ping(heartbeat.pingUrl);
    expect(await states(id)).toEqual(["LATE", "FAILING", "RECEIVED"]);
    expect((await status()).body).toMatchObject({ hasFailures: false });
    const availability = (await plane.call("GET", `/v1/checks/heartbeats/${id}/availability`)).body;
    expect(availability).toEqual({ successRatio: { currentPeriod: expect.closeTo(66.67, 1) }, totalEntitiesCurrentPeriod: 3 });
  });

  it("are not pinged by alerts, which would make a missed one recover while nothing runs", async () => {
    const { body } = await create();
    const config = { name: "loop", url: body.heartbeat.pingUrl };
    const channel = await plane.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config } });
    const tried = await plane.call("POST", `/v1/alert-channels/${channel.body.id}/test`);
    expect(tried.body).toMatchObject({ status: "FAILURE", notificationResult: expect.stringMatching(/^400\b/) as unknown });
    const refused = await ping(body.heartbeat.pingUrl, { method: "POST", headers: { "x-service-delivery-id": "of another Outpost" } });
    expect(refused.status).toBe(400);
    expect(await states(body.id)).toEqual([]);
  });

  it("forget what they waited for when they are deactivated", async () => {
    const { id, heartbeat } = (await create()).body;
    await ping(heartbeat.pingUrl);
    await change(id, { activated: false });
    expect((await ping(heartbeat.pingUrl)).status).toBe(200);
    expect((await plane.call("GET", `/v1/check-statuses/${id}`)).status).toBe(404);
    await change(id, { activated: true });
    await ping(heartbeat.pingUrl);
    expect(await states(id)).toEqual(["RECEIVED", "RECEIVED"]);
  });

  it("are stopped by their group, which lends them no location", async () => {
    const group = (changes: object) => ({ name: "jobs", locations: ["eu-west-1"], ...changes });
    const { body: owner } = await plane.call("POST", "/v2/check-groups", { body: group({}) });
    const { id, heartbeat } = (await create({ groupId: owner.id })).body;
    await ping(heartbeat.pingUrl);
    await plane.call("PUT", `/v2/check-groups/${owner.id}`, { body: group({ activated: false }) });
    await ping(heartbeat.pingUrl);
    expect((await plane.call("GET", `/v1/check-statuses/${id}`)).status).toBe(404);
    await plane.call("PUT", `/v2/check-groups/${owner.id}`, { body: group({}) });
    await ping(heartbeat.pingUrl);
    expect(await states(id)).toEqual(["RECEIVED", "RECEIVED"]);
    const shown = (await plane.call("GET", `/v1/checks/${id}?applyGroupSettings=true`)).body;
    expect(shown).toMatchObject({ locations: [], heartbeat });
    const foreign = await create({ groupId: 999_999 });
    expect([foreign.status, foreign.body.message]).toEqual([400, expect.stringContaining("groupId")]);
  });

  it("tell of a window, and of nothing where there was nothing", async () => {
    const { id, heartbeat } = (await create()).body;
    const availability = (query = "") => plane.call("GET", `/v1/checks/heartbeats/${id}/availability${query}`);
    expect((await availability()).body).toBeNull();
    expect(await events(id)).toEqual({ events: [], stats: { last24Hours: null, last7Days: null } });
    await ping(heartbeat.pingUrl);
    const { events: told, stats } = await events(id);
    expect(stats.last7Days).toEqual({ successRatio: { currentPeriod: 100 }, totalEntitiesCurrentPeriod: 1 });
    const at = told[0].timestamp;
    const list = async (query: string) => (await plane.call("GET", `/v1/checks/heartbeats/${id}/events?${query}`)).body[0].events;
    expect(await list(`startTime=${at}`)).toEqual(told);
    expect(await list(`endTime=${at}`)).toEqual([]);
    expect(await list("startTime=2020-01-01&endTime=2020-01-02&limit=1")).toEqual([]);
    const beforeIt = new Date(Date.parse(at) + hour).toISOString();
    const after = await availability(`?startTime=${beforeIt}&endTime=${new Date(Date.parse(beforeIt) + 2 * hour).toISOString()}`);
    expect(after.body).toBeNull();
    for (const [query, path] of [
      ["startTime=2020-01-02&endTime=2020-01-01", "startTime"],
      ["startTime=soon", "startTime"],
      ["limit=11", "limit"],
    ]) {
      const refused = await plane.call("GET", `/v1/checks/heartbeats/${id}/events?${query}`);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(path ?? "")]);
    }
  });

  it("run nowhere: no session, and no trigger reaches them", async () => {
    const { id } = (await create({ tags: ["untriggered"] })).body;
    const body = { target: { matchTags: [["untriggered"]] } };
    expect((await plane.call("POST", "/v1/check-sessions/trigger", { body })).status).toBe(404);
    expect((await plane.call("GET", `/v1/check-results/${id}`)).body).toEqual([]);
  });

  it("belong to their account, and to no other type of check", async () => {
    const { id, heartbeat } = (await create()).body;
    await ping(heartbeat.pingUrl);
    const event = (await events(id)).events[0].id;
    const foreign = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", foreign.id);
    for (const path of ["events", `events/${event}`, "availability"]) {
      expect((await plane.call("GET", `/v1/checks/heartbeats/${id}/${path}`, { key })).status).toBe(404);
    }
    expect((await plane.call("PUT", `/v1/checks/url/${id}`, { body: {} })).status).toBe(404);
    expect((await plane.call("GET", `/v1/checks/heartbeats/${id}/events/${crypto.randomUUID()}`)).status).toBe(404);
    expect((await plane.call("DELETE", `/v1/checks/${id}`)).status).toBe(204);
    expect((await ping(heartbeat.pingUrl)).status).toBe(404);
    expect((await plane.call("GET", `/v1/checks/heartbeats/${id}/events`)).status).toBe(404);
  });
});

describe("a host of its own for pings", () => {
  it("takes the token alone, and nothing else than that host does", async () => {
    await using plane = await controlPlaneUnderTest({ PING_URL: "https://ping.example/", RATE_LIMIT_UNKNOWN_PINGS: "2/3600" });
    const body = { name: "backup", heartbeat: { period: 1, periodUnit: "hours", grace: 0, graceUnit: "hours" } };
    const { heartbeat } = (await plane.call("POST", "/v1/checks/heartbeat", { body })).body;
    expect(heartbeat.pingUrl).toBe(`https://ping.example/${heartbeat.pingToken}`);
    const get = (path: string, host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(plane.base);
        request({ hostname, port, path, headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .once("error", reject)
          .end();
      });
    expect(await get(`/${heartbeat.pingToken}`, "ping.example")).toBe(200);
    expect(await get(`/${heartbeat.pingToken}`, "PING.example:8443")).toBe(200);
    expect(await get(`/${heartbeat.pingToken}`, "www.example")).toBe(404);
    expect(await get(`/ping/${heartbeat.pingToken}`, "www.example")).toBe(200);
    expect(await get("/health", "ping.example")).not.toBe(404);
    expect(await get("/no-such-token", "ping.example")).toBe(404);
    expect(await get("/no-such-token", "ping.example")).toBe(404);
    expect(await get("/no-such-token", "ping.example")).toBe(429);
    expect(await get(`/${heartbeat.pingToken}`, "ping.example")).toBe(200);
  });
});

describe("a restart", () => {
  it("neither forgets a timer nor counts the time in which nobody could be pinged", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "outpost-heartbeats-"));
    const config = readControlPlaneConfig({ DATA_DIR: dataDir, PORT: "0" });
    let now = Date.UTC(2026, 10, 20, 12);
    const logLines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void logLines.push(line) });
    const start = async () => {
      const controlPlane = await createControlPlane(config, { log, checkTexts, nowMs: () => now });
      await controlPlane.start();
      const { account, serviceKey } = await ensureSetup({ storage: controlPlane.storage, hashOf: controlPlane.hashOf, nowMs: () => now });
      const base = controlPlane.address() ?? "";
      return { controlPlane, account, serviceKey, ping: (token: string) => fetch(`${base}/ping/${token}`), base };
    };
    const before = await start();
    const body = {
      name: "backup",
      heartbeat: { period: 1, periodUnit: "hours", grace: 0, graceUnit: "hours", pingToken: "restarted-backup-job" },
    };
    const { body: check } = await call(before.base, "POST", "/v1/checks/heartbeat", { key: before.serviceKey ?? "", body });
    await before.ping("restarted-backup-job");
    await before.controlPlane.stop(AbortSignal.timeout(5_000));
    now += 10 * hour;
    const { controlPlane } = await start();
    const { heartbeats, checks } = controlPlane.storage;
    const { id } = (await checks.byUuid(before.account.id, check.id)) ?? { id: 0 };
    const alerts = async () => (await heartbeats.availability([id], { fromMs: 0, toMs: now + 1 }))[0]?.alerts;
    const outage = await eventually(async () => logLines.find((line) => line.includes("not checked for a while")));
    expect(JSON.parse(outage)).toMatchObject({ outageMs: 10 * hour });
    expect(await heartbeats.sweep(now, 10)).toBe(0);
    expect(await alerts()).toBe(0);
    now += hour;
    await eventually(async () => (await alerts()) === 1);
    await controlPlane.stop(AbortSignal.timeout(5_000));
    await rm(dataDir, { recursive: true, force: true });
  });
});
