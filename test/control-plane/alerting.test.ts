import { afterAll, describe, expect, it } from "vitest";
import { checkDetails } from "../support/check-details.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { receiver } from "./alerting/channels/receiver.ts";
import { alertingSite, down, minute } from "./alerting-site.ts";
import { eventually } from "./control-plane-under-test.ts";
import { FakeAgent, reportOf } from "./fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("alerts over REST on $name", { timeout: 120_000 }, (engine) => {
  const running = async () => alertingSite(await engine.databaseUrl());

  it("tell of a failure and of the recovery, with the result, its error group and how often it failed", async () => {
    await using site = await running();
    const id = await site.make({ name: "Shop" });
    for (const change of [{}, down, down, {}, {}]) await site.run(id, change);
    const { body: alerts } = await site.call("GET", "/v1/check-alerts");
    const [recovery, failure] = alerts;
    const { body: results } = await site.call("GET", `/v1/check-results/${id}?hasFailures=true`);
    const first = results.at(-1);
    const common = { name: "Shop", checkId: id, checkType: "API", runLocation: "eu-west-1", failingSince: first.startedAt, reminder: 0 };
    expect(alerts).toHaveLength(2);
    expect(failure).toMatchObject({ ...common, alertType: "ALERT_FAILURE", statusCode: "503", error: down.errorMessage, failedRuns: 1 });
    expect(failure).toMatchObject({ checkResultId: first.id, startedAt: first.startedAt });
    expect(recovery).toMatchObject({ ...common, alertType: "ALERT_RECOVERY", error: null, errorGroupId: null, failedRuns: 2 });
    const { body: group } = await site.call("GET", `/v1/error-groups/${failure.errorGroupId}`);
    expect(group).toMatchObject({ id: failure.errorGroupId, rawErrorMessage: down.errorMessage });
  });

  it("wait for the check's own threshold, and say nothing of what the agent's own side spoiled", async () => {
    await using site = await running();
    const alertSettings = { escalationType: "RUN_BASED", runBasedEscalation: { failedRunThreshold: 2 }, confirmation: "NONE" };
    const id = await site.make({ useGlobalAlertSettings: false, alertSettings });
    for (const change of [down, { ...down, agentSide: true }, {}, down]) await site.run(id, change);
    expect(await site.types(id)).toEqual([]);
    await site.run(id, { isDegraded: true });
    expect(await site.types(id)).toEqual(["ALERT_DEGRADED"]);
    await site.run(id, down);
    expect(await site.types(id)).toEqual(["ALERT_DEGRADED", "ALERT_DEGRADED_FAILURE"]);
  });

  it("name the failing step of a script as reminders, too, of the run that they tell of", async () => {
    await using site = await running();
    await using service = await receiver();
    const channel = { type: "WEBHOOK", config: { name: "hook", url: service.url } };
    const { id: alertChannelId } = (await site.call("POST", "/v1/alert-channels", { body: channel })).body;
    const alertSettings = { escalationType: "RUN_BASED", reminders: { amount: 1, interval: 5 }, confirmation: "NONE" };
    const told = { useGlobalAlertSettings: false, alertSettings, alertChannelSubscriptions: [{ alertChannelId, activated: true }] };
    const body = { name: "shop", script: "1", locations: ["eu-west-1"], frequency: 1440, ...told };
    const { id } = (await site.call("POST", "/v1/checks/browser", { body })).body;
    const able = { checkTypes: ["BROWSER"], runtimes: ["2026.04"], sandboxLevel: 2 };
    const agent = await FakeAgent.open(site.base, await site.locationKey("eu-west-1"), able);
    const [error] = checkDetails.BROWSER.errors;
    const run = async (step: string, end: { readonly hasFailures: boolean; readonly errorMessage: string | null }) => {
      await site.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
      const [job] = await agent.lease(1, 5);
      const steps = checkDetails.BROWSER.steps.map((one) => (one.title === "order a book" ? { ...one, title: step } : one));
      const detail = { ...checkDetails.BROWSER, steps, errors: [{ ...error!, screenshot: "screenshot-1.png" }] };
      await agent.report(reportOf(job!, { detail, ...end }));
    };
    for (const step of ["order a book", "pay for it"]) await run(step, { hasFailures: true, errorMessage: "it broke" });
    await eventually(async () => service.received.length === 1);
    await site.skip(5);
    await eventually(async () => service.received.length === 2);
    await run("passes on a retry", { hasFailures: false, errorMessage: null });
    await eventually(async () => service.received.length === 3);
    const [failure, reminder, recovery] = service.received.map(({ body: text }) => JSON.parse(text));
    expect(failure).toMatchObject({ ALERT_TYPE: "ALERT_FAILURE", FAILED_STEP: "order a book" });
    expect(reminder).toMatchObject({
      ALERT_TYPE: "ALERT_FAILURE_REMAIN",
      FAILED_STEP: "pay for it",
      SCREENSHOT_LINK: `${reminder.RESULT_LINK}#screenshot`,
    });
    expect(recovery).toMatchObject({ ALERT_TYPE: "ALERT_RECOVERY", FAILED_STEP: "", SCREENSHOT_LINK: "" });
  });

  it("come by time and as reminders, while nobody runs anything", async () => {
    await using site = await running();
    const reminders = { amount: 1, interval: 5 };
    const timeBasedEscalation = { minutesFailingThreshold: 10 };
    await site.call("PATCH", "/v1/accounts/me", {
      body: { alertSettings: { escalationType: "TIME_BASED", timeBasedEscalation, reminders } },
    });
    const id = await site.make();
    await site.run(id, down);
    expect(await site.types(id)).toEqual([]);
    await site.skip(10);
    await eventually(async () => (await site.types(id)).length === 1);
    await site.skip(5);
    await eventually(async () => (await site.types(id)).length === 2);
    await site.run(id);
    expect(await site.types(id)).toEqual(["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_RECOVERY"]);
  });

  it("are not told while a check is muted, and afterwards where it still fails", async () => {
    await using site = await running();
    const [over, lasting] = [await site.make({ muted: true }), await site.make({ muted: true })];
    for (const id of [over, lasting]) await site.run(id, down);
    await site.run(over);
    for (const id of [over, lasting]) await site.call("PUT", `/v1/checks/api/${id}`, { body: { muted: false } });
    await eventually(async () => (await site.types(lasting)).length === 1);
    expect([await site.types(over), await site.types(lasting)]).toEqual([[], ["ALERT_FAILURE"]]);
  });

  it("follow a group: muted with it, and told when it is not any more", async () => {
    await using site = await running();
    const { body: group } = await site.call("POST", "/v1/check-groups", { body: { name: "shop", muted: true } });
    const id = await site.make({ groupId: group.id });
    await site.run(id, down);
    expect(await site.types(id)).toEqual([]);
    expect((await site.call("PUT", `/v1/check-groups/${group.id}`, { body: { name: "shop", muted: false } })).status).toBe(200);
    await eventually(async () => (await site.types(id)).length === 1);
    await site.run(id);
    expect(await site.types(id)).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
  });

  it("tell of a heartbeat that stays away, and of the ping that ends it", async () => {
    await using site = await running();
    const heartbeat = { period: 1, periodUnit: "hours", grace: 0, graceUnit: "seconds" };
    const { body } = await site.call("POST", "/v1/checks/heartbeat", { body: { name: "backup", heartbeat } });
    await fetch(body.heartbeat.pingUrl);
    site.advance(61 * minute);
    await eventually(async () => (await site.types(body.id)).length === 1);
    await fetch(body.heartbeat.pingUrl);
    expect(await site.types(body.id)).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
  });
});
