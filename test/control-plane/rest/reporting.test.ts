import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type ReportedRun, reportRuns } from "./reported-runs.ts";

const hour = 3_600_000;
/** A time zone in which it is about noon, so that results lie on two days and yet not long ago. */
const hoursAhead = 12 - new Date().getUTCHours();
const timezone = `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`;
const midnight = Math.floor(Date.now() / hour) * hour - 12 * hour;

describe("reporting", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ QUEUE_WAIT_SECONDS: "86400" });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = async (change: object, runs: readonly ReportedRun[] = []): Promise<string> => {
    const { body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck(change) });
    await reportRuns(plane.context.storage, plane.account.id, body.id, runs);
    return body.id;
  };
  const report = (query: Record<string, string | number> = {}) =>
    plane.call("GET", `/v1/reporting?${new URLSearchParams(query as Record<string, string>).toString()}`);
  const window = { from: midnight - 6 * hour, to: midnight + 6 * hour };

  it("tells of every check, in the order of creation, and of its results where it has any", async () => {
    const shop = await create({ name: "Shop", tags: ["web", "eu"] }, [
      { atMs: midnight - 2 * hour, responseTimeMs: 100 },
      { atMs: midnight + hour, responseTimeMs: 300 },
      { atMs: midnight + 2 * hour, responseTimeMs: 200, hasFailures: true },
    ]);
    const quiet = await create({ name: "Quiet", tags: ["web"], activated: false });
    const { status, body } = await report(window);
    expect(status).toBe(200);
    const about = (ms: number) => expect.closeTo(ms, -1);
    const aggregate = { successRatio: expect.closeTo(66.667, 3), avg: 200, p95: about(300), p99: about(300) };
    expect(body).toEqual([
      { name: "Shop", checkId: shop, checkType: "API", deactivated: false, tags: ["web", "eu"], aggregate },
      { name: "Quiet", checkId: quiet, checkType: "API", deactivated: true, tags: ["web"] },
    ]);

    const names = async (query: Record<string, string>) =>
      (await report({ ...window, ...query })).body.map(({ name }: { name: string }) => name);
    expect(await names({ deactivated: "true" })).toEqual(["Quiet"]);
    expect(await names({ deactivated: "false" })).toEqual(["Shop"]);
    expect(await names({ filterByTags: "web,eu" })).toEqual(["Shop"]);
    expect(await names({ filterByTags: "nothing" })).toEqual([]);

    const cut = (await report({ ...window, granularity: "day", timezone })).body;
    const iso = (ms: number): string => new Date(ms).toISOString();
    expect(cut[0]).toMatchObject({ aggregate });
    expect(cut[0].aggregates).toEqual([
      { from: iso(window.from), to: iso(midnight), successRatio: 100, avg: 100, p95: about(100), p99: about(100) },
      { from: iso(midnight), to: iso(window.to), successRatio: 50, avg: 250, p95: about(300), p99: about(300) },
    ]);
    expect(cut[1].aggregates).toEqual([]);
  });

  it.each([
    [{ timezone: "+02:00" }, /"timezone" must be the name of an IANA time zone, received "\+02:00"/],
    [{ quickRange: "last24Hours" }, /"quickRange" must be one of last24Hrs/],
    [{ granularity: "hour" }, /"granularity" must be one of day, week, month/],
    [
      { from: midnight - 101 * 24 * hour, to: midnight, granularity: "day" },
      /"granularity" must cut the window into at most 100 parts, day makes 10[12]$/,
    ],
    [{ from: 2, to: 1 }, /"from" must be before "to"/],
    [{ deactivated: "maybe" }, /"deactivated"/],
  ])("refuses %j", async (query, message) => {
    const { status, body } = await report(query as Record<string, string>);
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it("is about the account's own checks", async () => {
    const other = await plane.context.storage.accounts.create({
      uuid: crypto.randomUUID(),
      name: "x",
      runtimeId: "2026.04",
      nowMs: midnight,
    });
    expect((await plane.call("GET", "/v1/reporting", { key: await plane.keyFor("READ_ONLY", other.id) })).body).toEqual([]);
  });
});
