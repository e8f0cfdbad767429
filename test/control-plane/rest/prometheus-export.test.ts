import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type ReportedRun, reportRuns } from "./reported-runs.ts";

const minute = 60_000;

describe("the Prometheus export", () => {
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
  const path = () => `/accounts/${plane.account.uuid}/v2/prometheus/metrics`;
  const scrape = async () => {
    plane.advance(20_000);
    return plane.call("GET", path());
  };

  it("tells each check's state and the figures of its last hour", async () => {
    const { body: group } = await plane.call("POST", "/v2/check-groups", { body: { name: "Team", tags: ["eu"], muted: true } });
    const atMs = Math.floor(Date.now() / minute) * minute - 30 * minute;
    const shop = await create({ name: `Shop "1"\\\n`, tags: ["web"], groupId: group.id }, [
      { atMs, responseTimeMs: 100, retries: 1 },
      { atMs: atMs + minute, responseTimeMs: 300, hasFailures: true, isDegraded: true },
      { atMs: atMs - 60 * minute, responseTimeMs: 9_000, isDegraded: true },
    ]);
    const idle = await create({ name: "Idle", activated: false });
    const { status, headers, text } = await scrape();
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4"]);
    const labels = `check_id="${shop}",check_name="Shop \\"1\\"\\\\\\n",check_type="API"`;
    const told = text.split("\n").filter((line: string) => line.includes(shop));
    expect(told).toEqual([
      `outpost_check_info{${labels},activated="true",muted="true",group_name="Team",tags=",web,eu,"} 1`,
      `outpost_check_up{${labels}} 0`,
      `outpost_check_degraded{${labels}} 0`,
      `outpost_check_last_run_timestamp_seconds{${labels}} ${(atMs + minute) / 1000}`,
      `outpost_check_results_total{${labels},outcome="passed"} 1`,
      `outpost_check_results_total{${labels},outcome="degraded"} 1`,
      `outpost_check_results_total{${labels},outcome="failed"} 1`,
      `outpost_check_response_time_seconds_total{${labels}} 9.4`,
      `outpost_check_availability_ratio{${labels}} 0.5`,
      expect.stringMatching(/quantile="0.5"\} 0\.(1|099|100)\d*$/),
      expect.stringMatching(/quantile="0.95"\} 0\.(3|299|300|301)\d*$/),
      expect.stringMatching(/quantile="0.99"\} 0\.(3|299|300|301)\d*$/),
    ]);
    expect(text.split("\n").filter((line: string) => line.includes(idle))).toEqual([
      `outpost_check_info{check_id="${idle}",check_name="Idle",check_type="API",activated="false",muted="false",group_name="",tags=""} 1`,
    ]);
  });

  it("is well formed: every family declared once, before its samples", async () => {
    const parts = (await scrape()).text.split(/^(?=# HELP )/m);
    const names = parts.map((part: string) => /^# HELP (\w+) /.exec(part)?.[1] ?? "");
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(5);
    for (const [index, part] of parts.entries()) {
      const name = names[index] ?? "";
      const [, type, ...samples] = part.trimEnd().split("\n");
      expect(type).toBe(`# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}`);
      const sample = new RegExp(`^${name}\\{(\\w+="(?:[^"\\\\\\n]|\\\\.)*",?)+\\} -?[0-9.e+-]+$`);
      expect(samples.filter((line) => !sample.test(line))).toEqual([]);
      expect(samples.length).toBeGreaterThan(0);
    }
  });

  it("answers scrapers from memory for some seconds", async () => {
    const before = (await scrape()).text;
    await create({ name: "Newcomer" });
    const [one, other] = await Promise.all([plane.call("GET", path()), plane.call("GET", path())]);
    expect([one.text, other.text]).toEqual([before, before]);
    expect((await scrape()).text).toContain("Newcomer");
  });

  it("is for keys of the account, and for a user's key without the account header", async () => {
    const { storage } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "x", runtimeId: "2026.04", nowMs: Date.now() });
    const status = async (key: string | undefined, account = plane.account.uuid) =>
      (await plane.call("GET", `/accounts/${account}/v2/prometheus/metrics`, { key: key ?? "nonsense" })).status;
    const [own, foreign, user] = [
      await plane.keyFor("READ_ONLY"),
      await plane.keyFor("OWNER", other.id),
      await plane.keyFor("READ_ONLY", plane.account.id, "user"),
    ];
    expect([await status(own), await status(foreign), await status(user), await status(undefined)]).toEqual([200, 404, 200, 401]);
    expect([await status(own, other.uuid), await status(user, other.uuid), await status(user, crypto.randomUUID())]).toEqual([
      404, 404, 404,
    ]);
  });
});
