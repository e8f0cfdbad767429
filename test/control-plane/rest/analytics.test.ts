import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkAnalytics } from "#contract/analytics.ts";
import { type AnalyticsPathName, analyticsPaths, metricsOf } from "#contract/analytics-metrics.ts";
import { isCheckType } from "#contract/checks/index.ts";
import { pageColumnOf } from "../../../src/control-plane/figures/analytics-columns.ts";
import { checkDetails } from "../../support/check-details.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type ReportedRun, reportRuns } from "./reported-runs.ts";

const minute = 60_000;
const hour = 60 * minute;
/** The hour in which the results lie; long enough ago that all of them are over. */
const noon = Math.floor(Date.now() / hour) * hour - 10 * hour;

describe("analytics", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ RATE_LIMIT_ANALYTICS: "100000/60", QUEUE_WAIT_SECONDS: "86400" });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const create = async (runs: readonly ReportedRun[], type = "api", body: object = apiCheck()): Promise<string> => {
    const answer = await plane.call("POST", `/v1/checks/${type}`, { body: { ...body, frequency: 1440, locations: ["eu-west-1"] } });
    expect(answer.text).toContain('"id"');
    await reportRuns(plane.context.storage, plane.account.id, answer.body.id, runs);
    return answer.body.id;
  };
  const ask = async (path: string, query: Record<string, unknown>) =>
    plane.call("GET", `/v1/analytics/${path}?${new URLSearchParams(query as Record<string, string>).toString()}`);
  const seconds = (ms: number): number => ms / 1_000;
  const overHours = (from: number, to: number) => ({ from: seconds(noon + from * hour), to: seconds(noon + to * hour) });

  it("tell one row over the whole window, with what the metrics measure", async () => {
    const id = await create([
      { atMs: noon + minute, responseTimeMs: 100, metrics: { wait: 1, dns: 2, tcp: 3, tls: 4, firstByte: 80, download: 10 } },
      { atMs: noon + 2 * minute, responseTimeMs: 200, retries: 2, metrics: { dns: 4 } },
      { atMs: noon + 3 * minute, responseTimeMs: 600, statusCode: 500, hasFailures: true },
      { atMs: noon + 4 * minute, responseTimeMs: 9_000, isCancelled: true, hasErrors: true },
      { atMs: noon + 2 * hour, responseTimeMs: 50 },
    ]);
    const metrics =
      "responseTime,responseTime_avg,responseTime_p50,responseTime_sum,responseTime_stddev,dns_max,tls_avg,availability,retries";
    const { status, body } = await ask(`api-checks/${id}`, { ...overHours(0, 1), metrics });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      checkId: id,
      name: "Front page",
      checkType: "API",
      activated: true,
      muted: false,
      frequency: 1440,
      tags: [],
      from: new Date(noon).toISOString(),
      to: new Date(noon + hour).toISOString(),
      pagination: { page: 1, limit: 10, total: 1 },
    });
    expect(body.series).toEqual([
      {
        data: [
          {
            responseTime: 300,
            responseTime_avg: 300,
            responseTime_p50: 200,
            responseTime_sum: 900,
            responseTime_stddev: expect.closeTo(216.0247, 3),
            dns_max: 4,
            tls_avg: 4,
            availability: expect.closeTo(66.6667, 3),
            retries: 2,
          },
        ],
      },
    ]);
    expect(body.metadata).toEqual({
      responseTime: { unit: "milliseconds", label: "Response time", aggregation: "avg" },
      responseTime_avg: { unit: "milliseconds", label: "Response time (avg)", aggregation: "avg" },
      responseTime_p50: { unit: "milliseconds", label: "Response time (p50)", aggregation: "p50" },
      responseTime_sum: { unit: "milliseconds", label: "Response time (sum)", aggregation: "sum" },
      responseTime_stddev: { unit: "milliseconds", label: "Response time (stddev)", aggregation: "stddev" },
      dns_max: { unit: "milliseconds", label: "DNS (max)", aggregation: "max" },
      tls_avg: { unit: "milliseconds", label: "TLS (avg)", aggregation: "avg" },
      availability: { unit: "percentage", label: "Availability" },
      retries: { unit: "count", label: "Retries" },
    });
  });

  it("tell a row for each bucket, nulls where nothing ran, and page over them", async () => {
    const id = await create([
      { atMs: noon + 10 * minute, responseTimeMs: 100 },
      { atMs: noon + 2 * hour + minute, responseTimeMs: 300, hasFailures: true },
    ]);
    const query = { ...overHours(0, 3), aggregationInterval: 60, metrics: "availability,retries,responseTime_max" };
    const rowAt = (hours: number, values: (number | null)[]) => ({
      time: new Date(noon + hours * hour).toISOString(),
      availability: values[0],
      retries: values[1],
      responseTime_max: values[2],
    });
    const whole = (await ask(`api-checks/${id}`, query)).body;
    expect(whole.series).toEqual([{ data: [rowAt(0, [100, 0, 100]), rowAt(1, [null, null, null]), rowAt(2, [0, 0, 300])] }]);
    const second = (await ask(`api-checks/${id}`, { ...query, limit: 2, page: 2 })).body;
    expect(second).toMatchObject({ series: [{ data: [rowAt(2, [0, 0, 300])] }], pagination: { page: 2, limit: 2, total: 3 } });
    expect((await ask(`api-checks/${id}`, { ...query, page: 99 })).body.series).toEqual([{ data: [] }]);
    const cut = (await ask(`api-checks/${id}`, { ...query, from: noon + 20 * minute })).body.series[0].data[0];
    expect(cut).toEqual(rowAt(0, [null, null, null]));
  });

  it("group by location and by status code, without a response time where nothing came", async () => {
    const id = await create([
      { atMs: noon + minute, responseTimeMs: 100 },
      { atMs: noon + 2 * minute, responseTimeMs: 300, location: "us-east-1" },
      { atMs: noon + 3 * minute, responseTimeMs: 500, statusCode: 503, hasFailures: true },
      { atMs: noon + 4 * minute, responseTimeMs: 0, statusCode: null, hasErrors: true },
    ]);
    const query = { ...overHours(0, 1), metrics: "availability,responseTime_avg" };
    expect((await ask(`api-checks/${id}`, { ...query, groupBy: "runLocation" })).body.series).toEqual([
      { runLocation: "eu-west-1", data: [{ availability: expect.closeTo(33.333, 3), responseTime_avg: 300 }] },
      { runLocation: "us-east-1", data: [{ availability: 100, responseTime_avg: 300 }] },
    ]);
    expect((await ask(`api-checks/${id}`, { ...query, groupBy: "statusCode" })).body.series).toEqual([
      { statusCode: 200, data: [{ availability: 100, responseTime_avg: 200 }] },
      { statusCode: 503, data: [{ availability: 0, responseTime_avg: 500 }] },
      { statusCode: null, data: [{ availability: 0, responseTime_avg: null }] },
    ]);
  });

  it("have a series for each group on every page, also where its buckets are empty", async () => {
    const id = await create([
      { atMs: noon + 2 * hour + minute, responseTimeMs: 100 },
      { atMs: noon + 2 * hour + 2 * minute, responseTimeMs: 300, location: "us-east-1" },
    ]);
    const query = { ...overHours(0, 3), aggregationInterval: 60, limit: 2, metrics: "availability" };
    const empty = [0, 1].map((hours) => ({ time: new Date(noon + hours * hour).toISOString(), availability: null }));
    const first = (await ask(`api-checks/${id}`, { ...query, groupBy: "runLocation" })).body;
    expect(first).toMatchObject({ pagination: { page: 1, limit: 2, total: 3 } });
    expect(first.series).toEqual([
      { runLocation: "eu-west-1", data: empty },
      { runLocation: "us-east-1", data: empty },
    ]);
    expect((await ask(`api-checks/${id}`, { ...query, groupBy: "statusCode" })).body.series).toEqual([{ statusCode: 200, data: empty }]);
    const failed = { ...query, groupBy: "runLocation", filterByStatus: "failure" };
    expect((await ask(`api-checks/${id}`, failed)).body.series).toEqual([]);
  });

  it("keep to the outcome that was asked for", async () => {
    const id = await create([
      { atMs: noon + minute, responseTimeMs: 100 },
      { atMs: noon + 2 * minute, responseTimeMs: 500, hasFailures: true },
    ]);
    const averages = await Promise.all(
      ["success", "failure", "success,failure", ""].map(async (filterByStatus) => {
        const { body } = await ask(`api-checks/${id}`, { ...overHours(0, 1), metrics: "responseTime", filterByStatus });
        return body.series[0].data[0].responseTime;
      }),
    );
    expect(averages).toEqual([100, 500, 300, 300]);
  });

  it("take days and weeks from the account's time zone", async () => {
    const id = await create([]);
    const zoned = (timeZone: string) => plane.call("PATCH", "/v1/accounts/me", { body: { settings: { timeZone } } });
    await zoned("Asia/Kolkata");
    plane.advance(6_000); // the account is remembered for 5 seconds
    const { body } = await ask(`api-checks/${id}`, { quickRange: "lastWeek", aggregationInterval: 1_440, metrics: "availability" });
    expect(body.series[0].data).toHaveLength(7);
    for (const { time } of body.series[0].data) expect(time).toMatch(/T18:30:00\.000Z$/);
    expect(new Date(Date.parse(body.from) + 5.5 * hour).getUTCDay()).toBe(1);
    await zoned("UTC");
    plane.advance(6_000);
  });

  it("of every type measure what the type's results keep", async () => {
    const icmp = await create(
      [{ atMs: noon, metrics: { packetLoss: 25, latencyMin: 1, latencyMax: 9, latencyAvg: 4, latencyStdDev: 2 } }],
      "icmp",
      {
        name: "Ping",
        request: { hostname: "127.0.0.1" },
      },
    );
    const all = metricsOf("icmp").map(({ name }) => name);
    const { body } = await ask(`icmp/${icmp}`, { ...overHours(0, 1), metrics: all.join() });
    const [row] = body.series[0].data;
    expect(Object.keys(row)).toEqual(all);
    expect(row).toMatchObject({ packetLoss: 25, latencyMin_p99: 1, latencyMax_sum: 9, latencyAvg: 4, latencyStdDev_avg: 2, retries: 0 });

    const trust = [7, 3, 0].map((trustBits, index) => ({
      atMs: noon + index * minute,
      metrics: { handshakeTimeMs: 30, daysUntilExpiry: -2 + index, tlsVersion: 1.3, keySizeBits: 2048, baselineScore: 85, trustBits },
    }));
    const ssl = await create(trust, "ssl", { name: "Certificate", request: { sslConfig: { hostname: "127.0.0.1" } } });
    const metrics = "hostnameVerified_sum,chainTrusted_min,ocspStapled_avg,daysUntilExpiry_min,tlsVersion,cipherSuite,baselineGrade";
    expect((await ask(`ssl/${ssl}`, { ...overHours(0, 1), metrics })).body.series[0].data[0]).toEqual({
      hostnameVerified_sum: 2,
      chainTrusted_min: 0,
      ocspStapled_avg: expect.closeTo(1 / 3, 4),
      daysUntilExpiry_min: -2,
      tlsVersion: 1.3,
      cipherSuite: null,
      baselineGrade: 85,
    });
  });

  it("keep every metric of their table that results have", () => {
    const unknown = Object.values(analyticsPaths).flatMap(({ checkType, metrics }) =>
      Object.entries<{ readonly kept: string | null }>(metrics)
        .filter(([, { kept }]) => isCheckType(checkType) && kept !== null && pageColumnOf(checkType, kept) === null)
        .map(([name]) => `${checkType} ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it("of browser checks tell errors of all kinds, and each page", async () => {
    const shop = checkDetails.BROWSER;
    const more = shop.pages.map((page) => ({ ...page, index: 1, webVitals: { LCP: { value: 800, score: "GOOD" as const } } }));
    const seen = (networkErrors: number) => ({ ...shop, traceSummary: { ...shop.traceSummary, networkErrors, userScriptErrors: 2 } });
    const id = await create(
      [
        { atMs: noon + minute, responseTimeMs: 1_000, statusCode: null, metrics: { LCP: 4_200, consoleErrors: 1 }, detail: seen(1) },
        {
          atMs: noon + 2 * minute,
          responseTimeMs: 3_000,
          statusCode: null,
          metrics: { LCP: 2_500, consoleErrors: 1 },
          detail: { ...seen(4), pages: [...shop.pages, ...more] },
          location: "us-east-1",
          hasFailures: true,
          errorMessage: "no",
        },
      ],
      "browser",
      { name: "Shop", script: "1" },
    );
    const query = { ...overHours(0, 1), metrics: "LCP,networkErrors_sum,userScriptErrors,documentErrors_max,availability" };
    const series = async (grouping: object) => (await ask(`browser-checks/${id}`, { ...query, ...grouping })).body.series;
    expect(await series({})).toEqual([
      { data: [{ LCP: 3_350, networkErrors_sum: 5, userScriptErrors: 2, documentErrors_max: 0, availability: 50 }] },
    ]);
    expect(await series({ groupBy: "runLocation", filterByStatus: "failure" })).toEqual([
      {
        runLocation: "us-east-1",
        data: [{ LCP: 2_500, networkErrors_sum: 4, userScriptErrors: 2, documentErrors_max: 0, availability: 0 }],
      },
    ]);
    expect(await series({ groupBy: "pageIndex" })).toMatchObject([
      { pageIndex: 0, data: [{ LCP: 4_200, availability: 50 }] },
      { pageIndex: 1, data: [{ LCP: 800, networkErrors_sum: 0, userScriptErrors: 0, availability: 0 }] },
    ]);
    expect(await series({ aggregationInterval: 30, groupBy: "pageIndex", limit: 1 })).toMatchObject([
      { pageIndex: 0, data: [{ time: new Date(noon).toISOString(), LCP: 4_200 }] },
      { pageIndex: 1 },
    ]);
  });

  it("do not know a check of another type, of another account, or none at all", async () => {
    const id = await create([]);
    for (const path of Object.keys(checkAnalytics).filter((name) => name !== "api-checks")) {
      const { status, body } = await ask(`${path}/${id}`, { metrics: "availability" });
      const title = analyticsPaths[path as AnalyticsPathName].title.replace(/^an? /, "");
      expect([status, body.message]).toEqual([404, `There is no ${title} ${id} in this account`]);
    }
    const other = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "x", runtimeId: "2026.04", nowMs: noon });
    const foreign = await plane.keyFor("READ_ONLY", other.id);
    const path = `/v1/analytics/api-checks/${id}?metrics=availability`;
    expect((await plane.call("GET", path, { key: foreign })).status).toBe(404);
    expect((await ask(`api-checks/nonsense`, { metrics: "availability" })).status).toBe(404);
  });

  let checked: string | undefined;
  it.each([
    [{}, /"metrics"/],
    [{ metrics: "" }, /"metrics" must name at least one/],
    [{ metrics: "total" }, /"metrics\[0\]" must be one of responseTime,/],
    [{ metrics: "availability", aggregationInterval: 0 }, /"aggregationInterval" must be at least 1/],
    [{ metrics: "availability", aggregationInterval: 43_201 }, /at most 43200/],
    [{ metrics: "availability", groupBy: "pageIndex" }, /"groupBy" must be one of runLocation, statusCode/],
    [{ metrics: "availability", quickRange: "today" }, /"quickRange" must be one of last24Hours/],
    [{ metrics: "availability", filterByStatus: "red" }, /"filterByStatus\[0\]" must be one of success, failure/],
    [{ metrics: "availability", from: "yesterday" }, /"from"/],
    [{ metrics: "availability", from: 0 }, /"from" must be at most 800 days before now/],
    [{ metrics: "availability", from: "2026-01-02", to: "2026-01-01" }, /"from" must be before "to"/],
    [{ metrics: "availability", to: "9999-12-31T00:00:00Z" }, /"to" must be at most 800 days ahead/],
    [{ metrics: "availability", limit: 101 }, /"limit"/],
    [{ metrics: "availability", page: 0 }, /"page"/],
  ])("refuse %j", async (query, message) => {
    checked ??= await create([]);
    const { status, body } = await ask(`api-checks/${checked}`, query);
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  /** `checks stats` of the public command line, 9.5.0. */
  it.each([
    ["api-checks", "availability,responseTime_avg,responseTime_p50,responseTime_p95,responseTime_p99"],
    ["browser-checks", "availability,LCP_avg,CLS_avg,TBT_avg,responseTime_avg,responseTime_p95"],
    ["playwright-checks", "availability,LCP_avg,CLS_avg,TBT_avg,responseTime_avg,responseTime_p95"],
    ["multistep-checks", "availability,responseTime_avg,responseTime_p50,responseTime_p95,responseTime_p99"],
    ["url-monitors", "availability,responseTime_avg,responseTime_p50,responseTime_p95,responseTime_p99"],
    ["tcp-checks", "availability,total_avg,total_p50,total_p95,total_p99"],
    ["dns", "availability,total_avg,total_p50,total_p95,total_p99"],
    ["icmp", "availability,packetLoss_avg,latencyAvg_avg,latencyAvg_p50,latencyAvg_p95,latencyAvg_p99"],
    ["grpc-checks", "availability,total_avg,total_p50,total_p95,total_p99"],
    ["ssl", "availability,handshakeTimeMs_avg,handshakeTimeMs_p50,handshakeTimeMs_p95,handshakeTimeMs_p99,daysUntilExpiry_avg"],
    [
      "traceroute",
      "availability,finalHopLatencyAvg_avg,finalHopLatencyAvg_p50,finalHopLatencyAvg_p95,finalHopLatencyAvg_p99,totalHops_avg",
    ],
    ["heartbeat-checks", "availability"],
    ["agentic-checks", "availability"],
  ])("of %s have the metrics that the public command line asks for", async (path, metrics) => {
    const { status, body } = await ask(`${path}/${crypto.randomUUID()}`, { metrics });
    expect([status, body.message]).toEqual([404, expect.stringContaining("There is no")]);
  });

  it("of agentic checks have no results", async () => {
    const body = { checkType: "AGENTIC", name: "Shop", activated: false, intent: { goal: "buy a book" } };
    const { id } = (await plane.call("POST", "/v1/checks", { body })).body;
    const answer = await ask(`agentic-checks/${id}`, { metrics: "availability,retries" });
    expect([answer.status, answer.body.series]).toEqual([200, [{ data: [{ availability: null, retries: null }] }]]);
  });

  it("list the metrics of a type", async () => {
    const { body } = await plane.call("GET", "/v1/analytics/metrics?checkType=DNS");
    expect(body.slice(0, 4)).toEqual([
      { name: "total", unit: "milliseconds", label: "Total", type: "Float", aggregated: false },
      { name: "availability", unit: "percentage", label: "Availability", type: "Float", aggregated: true },
      { name: "retries", unit: "count", label: "Retries", type: "Integer", aggregated: true },
      { name: "total_avg", unit: "milliseconds", label: "Total (avg)", type: "Float", aggregated: true },
    ]);
    expect(body).toHaveLength(13);
    const ofPrompts = (await plane.call("GET", "/v1/analytics/metrics?checkType=AGENTIC")).body;
    expect(ofPrompts.slice(0, 2)).toMatchObject([{ name: "responseTime" }, { name: "availability" }]);
    expect((await plane.call("GET", "/v1/analytics/metrics?checkType=PIGEON")).status).toBe(400);
  });

  it("summarize checks of several types in the order asked for, leaving out what is foreign or unknown", async () => {
    const recent = Date.now() - hour;
    const api = await create([
      { atMs: recent, responseTimeMs: 100 },
      { atMs: recent + minute, responseTimeMs: 300, hasFailures: true },
    ]);
    const idle = await create([]);
    const icmp = await create([{ atMs: recent, metrics: { packetLoss: 10, latencyAvg: 7 } }], "icmp", {
      name: "Ping",
      request: { hostname: "127.0.0.1" },
    });
    const checkIds = [icmp, crypto.randomUUID(), api.toUpperCase(), idle, api];
    const { status, body } = await plane.call("POST", "/v1/analytics/checks", { body: { checkIds } });
    const nothing = Object.fromEntries(
      ["responseTime_", "latency_"].flatMap((name) => ["avg", "p50", "p95", "p99"].map((by) => [`${name}${by}`, null])),
    );
    const empty = { ...nothing, packetLoss_avg: null, packetLoss_p95: null, packetLoss_p99: null, hopCount_avg: null, availability: null };
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        ...empty,
        checkId: icmp,
        checkType: "ICMP",
        availability: 100,
        latency_avg: 7,
        latency_p50: 7,
        latency_p95: 7,
        latency_p99: 7,
        packetLoss_avg: 10,
        packetLoss_p95: 10,
        packetLoss_p99: 10,
      },
      {
        ...empty,
        checkId: api,
        checkType: "API",
        availability: 50,
        responseTime_avg: 200,
        responseTime_p50: expect.closeTo(100, 0),
        responseTime_p95: 300,
        responseTime_p99: 300,
      },
      { ...empty, checkId: idle, checkType: "API" },
    ]);
    const refused = async (given: unknown) => (await plane.call("POST", "/v1/analytics/checks", { body: { checkIds: given } })).status;
    expect([await refused([]), await refused(["x"]), await refused(Array(101).fill(api)), await refused(undefined)]).toEqual([
      400, 400, 400, 400,
    ]);
    expect((await plane.call("POST", "/v1/analytics/checks?quickRange=last30Days", { body: { checkIds } })).status).toBe(400);
  });

  it("of a heartbeat count its alerts", async () => {
    const heartbeat = { period: 1, periodUnit: "hours", grace: 10, graceUnit: "minutes" };
    const created = await plane.call("POST", "/v1/checks/heartbeat", { body: { name: "Backup", heartbeat } });
    expect(created.status).toBe(201);
    const path = `/v1/analytics/heartbeat-checks/${created.body.id}`;
    const rows = async (query = "") => (await plane.call("GET", `${path}${query}`)).body.series[0].data;
    expect(await rows()).toEqual([{ availability: null }]);
    const { storage } = plane.context;
    const row = await storage.checks.byUuid(plane.account.id, created.body.id);
    // The last one now: nothing is overdue while the answers are compared.
    for (const hours of [4, 3, 1, 0])
      await storage.heartbeats.ping({ checkId: row?.id ?? 0, atMs: Date.now() - hours * hour, source: null, userAgent: null });
    expect(await rows("?metrics=availability,retries")).toEqual([{ availability: 80, retries: null }]);
    expect(await rows("?filterByStatus=FAILING")).toEqual([{ availability: 0 }]);
    expect(await rows("?page=2")).toEqual([]);
    expect((await plane.call("GET", `/v1/analytics/heartbeat-checks/${await create([])}`)).status).toBe(404);
    const { body } = await plane.call("POST", "/v1/analytics/checks", { body: { checkIds: [created.body.id] } });
    expect(body).toMatchObject([{ checkType: "HEARTBEAT", availability: 80, responseTime_avg: null }]);
  });
});
