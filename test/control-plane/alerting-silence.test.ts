import { afterAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../support/engines.ts";
import { receiver } from "./alerting/channels/receiver.ts";
import { apiCheck, controlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";
import { FakeAgent } from "./fake-agent.ts";

const minute = 60_000;
const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("a location without agents on $name", { timeout: 120_000 }, (engine) => {
  it("is told to a channel in one message, again after a failed attempt, and once when it is back; no check alerts", async () => {
    const url = await engine.databaseUrl();
    await using site = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    let attempts = 0;
    await using hook = await receiver((response) => {
      attempts += 1;
      response.writeHead(attempts === 1 ? 503 : 200).end();
    });
    const template = '{"title": "{{ALERT_TITLE}}", "type": "{{ALERT_TYPE}}", "text": "{{CHECK_ERROR_MESSAGE}}"}';
    const config = { name: "hook", url: hook.url, method: "POST", template };
    await site.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config, autoSubscribe: true } });
    const key = await site.locationKey("eu-west-1");
    await FakeAgent.open(site.base, key);
    for (const name of ["shop", "web"]) await site.call("POST", "/v1/checks/api", { body: apiCheck({ name }) });
    site.advance(11 * minute);
    await eventually(async () => attempts === 1);
    site.advance(minute);
    await eventually(async () => attempts === 2);
    expect(hook.json()).toMatchObject({ type: "AGENTS_SILENT", text: "- shop\n- web" });
    const [first, second] = hook.received.map(({ headers }) => headers["x-service-delivery-id"]);
    expect(second).toBe(first);
    await FakeAgent.open(site.base, key);
    await eventually(async () => attempts === 3);
    expect(hook.json()).toMatchObject({ type: "AGENTS_BACK" });
    expect((await site.call("GET", "/v1/check-alerts")).body).toEqual([]);
    const logged = await eventually(async () => {
      const { body } = await site.call("GET", "/v1/alert-notifications");
      return body.length === 3 && body;
    });
    expect(logged.toReversed()).toMatchObject([
      { status: "FAILURE", type: "WEBHOOK", locationNotice: { type: "AGENTS_SILENT", runLocation: "eu-west-1" } },
      { status: "SUCCESS", notificationResult: "200", locationNotice: { type: "AGENTS_SILENT" } },
      { status: "SUCCESS", locationNotice: { type: "AGENTS_BACK" } },
    ]);
    expect(Object.keys(logged[0])).not.toContain("checkId");
  });
});
