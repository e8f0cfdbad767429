import { describe, expect, it } from "vitest";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { agent, allTypes, check, lease, leaseMs, leaseOne, location, reaping, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

async function resultsOf(storage: Storage, checkId: number) {
  return (await storage.results.list({ checkId, limit: 100, resultTypes: allTypes, withDetails: false })).items;
}

describe.each(engines.names)("jobs on %s", (engine) => {
  it("gives a job to one agent, with all that it needs to run it", async () => {
    const { storage, agent: by, check: of, session, account: owner, berlin } = await scene(await engines.open(engine));
    expect(await lease(storage, by, t0 + 5)).toEqual([
      {
        no: expect.any(Number),
        fence: 1,
        attempt: 1,
        dueAtMs: t0,
        leasedAtMs: t0 + 5,
        runAtMs: t0,
        sessionNo: session.no,
        locationId: berlin.id,
        failedAttempts: 0,
        firstStartedAtMs: null,
        isAwaited: true,
        accountUuid: owner.uuid,
        accountRuntimeId: "2026.04",
        check: of,
        group: null,
        groupUuid: null,
        testSession: null,
      },
    ]);
    expect(await lease(storage, await agent(storage, berlin), t0 + 6)).toEqual([]);
  });

  it("keeps how far a job is for the agent that has it, until it ends", async () => {
    const { storage, agent: by, berlin } = await scene(await engines.open(engine));
    const [job] = await lease(storage, by, t0 + 5);
    const { no, fence } = job!;
    expect(await storage.jobs.progress([no])).toEqual(new Map());
    await storage.jobs.tell(by.id, { no, fence }, "half");
    expect(await storage.jobs.progress([no, no + 1])).toEqual(new Map([[no, "half"]]));
    await storage.jobs.tell(by.id, { no, fence: fence - 1 }, "an older lease");
    await storage.jobs.tell((await agent(storage, berlin)).id, { no, fence }, "another agent");
    expect(await storage.jobs.progress([no])).toEqual(new Map([[no, "half"]]));
    await storage.results.ingest(by, [report(job!)], t0 + 50);
    expect(await storage.jobs.progress([no])).toEqual(new Map());
  });

  it("leases the oldest first, only what is due, only types that the agent runs and only at its location", async () => {
    const { storage, agent: by, check: of, berlin, account: owner } = await scene(await engines.open(engine));
    await lease(storage, by);
    const paris = await location(storage, owner.id, "paris");
    await start(storage, of, [berlin.id, paris.id], t0 + 30);
    await start(storage, of, [berlin.id], t0 + 10);
    await start(storage, of, [berlin.id], t0 + 20);
    const ask = { agentSession: by.id, locationId: berlin.id, runtimes: [], max: 2, leaseMs };
    expect(await storage.jobs.lease({ ...ask, checkTypes: ["TCP"], nowMs: t0 + 100 })).toEqual([]);
    expect(await storage.jobs.lease({ ...ask, checkTypes: [], nowMs: t0 + 100 })).toEqual([]);
    expect((await storage.jobs.lease({ ...ask, checkTypes: ["TCP", "API"], nowMs: t0 + 25 })).map((job) => job.dueAtMs)).toEqual([
      t0 + 10,
      t0 + 20,
    ]);
    expect(await storage.jobs.lease({ ...ask, checkTypes: ["API"], nowMs: t0 + 29 })).toEqual([]);
    expect(await storage.jobs.lease({ ...ask, checkTypes: ["API"], nowMs: t0 + 30 })).toHaveLength(1);
  });

  it("never gives one job to two agents that ask at the same time", async () => {
    const { storage, check: of, berlin } = await scene(await engines.open(engine));
    await storage.schedule.startRuns(
      Array.from({ length: 199 }, () => ({
        accountId: of.accountId,
        checkId: of.id,
        runAtMs: t0,
        source: "TRIGGER_API",
        locationIds: [berlin.id],
      })),
    );
    const agents = await Promise.all(Array.from({ length: 5 }, () => agent(storage, berlin)));
    const taken: number[] = [];
    await Promise.all(
      agents.map(async (one) => {
        for (let jobs = await lease(storage, one, t0, 7); jobs.length > 0; jobs = await lease(storage, one, t0, 7))
          taken.push(...jobs.map((job) => job.no));
      }),
    );
    expect(taken).toHaveLength(200);
    expect(new Set(taken).size).toBe(200);
  });

  it("extends what the agent holds, and tells what is lost", async () => {
    const { storage, agent: by, berlin } = await scene(await engines.open(engine));
    const other = await agent(storage, berlin);
    const job = await leaseOne(storage, by);
    const old = { no: job.no, fence: job.fence - 1 };
    const unknown = { no: 99_999, fence: 1 };
    expect(await storage.jobs.extend(by.id, [job, unknown], t0 + 10_000, leaseMs)).toEqual({
      extended: [job.no],
      lost: [unknown.no],
      cancel: [],
    });
    expect(await storage.jobs.extend(by.id, [old], t0 + 10_000, leaseMs)).toEqual({ extended: [], lost: [job.no], cancel: [] });
    expect(await storage.jobs.extend(other.id, [job], t0 + 10_000, leaseMs)).toEqual({ extended: [], lost: [job.no], cancel: [] });
    expect(await storage.jobs.extend(by.id, [], t0, leaseMs)).toEqual({ extended: [], lost: [], cancel: [] });
    expect(await storage.jobs.reap(t0 + 39_999, reaping)).toEqual({ requeued: 0, missed: 0 });
    expect(await storage.jobs.reap(t0 + 40_000, reaping)).toEqual({ requeued: 1, missed: 0 });
  });

  it("takes jobs back from an agent without using up the attempt, and refuses those that it does not hold", async () => {
    const { storage, agent: by, berlin } = await scene(await engines.open(engine));
    const other = await agent(storage, berlin);
    const job = await leaseOne(storage, by);
    const woken: (readonly number[])[] = [];
    storage.signals.onJobs((locations) => woken.push(locations));
    expect(await storage.jobs.release(other.id, [job], t0 + 1_000)).toEqual([]);
    expect(await storage.jobs.release(by.id, [job, { no: 1, fence: 1 }], t0 + 1_000)).toEqual([job.no]);
    expect(woken).toEqual([[berlin.id]]);
    expect(await leaseOne(storage, other, t0 + 1_000)).toMatchObject({ no: job.no, attempt: 1, fence: 2, failedAttempts: 0 });
  });

  it("queues a lease again with the same attempt when nobody acknowledged it", async () => {
    const { storage, agent: by, check: of, berlin } = await scene(await engines.open(engine));
    await leaseOne(storage, by);
    const woken: (readonly number[])[] = [];
    storage.signals.onJobs((locations) => woken.push(locations));
    expect(await storage.jobs.reap(t0 + 14_999, reaping)).toEqual({ requeued: 0, missed: 0 });
    expect(await storage.jobs.reap(t0 + 15_000, { ...reaping, graceUntilMs: t0 + 15_001 })).toEqual({ requeued: 0, missed: 0 });
    expect(await storage.jobs.reap(t0 + 15_000, { ...reaping, acknowledgeMs: 20_000 })).toEqual({ requeued: 0, missed: 0 });
    expect(await storage.jobs.reap(t0 + 15_000, reaping)).toEqual({ requeued: 1, missed: 0 });
    expect(woken).toEqual([[berlin.id]]);
    expect(await leaseOne(storage, by, t0 + 15_000)).toMatchObject({ attempt: 1, fence: 2 });
    expect(await resultsOf(storage, of.id)).toEqual([]);
  });

  it.each([
    { how: "handed back", acknowledged: true, end: "release", attempt: 2 },
    { how: "never acknowledged", acknowledged: false, end: "reap", attempt: 2 },
    { how: "lost in the attempt after it", acknowledged: true, end: "reap", attempt: 3 },
  ] as const)("leases a job that has a failed attempt with the next number: $how", async ({ acknowledged, end, attempt }) => {
    const { storage, agent: by, check: of } = await scene(await engines.open(engine));
    const job = await leaseOne(storage, by);
    if (acknowledged) await storage.jobs.extend(by.id, [job], t0, leaseMs);
    await storage.results.ingest(by, [report(job, { resultType: "ATTEMPT", hasFailures: true })], t0 + 1_000);
    if (end === "release") await storage.jobs.release(by.id, [job], t0 + 2_000);
    else await storage.jobs.reap(t0 + 60_000, reaping);
    const next = await leaseOne(storage, by, t0 + 60_000);
    expect(next).toMatchObject({ attempt, fence: 2, failedAttempts: 1 });
    const final = report(next, { startedAt: t0 + 60_000, stoppedAt: t0 + 60_100 });
    expect(await storage.results.ingest(by, [final], t0 + 61_000)).toMatchObject([{ outcome: "accepted" }]);
    const attempts = (await resultsOf(storage, of.id)).map((row) => row.attempt);
    expect(attempts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: attempt }, (_, index) => index + 1));
  });

  it("counts lost leases, and sets a job aside that lost three (L-16)", async () => {
    const { storage, agent: by, check: of, session, account: owner } = await scene(await engines.open(engine));
    let nowMs = t0;
    for (const [attempt, expected] of [
      [1, { requeued: 1, missed: 0 }],
      [2, { requeued: 1, missed: 0 }],
      [3, { requeued: 0, missed: 1 }],
    ] as const) {
      const job = await leaseOne(storage, by, nowMs);
      expect(job).toMatchObject({ attempt, fence: attempt, failedAttempts: 0 });
      await storage.jobs.extend(by.id, [job], nowMs, leaseMs);
      nowMs += leaseMs;
      expect(await storage.jobs.reap(nowMs, reaping)).toEqual(expected);
    }
    expect(await lease(storage, by, nowMs)).toEqual([]);
    expect((await resultsOf(storage, of.id)).map((row) => [row.resultType, row.attempt, row.missedReason, row.agentSide])).toEqual([
      ["ATTEMPT", 3, null, true],
      ["ATTEMPT", 2, null, true],
      ["ATTEMPT", 1, null, true],
      ["MISSED", 0, "agent_lost", false],
    ]);
    expect(await storage.sessions.byNo(owner.id, session.no)).toMatchObject({ status: "TIMED_OUT", stoppedAtMs: nowMs });
    expect(await storage.checks.statuses(owner.id)).toEqual([]);
  });

  it("records a run as missed that waited six minutes, with the reason", async () => {
    const { storage, agent: by, check: of, account: owner, berlin } = await scene(await engines.open(engine));
    const empty = await location(storage, owner.id, "empty");
    await lease(storage, by);
    await start(storage, of, [empty.id, berlin.id]);
    const ended: number[] = [];
    storage.signals.onSessionsEnded((nos) => ended.push(...nos));
    await storage.agents.seen(by.id, { nowMs: t0 + 359_000, state: "running", outboxDepth: 0, eventLoopDelayMs: 1, clockAheadMs: null });
    expect(await storage.jobs.reap(t0 + 359_999, { ...reaping, graceUntilMs: t0 + 1e9 })).toEqual({ requeued: 0, missed: 0 });
    expect(await storage.jobs.reap(t0 + 360_000, { ...reaping, graceUntilMs: t0 + 1e9 })).toEqual({ requeued: 0, missed: 2 });
    const missed = await resultsOf(storage, of.id);
    expect(missed.map((row) => [row.resultType, row.locationCode, row.missedReason, row.startedAtMs])).toEqual(
      expect.arrayContaining([
        ["MISSED", "berlin", "no_capacity", t0],
        ["MISSED", "empty", "no_agent", t0],
      ]),
    );
    expect(ended).toEqual([missed[0]?.sessionNo]);
  });

  it("takes a session that only looks around for no agent", async () => {
    const { storage, check: of, account: owner, berlin } = await scene(await engines.open(engine));
    const rome = await location(storage, owner.id, "rome");
    const opened = { tokenHash: "doctor", agentId: "a", locationId: rome.id, accountId: owner.id, keyId: "key", name: "", version: "1" };
    const rest = { runtimes: [], sandboxLevel: 0, nowMs: t0, expiresAtMs: t0 + 1e9 };
    const doctor = await storage.agents.open({ ...opened, ...rest, checkTypes: ["API"], capabilities: { doctor: true } });
    await storage.agents.open({ ...opened, ...rest, tokenHash: "idle", checkTypes: [], capabilities: {} });
    await storage.agents.seen(doctor.id, {
      nowMs: t0 + 350_000,
      state: "running",
      outboxDepth: 0,
      eventLoopDelayMs: 0,
      clockAheadMs: null,
    });
    expect(await storage.agents.ofLocations([rome.id, berlin.id], 0)).toHaveLength(1);
    expect((await storage.locations.byId(rome.id))?.lastSeenAtMs).toBeNull();
    await start(storage, of, [rome.id]);
    await storage.jobs.reap(t0 + 360_000, reaping);
    expect((await resultsOf(storage, of.id)).map((row) => [row.locationCode, row.missedReason])).toContainEqual(["rome", "no_agent"]);
  });

  it("ends queued jobs of a cancelled session at once, and leased ones when their agent heard of it", async () => {
    const { storage, check: of, account: owner, locations } = await scene(await engines.open(engine), ["berlin", "paris", "rome"]);
    const [, paris, rome] = locations;
    if (!paris || !rome) throw new Error("no locations");
    const session = await start(storage, of, [paris.id, rome.id]);
    const running = await agent(storage, paris);
    const job = await leaseOne(storage, running);
    const ended: number[] = [];
    storage.signals.onSessionsEnded((nos) => ended.push(...nos));
    await storage.jobs.cancel(session.no, t0 + 1_000);
    expect(await lease(storage, await agent(storage, rome), t0 + 1_000)).toEqual([]);
    expect(ended).toEqual([]);
    expect(await storage.jobs.extend(running.id, [job], t0 + 2_000, leaseMs)).toEqual({ extended: [], lost: [], cancel: [job.no] });
    await storage.results.ingest(running, [report(job, { isCancelled: true, hasErrors: true })], t0 + 3_000);
    expect(await storage.sessions.byNo(owner.id, session.no)).toMatchObject({ status: "CANCELLED", stoppedAtMs: t0 + 3_000 });
    await storage.jobs.cancel(session.no, t0 + 4_000);
    expect(ended).toEqual([session.no]);
  });

  it("ends a session that was cancelled so, also where its run is over before its agent heard of it", async () => {
    const { storage, agent: by, check: of, account: owner, berlin, session } = await scene(await engines.open(engine));
    const second = await start(storage, of, [berlin.id], t0 + 1);
    const [passed, retried] = await lease(storage, by, t0 + 1);
    if (!passed || !retried) throw new Error("no jobs");
    for (const one of [session, second]) await storage.jobs.cancel(one.no, t0 + 1_000);
    const attempt = report(retried, { resultType: "ATTEMPT", hasFailures: true, retryElsewhereAfterMs: 40 });
    await storage.results.ingest(by, [report(passed), attempt], t0 + 2_000);
    for (const one of [session, second]) {
      expect(await storage.sessions.byNo(owner.id, one.no)).toMatchObject({ status: "CANCELLED", stoppedAtMs: t0 + 2_000 });
    }
    expect(await lease(storage, by, t0 + 60_000)).toEqual([]);
    const results = (await resultsOf(storage, of.id)).map(({ resultType, isCancelled }) => `${resultType} ${isCancelled}`);
    expect(new Set(results)).toEqual(new Set(["ATTEMPT false", "FINAL false"]));
  });

  it("never runs a cancelled job again, whether its agent hands it back or goes away", async () => {
    const { storage, agent: by, check: of, account: owner, berlin, session } = await scene(await engines.open(engine));
    const second = await start(storage, of, [berlin.id], t0 + 1);
    const [handedBack, lost] = await lease(storage, by, t0 + 1);
    if (!handedBack || !lost) throw new Error("no jobs");
    for (const one of [session, second]) await storage.jobs.cancel(one.no, t0 + 1_000);
    await storage.jobs.release(by.id, [handedBack], t0 + 2_000);
    await storage.jobs.reap(t0 + 60_000, reaping);
    expect(await lease(storage, by, t0 + 60_000)).toEqual([]);
    for (const one of [session, second]) expect((await storage.sessions.byNo(owner.id, one.no))?.status).toBe("CANCELLED");
  });

  it("tells how deep the queues are", async () => {
    const { storage, agent: by, check: of, berlin } = await scene(await engines.open(engine));
    await start(storage, of, [berlin.id], t0 + 500);
    await start(storage, of, [berlin.id], t0 + 700);
    await start(storage, of, [berlin.id], t0 + 90_000);
    await lease(storage, by, t0, 1);
    expect(await storage.jobs.queueDepths(t0 + 1_000)).toEqual([{ locationId: berlin.id, queued: 2, leased: 1, oldestDueMs: t0 + 500 }]);
    const queues = await storage.jobs.locationQueues(t0 + 1_000);
    expect(queues).toContainEqual({ locationId: berlin.id, code: berlin.code, queued: 2, leased: 1, oldestDueMs: t0 + 500 });
    await storage.locations.sampleQueues(t0 + 1_600, 60_000);
    await storage.locations.sampleQueues(t0 + 61_700, 60_000);
    expect(await storage.locations.queueHistory(berlin.id, 0, t0 + 1e9)).toEqual([{ atMs: t0 + 61_700, queueSize: 2, oldestSeconds: 61 }]);
  });

  it("takes jobs along when their check is removed", async () => {
    const { storage, agent: by, check: of, account: owner, session, berlin } = await scene(await engines.open(engine));
    const kept = await check(storage, owner.id, [berlin.id]);
    await start(storage, kept, [berlin.id], t0 + 1);
    const job = await leaseOne(storage, by);
    const ended: number[] = [];
    storage.signals.onSessionsEnded((nos) => ended.push(...nos));
    expect(await storage.checks.remove(owner.id, of.uuid, t0)).toBe(true);
    expect(await storage.checks.remove(owner.id, of.uuid, t0)).toBe(false);
    expect(ended).toEqual([session.no]);
    expect((await storage.results.ingest(by, [report(job)], t0 + 1_000))[0]?.outcome).toBe("rejected");
    expect((await storage.jobs.extend(by.id, [job], t0 + 1_000, leaseMs)).lost).toEqual([job.no]);
    expect((await lease(storage, by, t0 + 2_000)).map((one) => one.check.uuid)).toEqual([kept.uuid]);
  });
});
