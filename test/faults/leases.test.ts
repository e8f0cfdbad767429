import { afterAll, describe, expect, it } from "vitest";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { flakyProxy } from "../support/flaky-proxy.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

describe.each(engines.list)("leases on $name", ({ databaseUrl }) => {
  it("of an agent that is cut off go to another one, and one FINAL is left of both (L-07)", { timeout: 85_000 }, async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start({ databaseUrl: await databaseUrl() });
    await using way = await flakyProxy(site.port);
    const north = await site.location("north");
    const cutOff = await site.agent(north, { API_URL: way.url }).ready();
    const check = await site.check(target.url("split"), ["north"]);
    target.hold();
    const sessions = await site.trigger(check);
    await until("the run of the one", () => target.waiting() === 1);
    await until("a heartbeat with it", () => way.requests("/agent/v1/heartbeats") > 2);
    way.become("cut");
    await site.agent(north).ready();
    await until("the run of the other", () => target.waiting() === 2, 60_000);
    target.release(); // both have a result now
    await until("the result of the one in its outbox", async () => (await cutOff.health()).outbox.depth > 0);
    way.become("open");
    await until("an empty outbox", async () => (await cutOff.health()).outbox.depth === 0, 60_000);
    const results = (await expectNothingLost(site, { sessions })).get(check) ?? [];
    expect(results.filter(({ resultType }) => resultType === "FINAL")).toHaveLength(1);
    expect(target.requests()).toBe(2);
  });
});

it("requests that come twice and in the wrong order change nothing (L-18)", async () => {
  await using site = await Site.start();
  const agent = await FakeAgent.open(site.base, await site.location("north"));
  const check = await site.check("http://127.0.0.1:9", ["north"]);
  await site.trigger(check);
  const [job] = await agent.lease();
  if (job === undefined) throw new Error("no job");
  const report = reportOf(job);
  const first = await agent.report(report);
  expect(first).toMatchObject([{ outcome: "accepted" }]);
  const stored = await site.results(check);
  expect(await agent.heartbeat([job])).toMatchObject({ extended: [], lost: [job.jobId] }); // the one from before the report
  expect(await agent.release(job)).toEqual([]);
  expect(await agent.report(report, report)).toMatchObject([{ outcome: "duplicate" }, { outcome: "duplicate" }]);
  expect(await agent.report({ ...report, hasFailures: true })).toMatchObject([{ outcome: "conflict" }]);
  expect((await agent.report({ ...report, fence: report.fence - 1 }))[0]?.outcome).not.toBe("accepted");
  expect(stored).toHaveLength(1);
  expect(await site.results(check)).toEqual(stored);
  expect(await agent.lease()).toEqual([]);
});
