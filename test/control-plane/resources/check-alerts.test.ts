import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

const t0 = Date.UTC(2026, 4, 1);
const minute = 60_000;

describe("alerts and notifications", () => {
  let plane: ControlPlaneUnderTest;
  let checks: { readonly id: number; readonly uuid: string }[];
  /** One alert a minute of each of two checks in turn, each told to two channels; every third notification did not arrive. */
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    const { storage } = plane.context;
    const make = async () => {
      const { id: uuid } = (await plane.call("POST", "/v1/checks/api", { body: apiCheck() })).body;
      return { uuid, id: (await storage.checks.byUuid(plane.account.id, uuid))?.id ?? 0 };
    };
    checks = [await make(), await make()];
    for (let n = 0; n < 6; n += 1) {
      const createdAtMs = t0 + n * minute;
      const checkAlertId = await storage.checkAlerts.record({
        accountId: plane.account.id,
        checkId: checks[n % 2]?.id ?? 0,
        name: `alert ${n}`,
        alertType: n % 2 === 0 ? "ALERT_FAILURE" : "ALERT_RECOVERY",
        checkType: "API",
        runLocation: "eu-west-1",
        responseTime: 100 + n,
        error: n === 0 ? "ECONNREFUSED" : null,
        statusCode: n === 0 ? null : "500",
        startedAtMs: createdAtMs - 1_000,
        createdAtMs,
      });
      for (const channelId of [1, 2]) {
        await storage.alertNotifications.record({
          accountId: plane.account.id,
          checkAlertId,
          channelId,
          channelType: "EMAIL",
          status: n % 3 === 0 ? (channelId === 1 ? "FAILURE" : "RATE_LIMITED") : "SUCCESS",
          config: { address: "a@example.com" },
          result: n % 3 === 0 ? "550" : null,
          checkResultId: crypto.randomUUID(),
          sentAtMs: createdAtMs + 10,
        });
      }
    }
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const names = ({ body }: { body: readonly { name: string }[] }) => body.map(({ name }) => name);

  it("are listed newest first, by page", async () => {
    const answer = await plane.call("GET", "/v1/check-alerts?limit=4&page=2");
    expect(names(answer)).toEqual(["alert 1", "alert 0"]);
    expect(answer.headers.get("content-range")).toBe("items 4-5/6");
    expect(answer.body[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "alert 0",
      checkId: checks[0]?.uuid,
      alertType: "ALERT_FAILURE",
      checkType: "API",
      runLocation: "eu-west-1",
      responseTime: 100,
      error: "ECONNREFUSED",
      statusCode: null,
      created_at: "2026-05-01T00:00:00.000Z",
      startedAt: "2026-04-30T23:59:59.000Z",
      checkResultId: null,
      errorGroupId: null,
      failingSince: null,
      failedRuns: 0,
      reminder: 0,
    });
  });

  it.each([
    [`from=${t0 + minute}&to=${t0 + 3 * minute}`, ["alert 2", "alert 1"]],
    [`from=${t0 / 1_000 + 240}`, ["alert 5", "alert 4"]],
    ["from=2026-05-01T00:04:30Z", ["alert 5"]],
    ["to=2026-05-01", []],
  ])("are listed by time: %s", async (query, expected) => {
    expect(names(await plane.call("GET", `/v1/check-alerts?${query}`))).toEqual(expected);
  });

  it("are refused a time that ends before it starts", async () => {
    const { status, body } = await plane.call("GET", "/v1/check-alerts?from=2026-05-02&to=2026-05-01");
    expect([status, body.attributes.issues[0].path]).toEqual([400, "from"]);
  });

  it("are listed of one check of the account", async () => {
    expect(names(await plane.call("GET", `/v1/check-alerts/${checks[1]?.uuid}`))).toEqual(["alert 5", "alert 3", "alert 1"]);
    expect((await plane.call("GET", `/v1/check-alerts/${crypto.randomUUID()}`)).status).toBe(404);
    const stranger = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", stranger.id);
    expect((await plane.call("GET", `/v1/check-alerts/${checks[1]?.uuid}`, { key })).status).toBe(404);
    for (const path of ["/v1/check-alerts", "/v1/alert-notifications"]) expect((await plane.call("GET", path, { key })).body).toEqual([]);
  });

  it.each([
    ["", 12],
    ["&alertChannelId=2", 6],
    ["&hasFailures=true", 4],
    ["&hasFailures=false", 8],
    ["&hasFailures=true&alertChannelId=1", 2],
    [`&from=${t0 + 5 * minute}`, 2],
    [`&to=${t0 + minute}`, 2],
  ])("were sent, by their filter %s: %i", async (query, count) => {
    const { body, headers } = await plane.call("GET", `/v1/alert-notifications?limit=100${query}`);
    expect(body).toHaveLength(count);
    expect(headers.get("content-range")).toContain(`/${count}`);
  });

  it("name each other, and go with their check", async () => {
    const [newest] = (await plane.call("GET", "/v1/alert-notifications?limit=1")).body;
    const [alert] = (await plane.call("GET", "/v1/check-alerts?limit=1")).body;
    expect(newest).toEqual({
      id: expect.any(String),
      type: "EMAIL",
      status: "SUCCESS",
      alertConfig: { address: "a@example.com" },
      notificationResult: null,
      timestamp: "2026-05-01T00:05:00.010Z",
      checkType: "API",
      checkId: checks[1]?.uuid,
      checkAlertId: alert.id,
      alertChannelId: 2,
      checkResultId: expect.any(String),
    });
    await plane.call("DELETE", `/v1/checks/${checks[1]?.uuid}`);
    expect(names(await plane.call("GET", "/v1/check-alerts"))).toEqual(["alert 4", "alert 2", "alert 0"]);
    expect((await plane.call("GET", "/v1/alert-notifications")).headers.get("content-range")).toContain("/6");
  });
});
