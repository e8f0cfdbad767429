import { describe, expect, it } from "vitest";
import { tries } from "../attacks/cases.ts";
import { type FlakyProxy, flakyProxy } from "../support/flaky-proxy.ts";
import { type LedgerTarget, ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { pause, until } from "../support/processes.ts";
import { type AgentProcess, Site } from "../support/site.ts";

const names = Array.from({ length: 8 }, (_, index) => `check-${index}`);

interface Setting extends AsyncDisposable {
  readonly site: Site;
  readonly target: LedgerTarget;
  readonly way: FlakyProxy;
  readonly agent: AgentProcess;
  /** Triggers one run of each of `names`. */
  trigger(): ReturnType<Site["trigger"]>;
}

/** A control plane, a way to it that can fail, and one agent behind that way. */
async function setting(env: Readonly<Record<string, string>> = {}): Promise<Setting> {
  await using stack = new AsyncDisposableStack();
  const target = stack.use(await ledgerTarget());
  const site = stack.use(await Site.start({ env }));
  const way = stack.use(await flakyProxy(site.port));
  const north = await site.location("north");
  const agent = await site.agent(north, { API_URL: way.url }).ready();
  const checks = await Promise.all(names.map((name) => site.check(target.url(name), ["north"])));
  const kept = stack.move();
  return { site, target, way, agent, trigger: () => site.trigger(...checks), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

describe.concurrent("the way to the control plane", () => {
  it.each(["cut", "freeze"] as const)(
    "fails (%s) while checks run: their results arrive once when it is back",
    async (how) => {
      await using at = await setting({ LEASE_SECONDS: "120" });
      at.target.hold();
      const sessions = await at.trigger();
      await until("all runs at the target", () => at.target.waiting() === names.length);
      at.way.become(how);
      at.target.release();
      await until("all results in the outbox", async () => (await at.agent.health()).outbox.depth === names.length);
      await pause(8_000);
      expect(await at.agent.probe("/-/liveness")).toMatchObject({ status: 200 });
      at.way.become("open");
      const results = [...(await expectNothingLost(at.site, { sessions }, 70_000)).values()].flat();
      expect(results.map(({ resultType, attempts }) => `${resultType} ${attempts}`)).toEqual(names.map(() => "FINAL 1"));
      expect(at.target.requests()).toBe(names.length);
    },
    88_000,
  );

  it("fails for longer than the leases: no run is lost and none ends twice", {
    timeout: 88_000,
    ...tries("F10", "results wait in the outbox; of any type"),
  }, async () => {
    await using at = await setting();
    at.target.hold();
    const sessions = await at.trigger();
    await until("all runs at the target", () => at.target.waiting() === names.length);
    at.way.become("cut");
    at.target.release();
    sessions.push(...(await at.trigger()));
    await pause(15_000); // three leases
    at.way.become("open");
    const results = [...(await expectNothingLost(at.site, { sessions }, 60_000)).values()].flat();
    expect(results.filter(({ resultType }) => resultType === "FINAL")).toHaveLength(2 * names.length);
    await until("an empty outbox", async () => (await at.agent.health()).outbox.depth === 0);
  });

  it("swallows replies to results: the same results again make no second row (L-03)", async () => {
    await using at = await setting();
    at.way.swallow("/agent/v1/results", 3);
    const sessions = await at.trigger();
    const results = [...(await expectNothingLost(at.site, { sessions })).values()].flat();
    await until("an empty outbox", async () => (await at.agent.health()).outbox.depth === 0);
    expect(results).toHaveLength(names.length);
    expect(at.way.swallowed()).toBe(3);
    expect((await at.agent.probe("/metrics"))?.text).toMatch(/^outpost_agent_reports_total\{outcome="duplicate"\} [1-9]/m);
    expect(at.target.requests()).toBe(names.length);
  }, 80_000);

  it("swallows the reply to a lease: the job is given out again, and no attempt is used up (L-04)", async () => {
    await using at = await setting();
    at.way.swallow("/agent/v1/jobs/lease", 1, '"jobId"');
    const sessions = await at.trigger();
    const results = [...(await expectNothingLost(at.site, { sessions })).values()].flat();
    expect(at.way.swallowed()).toBe(1);
    expect(results.map(({ resultType, attempts }) => `${resultType} ${attempts}`)).toEqual(names.map(() => "FINAL 1"));
    expect(at.target.requests()).toBe(names.length);
  }, 80_000);

  it("freezes an open poll without a word: the agent notices and opens another (L-09)", async () => {
    await using at = await setting({ AGENT_POLL_WAIT_SECONDS: "2" });
    at.way.freezeOpenOnes();
    const sessions = await at.trigger();
    const results = [...(await expectNothingLost(at.site, { sessions })).values()].flat();
    expect(results.map(({ resultType, attempts }) => `${resultType} ${attempts}`)).toEqual(names.map(() => "FINAL 1"));
  }, 80_000);

  it("is slow: leases are kept all the same", async () => {
    await using at = await setting();
    at.way.delay(400);
    at.target.hold();
    const sessions = await at.trigger();
    await until("all runs at the target", () => at.target.waiting() === names.length);
    await pause(6_500); // longer than a lease
    at.target.release();
    const results = [...(await expectNothingLost(at.site, { sessions })).values()].flat();
    expect(results.map(({ resultType, attempts }) => `${resultType} ${attempts}`)).toEqual(names.map(() => "FINAL 1"));
  }, 80_000);
});
