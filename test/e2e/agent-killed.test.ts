import { afterAll, describe, expect, it } from "vitest";
import { tries } from "../attacks/cases.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { flakyProxy } from "../support/flaky-proxy.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

const names = Array.from({ length: 12 }, (_, index) => `check-${index}`);
const heartbeats = "/agent/v1/heartbeats";

describe.concurrent.each(engines.list)("an agent that dies, on $name", ({ databaseUrl }) => {
  it("loses no run: another agent makes them, and the killed attempts stay visible (L-05)", async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start({ databaseUrl: await databaseUrl() });
    await using seen = await flakyProxy(site.port);
    const [north, south] = await Promise.all([site.location("north"), site.location("south")]);
    const doomed = site.agent(north, { API_URL: seen.url });
    await Promise.all([doomed, site.agent(north), site.agent(south, { JOB_CONCURRENCY: "20" })].map((agent) => agent.ready()));
    const checks = await Promise.all(names.map((name) => site.check(target.url(name), ["north", "south"])));
    target.hold();
    const sessions = await site.trigger(...checks);
    await until("all runs at the target", () => target.waiting() === 2 * names.length);
    const { held: killed } = (await doomed.health()).jobs;
    await acknowledged(seen);
    await doomed.kill();
    target.release();

    const results = [...(await expectNothingLost(site, { sessions })).values()].flat();
    const lost = results.filter(({ resultType }) => resultType === "ATTEMPT");
    const finals = results.filter(({ resultType }) => resultType === "FINAL");
    expect(killed).toBeGreaterThan(0);
    expect(lost).toHaveLength(killed);
    for (const attempt of lost)
      expect(attempt).toMatchObject({ attempts: 1, hasErrors: true, hasFailures: false, agentSide: true, runLocation: "north" });
    expect(finals).toHaveLength(2 * names.length);
    expect(finals.filter(({ attempts }) => attempts === 2)).toHaveLength(killed);
    expect(target.requests()).toBe(finals.length + lost.length);
    for (const session of sessions) expect((await site.session(session.checkSessionId)).status).toBe("PASSED");
  }, 85_000);

  it("and comes back after its leases ended brings no second FINAL (L-06)", {
    timeout: 85_000,
    ...tries("F9", "the late result is refused; of any type"),
  }, async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start({ databaseUrl: await databaseUrl() });
    await using seen = await flakyProxy(site.port);
    const north = await site.location("north");
    const frozen = site.agent(north, { API_URL: seen.url });
    const other = site.agent(north);
    await Promise.all([frozen.ready(), other.ready()]);
    const checks = await Promise.all(names.map((name) => site.check(target.url(name), ["north"])));
    target.hold();
    const sessions = await site.trigger(...checks);
    await until("all runs at the target", () => target.waiting() === names.length);
    const { held } = (await frozen.health()).jobs;
    await acknowledged(seen);
    frozen.signal("SIGSTOP");
    target.release();
    const before = (await expectNothingLost(site, { sessions })).values().toArray().flat();
    frozen.signal("SIGCONT");
    await until("the thawed agent to be rid of its jobs", async () => {
      const { jobs, outbox } = await frozen.health();
      return jobs.held === 0 && outbox.depth === 0;
    });

    const after = (await expectNothingLost(site, { sessions })).values().toArray().flat();
    expect(held).toBeGreaterThan(0);
    expect(after.filter(({ attempts, resultType }) => attempts === 2 && resultType === "FINAL")).toHaveLength(held);
    expect(after.toSorted(byId)).toEqual(before.toSorted(byId));
    expect(target.requests()).toBe(names.length + held);

    await other.kill();
    const again = await Promise.all((await site.trigger(...checks)).map((session) => site.ended(session)));
    expect(again.map(({ status }) => status)).toEqual(names.map(() => "PASSED"));
  });
});

/** Two more heartbeats: the first may have been on its way before the jobs were taken. */
async function acknowledged(seen: { requests(path: string): number }): Promise<void> {
  const before = seen.requests(heartbeats);
  await until("heartbeats that acknowledge the leases", () => seen.requests(heartbeats) >= before + 3);
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id.localeCompare(b.id);
}
