import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Receiver, receiver } from "../alerting/channels/receiver.ts";
import { type AlertingSite, alertingSite, made, minute } from "../alerting-site.ts";
import { eventually } from "../control-plane-under-test.ts";

describe("alerts and notifications", () => {
  let plane: AlertingSite;
  let hook: Receiver;
  /** Ids of two checks. */
  let checks: readonly string[];
  let channels: readonly number[];
  /** When each alert was stored, the oldest first. */
  let storedAtMs: readonly number[];
  /**
   * One alert a minute of each of two checks in turn, each told to two channels; every third notification does not arrive. Of the
   * first that does not, each channel tells that the other one could not be told.
   */
  beforeAll(async () => {
    plane = await alertingSite();
    hook = await receiver((response) => {
      const isNotice = ({ body }: Receiver["received"][number]): boolean => body.includes("has received no alerts");
      if (isNotice(hook.received.at(-1)!)) return void response.end("ok");
      const alert = Math.floor((hook.received.filter((one) => !isNotice(one)).length - 1) / 2);
      response.writeHead(alert % 3 === 0 ? 403 : 200).end(alert % 3 === 0 ? "go away" : "ok");
    });
    const channel = async () =>
      Number(
        made(await plane.call("POST", "/v1/alert-channels", { body: { type: "SLACK", config: { url: hook.url }, autoSubscribe: true } })),
      );
    channels = [await channel(), await channel()];
    checks = [await plane.make({ name: "one" }), await plane.make({ name: "two" })];
    for (let n = 0; n < 6; n += 1) {
      const isDown = n % 4 < 2;
      const error = n === 0 ? "ECONNREFUSED" : "status 500 is not 200";
      const change = isDown ? { hasFailures: true, statusCode: n === 0 ? null : 500, errorMessage: error } : { statusCode: 200 };
      await plane.run(checks[n % 2] ?? "", { ...change, responseTimeMs: 100 + n });
      await eventually(async () => (await plane.call("GET", "/v1/alert-notifications?limit=100")).body.length === 2 * (n + 1) + 2);
      await plane.skip(1);
    }
    const { body } = await plane.call("GET", "/v1/check-alerts");
    storedAtMs = body.map(({ created_at: at }: { created_at: string }) => Date.parse(at)).toReversed();
  }, 120_000);
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await hook[Symbol.asyncDispose]();
  });
  /** Alerts by their numbers: the run of each took a millisecond more. */
  const numbers = ({ body }: { body: readonly { responseTime: number }[] }) => body.map(({ responseTime }) => responseTime - 100);

  it("are listed newest first, by page", async () => {
    const answer = await plane.call("GET", "/v1/check-alerts?limit=4&page=2");
    expect(numbers(answer)).toEqual([1, 0]);
    expect(answer.headers.get("content-range")).toBe("items 4-5/6");
    expect(answer.body[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "one",
      checkId: checks[0],
      alertType: "ALERT_FAILURE",
      checkType: "API",
      runLocation: "eu-west-1",
      responseTime: 100,
      error: "ECONNREFUSED",
      statusCode: null,
      created_at: new Date(storedAtMs[0] ?? 0).toISOString(),
      startedAt: expect.stringMatching(/Z$/),
      checkResultId: expect.stringMatching(/./),
      errorGroupId: expect.stringMatching(/./),
      failingSince: expect.stringMatching(/Z$/),
      failedRuns: 1,
      reminder: 0,
    });
  });

  const at = (alert: number, plusMs = 0): number => (storedAtMs[alert] ?? 0) + plusMs;
  it.each([
    ["milliseconds", () => `from=${at(1)}&to=${at(3)}`, [2, 1]],
    ["seconds", () => `from=${Math.ceil(at(3, 1) / 1_000)}`, [5, 4]],
    ["a text", () => `from=${new Date(at(4, 1)).toISOString()}`, [5]],
    ["a day", () => "to=2026-05-01", []],
  ])("are listed by time, given as %s", async (_form, query, expected) => {
    expect(numbers(await plane.call("GET", `/v1/check-alerts?${query()}`))).toEqual(expected);
  });

  it("are refused a time that ends before it starts", async () => {
    const { status, body } = await plane.call("GET", "/v1/check-alerts?from=2026-05-02&to=2026-05-01");
    expect([status, body.attributes.issues[0].path]).toEqual([400, "from"]);
  });

  it("are listed of one check of the account", async () => {
    expect(numbers(await plane.call("GET", `/v1/check-alerts/${checks[1]}`))).toEqual([5, 3, 1]);
    expect((await plane.call("GET", `/v1/check-alerts/${crypto.randomUUID()}`)).status).toBe(404);
    const stranger = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", stranger.id);
    expect((await plane.call("GET", `/v1/check-alerts/${checks[1]}`, { key })).status).toBe(404);
    for (const path of ["/v1/check-alerts", "/v1/alert-notifications"]) expect((await plane.call("GET", path, { key })).body).toEqual([]);
  });

  it.each([
    ["nothing", () => "", 14],
    ["a channel", () => `&alertChannelId=${channels[1]}`, 7],
    ["what did not arrive", () => "&hasFailures=true", 4],
    ["what arrived", () => "&hasFailures=false", 10],
    ["both", () => `&hasFailures=true&alertChannelId=${channels[0]}`, 2],
    ["a beginning", () => `&from=${at(5)}`, 2],
    ["an end", () => `&to=${at(0, minute / 2)}`, 4],
  ])("were sent, filtered by %s", async (_filter, query, count) => {
    const { body, headers } = await plane.call("GET", `/v1/alert-notifications?limit=100${query()}`);
    expect(body).toHaveLength(count);
    expect(headers.get("content-range")).toContain(`/${count}`);
  });

  it("name each other, and go with their check", async () => {
    const [newest] = (await plane.call("GET", "/v1/alert-notifications?limit=1")).body;
    const [alert] = (await plane.call("GET", "/v1/check-alerts?limit=1")).body;
    expect(newest).toEqual({
      id: expect.any(String),
      type: "SLACK",
      status: "SUCCESS",
      alertConfig: { url: "********" },
      notificationResult: "200",
      timestamp: expect.stringMatching(/Z$/),
      checkType: "API",
      checkId: checks[1],
      checkAlertId: alert.id,
      alertType: alert.alertType,
      alertChannelId: expect.any(Number),
      checkResultId: expect.any(String),
    });
    await plane.call("DELETE", `/v1/checks/${checks[1]}`);
    expect(numbers(await plane.call("GET", "/v1/check-alerts"))).toEqual([4, 2, 0]);
    expect((await plane.call("GET", "/v1/alert-notifications")).headers.get("content-range")).toContain("/8");
  });
});
