import { describe, expect, it } from "vitest";
import { flakyProxy } from "../support/flaky-proxy.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { pause, until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const names = ["a", "b", "c", "d", "e", "f"];

describe.concurrent("an agent that gets SIGTERM", () => {
  it("ends what runs, delivers it, and takes nothing new (P-01, P-04)", async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start();
    const north = await site.location("north");
    const leaving = await site.agent(north, { JOB_CONCURRENCY: "2" }).ready();
    const checks = await Promise.all(names.map((name) => site.check(target.url(name), ["north"])));
    target.hold();
    const sessions = await site.trigger(...checks);
    await until("both seats taken", () => target.waiting() === 2);
    leaving.signal("SIGTERM");
    await until("a readiness of 503", async () => (await leaving.probe("/-/readiness"))?.status === 503, 5_000);
    const other = site.agent(north);
    await pause(6_500); // longer than a lease, so that only heartbeats keep them; shorter than the target may keep silent
    expect((await leaving.probe("/-/liveness"))?.status).toBe(200);
    expect((await leaving.probe("/-/readiness"))?.status).toBe(503);
    target.release();
    expect(await leaving.exit(20_000)).toBe(0);
    await other.ready();

    const results = [...(await expectNothingLost(site, { sessions })).values()].flat();
    expect(results.map(({ resultType, attempts, hasFailures }) => `${resultType} ${attempts} ${hasFailures}`)).toEqual(
      names.map(() => "FINAL 1 false"),
    );
    expect(target.requests()).toBe(names.length);
    expect(leaving.logLines().at(-1)).toMatchObject({ msg: "agent stopped", onDisk: 0, lost: 0 });
  }, 80_000);

  it("hands back at once what cannot end in time, and no attempt is used up", async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start({ env: { LEASE_SECONDS: "60" } });
    const north = await site.location("north");
    const leaving = await site.agent(north, { SHUTDOWN_GRACE_SECONDS: "3" }).ready();
    const check = await site.check(target.url("slow"), ["north"]);
    target.hold();
    const sessions = await site.trigger(check);
    await until("the run at the target", () => target.waiting() === 1);
    leaving.signal("SIGTERM");
    expect(await leaving.exit(20_000)).toBe(0);
    target.release();
    await site.agent(north).ready();
    const results = (await expectNothingLost(site, { sessions })).get(check);
    expect(results).toMatchObject([{ resultType: "FINAL", attempts: 1, hasFailures: false }]);
    expect(target.requests()).toBe(2);
  }, 80_000);

  it("hands back runs that wait for their retry, which goes on elsewhere", async () => {
    await using target = await ledgerTarget((_name, nth) => (nth === 1 ? 500 : 200));
    await using site = await Site.start({ env: { LEASE_SECONDS: "60" } });
    const north = await site.location("north");
    const leaving = await site.agent(north).ready();
    const check = await site.check(target.url("retried"), ["north"], {
      retryStrategy: { type: "FIXED", baseBackoffSeconds: 20, maxRetries: 1 },
    });
    const sessions = await site.trigger(check);
    await until("the first attempt", async () => (await site.results(check)).length === 1);
    leaving.signal("SIGTERM");
    expect(await leaving.exit(20_000)).toBe(0);
    await site.agent(north).ready();
    const results = (await expectNothingLost(site, { sessions })).get(check) ?? [];
    expect(results.map(({ resultType, attempts, hasFailures, hasErrors }) => ({ resultType, attempts, hasFailures, hasErrors }))).toEqual([
      { resultType: "FINAL", attempts: 2, hasFailures: false, hasErrors: false },
      { resultType: "ATTEMPT", attempts: 1, hasFailures: true, hasErrors: false },
    ]);
  }, 80_000);

  it("ends with 5 and names the jobs whose results neither the control plane nor the disk took", async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start({ env: { LEASE_SECONDS: "120" } });
    const north = await site.location("north");
    const leaving = await site.agent(north, { SHUTDOWN_GRACE_SECONDS: "6", OUTBOX_DIR: "/dev/null/outbox" }).ready();
    const check = await site.check(target.url("lost"), ["north"]);
    target.hold();
    await site.trigger(check);
    await until("the run at the target", () => target.waiting() === 1);
    await site.controlPlane.kill();
    target.release();
    await until("the result in memory", async () => (await leaving.health()).outbox.inMemory === 1);
    leaving.signal("SIGTERM");
    expect(await leaving.exit(20_000)).toBe(5);
    const lines = leaving.logLines();
    expect(lines.at(-1)).toMatchObject({ msg: "agent stopped", onDisk: 0, lost: 1 });
    expect(lines.find(({ msg }) => String(msg).startsWith("results are lost"))).toMatchObject({
      lost: 1,
      jobIds: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
    });
  }, 120_000);

  it.each([
    { away: "is killed", leave: async (site: Site) => site.controlPlane.kill(), comeBack: (site: Site) => site.startControlPlane() },
    {
      away: "is frozen",
      leave: async (site: Site) => site.controlPlane.signal("SIGSTOP"),
      comeBack: async (site: Site) => site.controlPlane.signal("SIGCONT"),
    },
  ])(
    "ends in time while the control plane $away, and its next start delivers what is on disk (P-02)",
    async ({ leave, comeBack }) => {
      await using target = await ledgerTarget();
      await using site = await Site.start({ env: { LEASE_SECONDS: "120" } });
      await using seen = await flakyProxy(site.port);
      const north = await site.location("north");
      const leaving = await site.agent(north, { SHUTDOWN_GRACE_SECONDS: "6", API_URL: seen.url }).ready();
      const checks = await Promise.all(names.map((name) => site.check(target.url(name), ["north"])));
      target.hold();
      const sessions = await site.trigger(...checks);
      await until("all runs at the target", () => target.waiting() === names.length);
      await leave(site);
      target.release();
      await until("all results in the outbox", async () => (await leaving.health()).outbox.depth === names.length);
      leaving.signal("SIGTERM");
      expect(await leaving.exit(20_000)).toBe(0);
      expect(leaving.logLines().at(-1)).toMatchObject({ msg: "agent stopped", onDisk: names.length, lost: 0 });

      await comeBack(site);
      const next = await site.agent(north, { DATA_DIR: leaving.folder }).ready();
      const results = [...(await expectNothingLost(site, { sessions })).values()].flat();
      expect(results.map(({ resultType, attempts }) => `${resultType} ${attempts}`)).toEqual(names.map(() => "FINAL 1"));
      expect(target.requests()).toBe(names.length);
      await until("an empty outbox", async () => (await next.health()).outbox.depth === 0);
    },
    80_000,
  );
});
