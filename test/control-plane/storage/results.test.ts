import { describe, expect, it } from "vitest";
import type { AttemptReport, ReportAnswer } from "#contract/agent-protocol.ts";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import {
  account,
  agent,
  allTypes,
  check,
  detailOf,
  lease,
  leaseMs,
  leaseOne,
  location,
  reaping,
  report,
  scene,
  start,
  t0,
  useEngines,
} from "./fixture.ts";

const engines = await useEngines();

async function stored(storage: Storage, checkId: number) {
  return (await storage.results.list({ checkId, limit: 100, resultTypes: allTypes, withDetails: true })).items;
}

const outcomes = (answers: readonly ReportAnswer[]): readonly string[] => answers.map((answer) => answer.outcome);

describe.each(engines.names)("results on %s", (engine) => {
  it("takes a FINAL, ends the job and the session, and gives back what was reported", async () => {
    const { storage, agent: by, check: of, session, account: owner } = await scene(await engines.open(engine));
    const ended: number[] = [];
    storage.signals.onSessionsEnded((nos) => ended.push(...nos));
    const job = await leaseOne(storage, by);
    const sent = report(job, { isDegraded: true, errorMessage: "too slow" });
    expect(await storage.results.ingest(by, [sent], t0 + 1_000)).toEqual([{ jobId: sent.jobId, attempt: 1, outcome: "accepted" }]);
    expect(await stored(storage, of.id)).toEqual([
      {
        checkId: of.id,
        type: "API",
        resultType: "FINAL",
        jobNo: job.no,
        attempt: 1,
        sessionNo: session.no,
        runAtMs: t0,
        locationCode: "berlin",
        startedAtMs: t0 + 100.5,
        stoppedAtMs: t0 + 200.75,
        createdAtMs: t0 + 1_000,
        responseTimeMs: 100.25,
        statusCode: 200,
        hasFailures: false,
        hasErrors: false,
        isDegraded: true,
        isCancelled: false,
        overMaxResponseTime: false,
        agentSide: false,
        isLate: false,
        missedReason: null,
        queuedMs: 12,
        loopDelayMs: 1.5,
        errorGroupIds: [],
        errorMessage: "too slow",
        detailJson: Buffer.from(JSON.stringify(sent.detail)),
        assets: [],
      },
    ]);
    expect(await storage.sessions.byNo(owner.id, session.no)).toMatchObject({
      status: "DEGRADED",
      stoppedAtMs: t0 + 1_000,
      locationCodes: ["berlin"],
    });
    expect(ended).toEqual([session.no]);
    expect(await lease(storage, by, t0 + 60_000)).toEqual([]);
    expect((await storage.agents.ofLocations([by.locationId], 0))[0]?.lastExecutedAtMs).toBe(t0 + 1_000);
  });

  describe("answers a report", () => {
    const finals = { first: {}, other: { responseTimeMs: 7 } };
    it.each([
      { case: "the same body again", change: finals.first, outcome: "duplicate" },
      { case: "another body for the attempt", change: finals.other, outcome: "conflict" },
      { case: "another attempt after the FINAL", change: { attempt: 2 }, outcome: "superseded" },
      { case: "an earlier lease after the FINAL", change: { attempt: 3, fence: 0 }, outcome: "superseded" },
      { case: "another check type", change: { attempt: 2, checkType: "TCP" }, outcome: "rejected" },
    ])("after a FINAL: $case is $outcome", async ({ change, outcome }) => {
      const { storage, agent: by, check: of } = await scene(await engines.open(engine));
      const job = await leaseOne(storage, by);
      await storage.results.ingest(by, [report(job)], t0 + 1_000);
      expect(outcomes(await storage.results.ingest(by, [report(job, change)], t0 + 3_600_000))).toEqual([outcome]);
      expect(await stored(storage, of.id)).toHaveLength(1);
    });

    it.each([
      { case: "a fence that was never given", change: { fence: 9 }, outcome: "rejected" },
      { case: "another check type", change: { checkType: "DNS" }, outcome: "rejected" },
      { case: "an id that nobody gave out", change: { jobId: "123e4567-e89b-42d3-a456-426614174000" }, outcome: "rejected" },
      { case: "too much detail", change: { detail: { body: "x".repeat(4_000_001) } }, outcome: "rejected" },
    ] as { case: string; change: Partial<AttemptReport>; outcome: string }[])(
      "of a leased job: $case is $outcome",
      async ({ change, outcome }) => {
        const { storage, agent: by, check: of } = await scene(await engines.open(engine));
        const job = await leaseOne(storage, by);
        expect(outcomes(await storage.results.ingest(by, [report(job, change), report(job)], t0 + 1_000))).toEqual([outcome, "accepted"]);
        expect(await stored(storage, of.id)).toHaveLength(1);
      },
    );
  });

  it("answers a batch in order, also when it brings the attempts of one job and repeats itself", async () => {
    const { storage, agent: by, check: of, session, account: owner } = await scene(await engines.open(engine));
    const job = await leaseOne(storage, by);
    const attempt = report(job, { resultType: "ATTEMPT", hasFailures: true });
    const final = report(job, { attempt: 2, startedAt: t0 + 300, stoppedAt: t0 + 400 });
    expect(outcomes(await storage.results.ingest(by, [attempt, attempt, final, { ...final, statusCode: 500 }, final], t0 + 1_000))).toEqual(
      ["accepted", "duplicate", "accepted", "conflict", "duplicate"],
    );
    expect((await stored(storage, of.id)).map((row) => [row.resultType, row.attempt])).toEqual([
      ["FINAL", 2],
      ["ATTEMPT", 1],
    ]);
    expect((await storage.sessions.byNo(owner.id, session.no))?.status).toBe("PASSED");
  });

  it("shows a session whose attempt is tried again as failing until the end", async () => {
    const { storage, agent: by, session, account: owner } = await scene(await engines.open(engine));
    const status = async () => (await storage.sessions.byNo(owner.id, session.no))?.status;
    expect(await status()).toBe("STARTED");
    const job = await leaseOne(storage, by);
    expect(await status()).toBe("PROGRESS");
    await storage.results.ingest(by, [report(job, { resultType: "ATTEMPT", hasFailures: true })], t0 + 1_000);
    expect(await status()).toBe("PROGRESS_FAILED");
    await storage.jobs.release(by.id, [job], t0 + 2_000);
    expect(await leaseOne(storage, by, t0 + 2_000)).toMatchObject({ attempt: 2, failedAttempts: 1, firstStartedAtMs: t0 + 101 });
  });

  it("bounds the times of an agent that lies by the run and the clock of the store", async () => {
    const { storage, agent: by, check: of } = await scene(await engines.open(engine));
    const job = await leaseOne(storage, by);
    await storage.results.ingest(by, [report(job, { resultType: "ATTEMPT", startedAt: 0, stoppedAt: -5 })], t0 + 1_000);
    await storage.results.ingest(by, [report(job, { attempt: 2, startedAt: t0 + 1e12, stoppedAt: 0 })], t0 + 2_000);
    expect((await stored(storage, of.id)).map((row) => [row.startedAtMs, row.stoppedAtMs])).toEqual([
      [t0 + 2_000, t0 + 2_000],
      [t0, t0],
    ]);
  });

  it("rejects reports from another location and another account, and takes them from a data center for every account", async () => {
    const { storage, check: of, account: owner, berlin } = await scene(await engines.open(engine));
    const paris = await location(storage, owner.id, "paris");
    const stranger = await location(storage, (await account(storage)).id, "berlin");
    const ireland = await storage.locations.dataCenter("eu-west-1");
    if (!ireland) throw new Error("no data center");
    const job = await leaseOne(storage, await agent(storage, berlin));
    for (const place of [paris, stranger, ireland]) {
      expect(outcomes(await storage.results.ingest(await agent(storage, place), [report(job)], t0 + 1_000))).toEqual(["rejected"]);
    }
    await start(storage, of, [ireland.id], t0 + 5_000);
    const there = await agent(storage, ireland);
    const elsewhere = await leaseOne(storage, there, t0 + 5_000);
    expect(outcomes(await storage.results.ingest(there, [report(elsewhere)], t0 + 6_000))).toEqual(["accepted"]);
    expect((await stored(storage, of.id)).map((row) => row.locationCode)).toEqual(["eu-west-1"]);
  });

  it("takes a late result of an old lease while there is no FINAL, and then no other one", async () => {
    const { storage, agent: frozen, check: of, berlin } = await scene(await engines.open(engine));
    const first = await leaseOne(storage, frozen);
    await storage.jobs.extend(frozen.id, [first], t0 + 1_000, leaseMs);
    await storage.jobs.reap(t0 + 60_000, reaping);
    const healthy = await agent(storage, berlin);
    const second = await leaseOne(storage, healthy, t0 + 60_000);
    expect(second).toMatchObject({ attempt: 2, fence: 2 });
    expect((await stored(storage, of.id)).map((row) => [row.resultType, row.agentSide, row.errorMessage?.split(":")[0]])).toEqual([
      ["ATTEMPT", true, "AGENT_LOST"],
    ]);
    // A retry of its own would take the number of the attempt that runs now.
    expect(outcomes(await storage.results.ingest(frozen, [report(first, { attempt: 2, resultType: "ATTEMPT" })], t0 + 61_000))).toEqual([
      "superseded",
    ]);
    expect(outcomes(await storage.results.ingest(frozen, [report(first)], t0 + 61_000))).toEqual(["accepted"]);
    expect((await stored(storage, of.id)).map((row) => [row.resultType, row.attempt])).toEqual([["FINAL", 1]]);
    expect(outcomes(await storage.results.ingest(healthy, [report(second)], t0 + 62_000))).toEqual(["superseded"]);
    expect((await storage.jobs.extend(healthy.id, [second], t0 + 62_000, leaseMs)).lost).toEqual([second.no]);
  });

  it("refuses the late result of a frozen agent once another one brought the FINAL", async () => {
    const { storage, agent: frozen, check: of, berlin } = await scene(await engines.open(engine));
    const first = await leaseOne(storage, frozen);
    await storage.jobs.extend(frozen.id, [first], t0, leaseMs);
    await storage.jobs.reap(t0 + 60_000, reaping);
    const healthy = await agent(storage, berlin);
    await storage.results.ingest(healthy, [report(await leaseOne(storage, healthy, t0 + 60_000))], t0 + 61_000);
    expect(outcomes(await storage.results.ingest(frozen, [report(first)], t0 + 90_000))).toEqual(["superseded"]);
    expect((await stored(storage, of.id)).map((row) => row.resultType).toSorted()).toEqual(["ATTEMPT", "FINAL"]);
  });

  it("replaces MISSED by a late FINAL, once", async () => {
    const { storage, agent: by, check: of, session, account: owner } = await scene(await engines.open(engine));
    const job = await leaseOne(storage, by);
    await storage.jobs.release(by.id, [job], t0 + 1_000);
    await storage.jobs.reap(t0 + 400_000, reaping);
    expect((await storage.sessions.byNo(owner.id, session.no))?.status).toBe("TIMED_OUT");
    expect((await stored(storage, of.id)).map((row) => [row.resultType, row.missedReason, row.startedAtMs])).toEqual([
      ["MISSED", "expired", t0],
    ]);
    const late = [report(job), report(job, { responseTimeMs: 1 }), report(job, { attempt: 2 })];
    expect(outcomes(await storage.results.ingest(by, late, t0 + 20 * 3_600_000))).toEqual(["accepted", "conflict", "superseded"]);
    expect((await stored(storage, of.id)).map((row) => row.resultType)).toEqual(["FINAL"]);
    expect((await storage.sessions.byNo(owner.id, session.no))?.status).toBe("PASSED");
  });

  it("queues the next attempt at another location, later, and signals it", async () => {
    const { storage, agent: by, account: owner, session, locations } = await scene(await engines.open(engine), ["berlin", "paris"]);
    const paris = locations[1];
    if (!paris) throw new Error("no second location");
    const job = await leaseOne(storage, by);
    const signalled = new Promise((resolve) => storage.signals.onJobs(resolve));
    const attempt = report(job, { resultType: "ATTEMPT", hasFailures: true, retryElsewhereAfterMs: 40 });
    expect(outcomes(await storage.results.ingest(by, [attempt], t0 + 1_000))).toEqual(["accepted"]);
    expect(await signalled).toEqual([paris.id]);
    expect(await lease(storage, by, t0 + 60_000)).toEqual([]);
    const there = await agent(storage, paris);
    expect(await lease(storage, there, t0 + 1_039)).toEqual([]);
    const moved = await leaseOne(storage, there, t0 + 1_040);
    expect(moved).toMatchObject({ attempt: 2, failedAttempts: 1, firstStartedAtMs: t0 + 101, sessionNo: session.no, locationId: paris.id });
    expect(outcomes(await storage.results.ingest(by, [attempt], t0 + 2_000))).toEqual(["duplicate"]);
    expect(
      outcomes(await storage.results.ingest(there, [report(moved, { startedAt: t0 + 1_100, stoppedAt: t0 + 1_200 })], t0 + 2_000)),
    ).toEqual(["accepted"]);
    const ended = await storage.sessions.byNo(owner.id, session.no);
    expect(ended?.status).toBe("PASSED");
    if (!ended) throw new Error("no session");
    expect((await storage.results.ofSession(ended)).map((row) => [row.resultType, row.locationCode, row.attempt])).toEqual([
      ["FINAL", "paris", 2],
      ["ATTEMPT", "berlin", 1],
    ]);
  });

  it("keeps details of any size and shape, and none where there is nothing to keep", async () => {
    const { storage, agent: by, check: of, berlin } = await scene(await engines.open(engine));
    const details = [
      { body: "ä\u0000😀".repeat(65_536 / 4), list: [1, null, { deep: true }] },
      { body: Buffer.from(Array.from({ length: 262_144 }, (_, index) => (index * 7_919) % 251)).toString("base64") },
      "only text",
    ];
    for (const index of details.keys()) await start(storage, of, [berlin.id], t0 + 1_000 * (index + 1));
    const jobs = await lease(storage, by, t0 + 10_000, 10);
    await storage.results.ingest(
      by,
      jobs.map((job, index) => report(job, { detail: details[index - 1] ?? null })),
      t0 + 20_000,
    );
    const rows = await stored(storage, of.id);
    expect(rows.map(detailOf)).toEqual([...details.toReversed(), null]);
    const { items } = await storage.results.list({ checkId: of.id, limit: 100, resultTypes: allTypes, withDetails: false });
    expect(items.map(detailOf)).toEqual([null, null, null, null]);
  });

  it("groups calls that arrive together and answers each with its own", async () => {
    const { storage, agent: by, check: of, berlin } = await scene(await engines.open(engine));
    await storage.schedule.startRuns(
      Array.from({ length: 60 }, (_, index) => ({
        accountId: of.accountId,
        checkId: of.id,
        runAtMs: t0 + index,
        source: "TRIGGER_API",
        locationIds: [berlin.id],
      })),
    );
    const jobs = await lease(storage, by, t0 + 1_000, 100);
    const answers = await Promise.all(jobs.map((job) => storage.results.ingest(by, [report(job)], t0 + 2_000)));
    expect(answers.flat().map((answer) => [answer.jobId, answer.outcome])).toEqual(jobs.map((job) => [report(job).jobId, "accepted"]));
  });

  it.each([
    { runs: [{ hasErrors: true, agentSide: true }], status: "TIMED_OUT" },
    { runs: [{ hasErrors: true, agentSide: true }, {}], status: "TIMED_OUT" },
    { runs: [{ hasErrors: true, agentSide: true }, { hasFailures: true }], status: "FAILED" },
    { runs: [{ hasErrors: true, agentSide: true, isCancelled: true }], status: "CANCELLED" },
  ])("ends a session whose agent spoiled a run as $status after $runs", async ({ runs, status }) => {
    const { storage, check: of, account: owner, locations } = await scene(await engines.open(engine), ["berlin", "paris"]);
    const session = await start(
      storage,
      of,
      locations.slice(0, runs.length).map((place) => place.id),
      t0 + 1,
    );
    const statuses: (string | undefined)[] = [];
    for (const [index, change] of runs.entries()) {
      const by = await agent(storage, locations[index] ?? locations[0]!);
      const job = (await lease(storage, by, t0 + 1)).find((one) => one.sessionNo === session.no);
      if (!job) throw new Error("no job");
      const spoiled = report(job, { ...change, resultType: "ATTEMPT" });
      await storage.results.ingest(
        by,
        "agentSide" in change ? [spoiled, report({ ...job, attempt: 2 }, change)] : [report(job, change)],
        t0 + 1_000,
      );
      statuses.push((await storage.sessions.byNo(owner.id, session.no))?.status);
    }
    expect(statuses).toEqual([...runs.slice(1).map(() => "PROGRESS"), status]);
    expect(await storage.sessions.byNo(owner.id, session.no)).toMatchObject({ status, stoppedAtMs: t0 + 1_000 });
  });

  it("turns the check's status with the newest FINAL, and not with cancelled, missed or spoiled runs", async () => {
    const { storage, agent: by, check: of, account: owner, berlin } = await scene(await engines.open(engine));
    const runs: readonly Partial<AttemptReport>[] = [
      { hasFailures: true, responseTimeMs: 900 },
      { responseTimeMs: 10, detail: { connection: { tls: { daysRemaining: 21 } } } },
      { hasErrors: true, isCancelled: true },
      { hasErrors: true, agentSide: true },
    ];
    for (const index of runs.keys()) await start(storage, of, [berlin.id], t0 + 1_000 * (index + 1));
    const [first, ...jobs] = await lease(storage, by, t0 + 10_000, 10);
    if (!first) throw new Error("no job");
    await storage.results.ingest(
      by,
      jobs.map((job, index) => report(job, runs[index] ?? {})),
      t0 + 20_000,
    );
    // The oldest run is uploaded last: it widens the range, and turns nothing back.
    await storage.results.ingest(by, [report(first, { hasFailures: true, responseTimeMs: 5 })], t0 + 30_000);
    expect(await storage.checks.statuses(owner.id)).toEqual([
      {
        checkUuid: of.uuid,
        name: "a check",
        hasFailures: false,
        hasErrors: false,
        isDegraded: false,
        longestRunMs: 900,
        shortestRunMs: 5,
        lastRunLocation: "berlin",
        lastCheckRunId: String(t0 + 2_000),
        sslDaysRemaining: 21,
        createdAtMs: t0 + 20_000,
        updatedAtMs: t0 + 20_000,
      },
    ]);
    expect(await storage.checks.status(owner.id, of.uuid)).toMatchObject({ checkUuid: of.uuid });
    expect(await check(storage, owner.id, [berlin.id])).toMatchObject({ type: "API" });
    expect(await storage.checks.statuses(owner.id)).toHaveLength(1);
  });
});
