import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { receiver } from "../control-plane/alerting/channels/receiver.ts";
import { alertingSite, down } from "../control-plane/alerting-site.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { clockBy, noFaketime } from "../support/faketime.ts";
import { pause } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const second = 1_000;
const hour = 3_600_000;
const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

const steps = [
  { step: "25 hours back", ms: -25 * hour },
  { step: "25 hours forward", ms: 25 * hour },
];
/** Loops that look for what is over do so each second. */
const turnsOfEverything = () => pause(2_500);
const turnOfSilences = () => pause(6_000);
const matrix = engines.list.flatMap((engine) => steps.map((step) => ({ ...engine, ...step })));

/** Several at once share two processors. Each has a control plane of its own, and waits for most of its time. */
const atOnce = { timeout: 90_000 };

describe.concurrent.each(matrix)("the control plane's clock is set $step on $name (C-02, C-03)", atOnce, ({ databaseUrl, ms }) => {
  async function plane(): Promise<ControlPlaneUnderTest> {
    const url = await databaseUrl();
    return controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
  }

  it("an agent goes on, its lease ends when it is silent, and another one gets the job", async () => {
    await using site = await plane();
    const key = await site.locationKey("eu-west-1");
    const [first, other] = [await FakeAgent.open(site.base, key), await FakeAgent.open(site.base, key)];
    const { body: check } = await site.call("POST", "/v1/checks/api", { body: apiCheck() });
    await site.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: check.id } } });
    const [job] = await first.lease(1, 5);
    site.step(ms);
    expect((await first.heartbeat([job!])).extended).toEqual([job!.jobId]);
    site.advance(20 * second);
    expect((await first.heartbeat([job!])).extended).toEqual([job!.jobId]);
    // The step forward makes a slot of the schedule due, whose run is free to go.
    const ofTrigger = async (waitSeconds: number) => (await other.lease(10, waitSeconds)).filter(({ jobId }) => jobId === job!.jobId);
    expect(await ofTrigger(2)).toEqual([]);
    site.advance(31 * second);
    const again = await eventually(async () => (await ofTrigger(2))[0]);
    expect(again).toMatchObject({ jobId: job!.jobId, attempt: job!.attempt + 1 });
    const [answer] = await other.report(reportOf(again!));
    expect(answer).toMatchObject({ outcome: "accepted" });
  });

  it.each(["before", "after"])("a result that comes after its lease replaces what stands in for it, stepped %s its end", async (when) => {
    await using site = await plane();
    const agent = await FakeAgent.open(site.base, await site.locationKey("eu-west-1"));
    const { body: check } = await site.call("POST", "/v1/checks/api", { body: apiCheck() });
    await site.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: check.id } } });
    const [job] = await agent.lease(1, 5);
    await agent.heartbeat([job!]); // else the job counts as never received
    const results = async () => {
      const { body } = await site.call("GET", `/v2/check-results/${check.id}?resultType=ALL`);
      return (body.entries as { readonly resultType: string }[]).map(({ resultType }) => resultType);
    };
    if (when === "before") site.step(ms);
    site.advance(31 * second);
    await eventually(async () => (await results()).includes("ATTEMPT"));
    if (when === "after") site.step(ms);
    const [answer] = await agent.report(reportOf(job!));
    expect(answer).toMatchObject({ outcome: "accepted" });
    expect((await results()).filter((type) => type !== "MISSED")).toEqual(["FINAL"]);
  });

  it("a job that nobody takes becomes a missed one after its wait, and not before", async () => {
    await using site = await plane();
    const { body: check } = await site.call("POST", "/v1/checks/api", { body: apiCheck() });
    await site.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: check.id } } });
    const missed = async () => /outpost_runs_missed_total (\d+)/.exec(await (await fetch(`${site.base}/metrics`)).text())?.[1];
    site.step(ms);
    site.advance(340 * second);
    await turnsOfEverything();
    expect(await missed()).toBe("0");
    site.advance(30 * second);
    await eventually(async () => (await missed()) === "1");
  });

  it("an alert whose receiver was away is sent again after its pause", async () => {
    await using site = await alertingSite(await databaseUrl());
    await using hook = await receiver((response) => void response.writeHead(hook.received.length === 1 ? 503 : 200).end());
    const config = { name: "hook", url: hook.url, method: "POST" };
    await site.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config, autoSubscribe: true } });
    const check = await site.make();
    await site.run(check, down);
    await eventually(async () => hook.received.length === 1);
    await eventually(async () => (await site.call("GET", "/v1/alert-notifications")).body.length === 1);
    site.step(ms);
    site.advance(25 * second);
    await eventually(async () => hook.received.length === 2);
    const ids = hook.received.map(({ headers }) => headers["x-service-delivery-id"]);
    expect(new Set(ids).size).toBe(1);
  });

  it("a check that fails afterwards is told, and that it recovers", async () => {
    await using site = await alertingSite(await databaseUrl());
    const check = await site.make();
    await site.run(check);
    site.step(ms);
    site.advance(10 * second);
    await site.run(check, down);
    expect(await site.types(check)).toEqual(["ALERT_FAILURE"]);
    const { body: statuses } = await site.call("GET", "/v1/check-statuses");
    expect(statuses).toMatchObject([{ hasFailures: true }]);
    site.advance(10 * second);
    await site.run(check);
    expect(await site.types(check)).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
  });

  it("a run that was leased before counts in its place", async () => {
    await using site = await alertingSite(await databaseUrl());
    const check = await site.make();
    await site.run(check, down);
    site.advance(10 * second);
    const end = await site.begin(check);
    site.step(ms);
    site.advance(second);
    await end();
    const types = async () => (await site.types(check)).toSorted(); // their dates follow the wall clock
    expect(await types()).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
    site.advance(10 * second);
    await site.run(check, down);
    expect(await types()).toEqual(["ALERT_FAILURE", "ALERT_FAILURE", "ALERT_RECOVERY"]);
  });

  it("a failure whose lease had ended is told by nobody where a later run passed", async () => {
    await using site = await alertingSite(await databaseUrl());
    const agent = await FakeAgent.open(site.base, await site.locationKey("eu-west-1"));
    const check = await site.make();
    const trigger = () => site.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: check } } });
    await trigger();
    const [first] = await agent.lease(1, 5);
    const failure = reportOf(first!, down);
    await agent.heartbeat([first!]);
    site.advance(31 * second);
    const [again] = await eventually(async () => {
      const jobs = await agent.lease(1, 1);
      return jobs.length > 0 && jobs;
    });
    expect(again).toMatchObject({ jobId: first!.jobId });
    await trigger();
    const [later] = await agent.lease(1, 5);
    await agent.report(reportOf(later!));
    site.step(ms);
    const [answer] = await agent.report(failure);
    expect(answer).toMatchObject({ outcome: "accepted" });
    expect(await site.types(check)).toEqual([]);
  });

  it("a location whose agents are gone is told after its ten minutes, and not before", async () => {
    await using site = await alertingSite(await databaseUrl());
    await using hook = await receiver((response) => void response.writeHead(200).end());
    const config = { name: "hook", url: hook.url, method: "POST" };
    await site.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config, autoSubscribe: true } });
    await site.run(await site.make());
    site.step(ms);
    await turnOfSilences();
    site.advance(9 * 60 * second);
    await turnOfSilences();
    expect(hook.received).toEqual([]);
    site.advance(90 * second);
    await eventually(async () => hook.received.length === 1);
  });

  it("a heartbeat that stays away is told when it is due, and not before", async () => {
    await using site = await plane();
    const body = { name: "backup", heartbeat: { period: 1, periodUnit: "hours", grace: 0, graceUnit: "hours" } };
    const { body: check } = await site.call("POST", "/v1/checks/heartbeat", { body });
    await fetch(check.heartbeat.pingUrl);
    const alerts = async () => (await site.call("GET", "/v1/check-alerts")).body;
    site.step(ms);
    site.advance(0.9 * hour);
    await turnsOfEverything();
    expect(await alerts()).toEqual([]);
    site.advance(0.1 * hour);
    await eventually(async () => (await alerts()).length === 1);
    await fetch(check.heartbeat.pingUrl);
    await eventually(async () => (await alerts()).length === 2);
  });

  it("the step is told in the log, in /health and in the metrics, once", async () => {
    await using site = await plane();
    site.step(ms);
    const health = async (): Promise<{ seconds: number } | undefined> => {
      const { clockStep } = (await (await fetch(`${site.base}/health`)).json()) as { clockStep: { seconds: number } | null };
      return clockStep ?? undefined;
    };
    const told = await eventually(health);
    expect(Math.round(told.seconds / 60)).toBe(ms / 60_000);
    const metrics = await (await fetch(`${site.base}/metrics`)).text();
    expect(metrics).toContain(`outpost_clock_steps_total{direction="${ms > 0 ? "forward" : "back"}"} 1`);
    await pause(6_000);
    expect(site.logLines.filter((line) => line.includes("the wall clock stepped"))).toHaveLength(1);
  });
});

const onEach = describe.concurrent.each(engines.list);
onEach("the control plane's clock is set 10 seconds back on $name (C-02)", ({ databaseUrl }) => {
  it("a failure is told although the runs before have later dates", async () => {
    await using site = await alertingSite(await databaseUrl());
    const check = await site.make();
    await site.run(check);
    site.step(-10 * second);
    const end = await site.begin(check);
    site.advance(12 * second);
    await end(down);
    expect(await site.types(check)).toEqual(["ALERT_FAILURE"]);
    const { body } = await site.call("GET", `/v2/check-results/${check}`);
    expect(body.entries.map(({ late = false }: { late?: boolean }) => late)).toEqual([false, false]);
  });
});

onEach("a process on $name whose clock is set 25 hours back, killed and started 50 hours back", ({ databaseUrl }) => {
  it.skipIf(noFaketime !== null)(
    `sends an alert again within its pause, twice (C-02)${noFaketime === null ? "" : `: ${noFaketime}`}`,
    { timeout: 120_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "clock-"));
      const file = join(folder, "offset");
      await writeFile(file, "+0");
      await using hook = await receiver((response) => void response.writeHead(hook.received.length < 3 ? 503 : 200).end());
      await using site = await Site.start({ databaseUrl: await databaseUrl(), env: clockBy(file) });
      const agent = site.agent(await site.location("north"));
      await agent.ready();
      const config = { name: "hook", url: hook.url, method: "POST" };
      await site.api("POST", "/v1/alert-channels", { type: "WEBHOOK", config, autoSubscribe: true });
      const check = await site.check("http://127.0.0.1:1/", ["north"]);
      await site.trigger(check);
      await eventually(async () => hook.received.length === 1);
      await writeFile(file, "-25h");
      await eventually(async () => hook.received.length === 2);
      await site.controlPlane.logged("the wall clock stepped; waits go on as if it had not, what people see follows it");
      await pause(6_000); // the clock is kept every 5 s
      await site.controlPlane.kill();
      await writeFile(file, "-50h");
      await site.startControlPlane();
      await eventually(async () => hook.received.length === 3);
      expect(new Set(hook.received.map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(1);
      await rm(folder, { recursive: true });
    },
  );
});
