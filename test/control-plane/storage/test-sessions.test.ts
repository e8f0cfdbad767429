import { describe, expect, it } from "vitest";
import type { CheckRow, Storage, TestSessionDefinition, TestSessionRow } from "../../../src/control-plane/storage/storage.ts";
import { testRunStatus, testSessionStatus } from "../../../src/domain/test-session-status.ts";
import { allTypes, check, lease, leaseMs, leaseOne, location, reaping, report, scene, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

const everyStatus = ["RUNNING", "FAILED", "PASSED", "CANCELLED"] as const;

function start(
  storage: Storage,
  locationId: number,
  checks: readonly CheckRow[],
  definition: Partial<TestSessionDefinition> = {},
  name = "test",
) {
  return storage.testSessions.create({
    accountId: checks[0]?.accountId ?? 0,
    locationId,
    name,
    definition: { environmentVariables: [], ...definition },
    checks: checks.map(({ id, uuid, type, definition: { name: title } }) => ({ id, uuid, type, name: title })),
    nowMs: t0,
  });
}

async function statusOf(storage: Storage, { accountId, id }: TestSessionRow) {
  const session = await storage.testSessions.byId(accountId, id);
  return session && testSessionStatus(session.runs.map((run) => testRunStatus(run.status)));
}

describe.each(engines.names)("test sessions on %s", (engine) => {
  it("run each check once and keep the results to themselves", async () => {
    const { storage, account, berlin, agent: by, check: of, session: own } = await scene(await engines.open(engine));
    const other = await check(storage, account.id, [berlin.id], { name: "other" });
    await storage.results.ingest(by, [report(await leaseOne(storage, by))], t0 + 500);
    const started = await start(storage, berlin.id, [of, other], { retryStrategy: null, metadata: { branchName: "main" } }, "after deploy");
    expect(started).toMatchObject({ name: "after deploy", locationCode: "berlin", privateLocationUuid: berlin.uuid, startedAtMs: t0 });
    expect(await statusOf(storage, started)).toBe("RUNNING");
    const jobs = await lease(storage, by);
    expect(jobs.map(({ testSession }) => testSession)).toEqual([started.definition, started.definition]);
    expect(started.definition.retryStrategy).toBeNull();
    const [first, second] = jobs;
    if (!first || !second) throw new Error("two jobs");
    const failed = report(second, { hasFailures: true, errorMessage: "refused" });
    const answers = await storage.results.ingest(by, [report(first), failed], t0 + 1_000);
    expect(answers.map(({ outcome }) => outcome)).toEqual(["accepted", "accepted"]);
    expect((await storage.results.ingest(by, [failed], t0 + 2_000))[0]?.outcome).toBe("duplicate");
    expect(await statusOf(storage, started)).toBe("FAILED");

    const ended = await storage.testSessions.byId(account.id, started.id);
    const results = await storage.testSessions.results(started);
    expect(results.toSorted((a, b) => a.jobNo - b.jobNo)).toMatchObject([
      { jobNo: first.no, hasFailures: false },
      { jobNo: second.no, hasFailures: true },
    ]);
    const run = ended?.runs.find(({ check: { uuid } }) => uuid === other.uuid);
    if (!ended || !run) throw new Error("no run of the check");
    expect(await storage.testSessions.resultsOfRun(ended, run)).toMatchObject([
      { errorMessage: "refused", detailJson: Buffer.from(JSON.stringify(failed.detail)), locationCode: "berlin" },
    ]);

    const listed = await storage.results.list({ checkId: of.id, limit: 10, resultTypes: allTypes, withDetails: false });
    expect(listed.items.map(({ sessionNo }) => sessionNo)).toEqual([own.no]);
    expect((await storage.results.list({ checkId: other.id, limit: 10, resultTypes: allTypes, withDetails: false })).items).toEqual([]);
    expect((await storage.checks.statuses(account.id)).map(({ checkUuid }) => checkUuid)).toEqual([of.uuid]);
    expect((await storage.errorGroups.list(account.id, { page: 1, limit: 10 })).total).toBe(0);
    expect(await storage.sessions.byNo(account.id, second.sessionNo)).toBeUndefined();
    expect(await storage.testSessions.byId(account.id + 1, started.id)).toBeUndefined();
  });

  it("keep attempts, lost leases and runs that nobody took", async () => {
    const { storage, account, berlin, agent: by, check: of, locations } = await scene(await engines.open(engine), ["berlin", "paris"]);
    await lease(storage, by);
    const paris = locations[1];
    if (!paris) throw new Error("no second location");
    const started = await start(storage, berlin.id, [of]);
    const job = await leaseOne(storage, by);
    await storage.results.ingest(by, [report(job, { resultType: "ATTEMPT", hasFailures: true, errorMessage: "refused" })], t0 + 1_000);
    await storage.jobs.extend(by.id, [job], t0 + 2_000, leaseMs);
    await storage.jobs.reap(t0 + 60_000, reaping);
    const again = (await lease(storage, by, t0 + 60_000)).find(({ no }) => no === job.no);
    if (!again) throw new Error("the job did not come back");
    await storage.results.ingest(by, [report(again)], t0 + 61_000);
    const results = await storage.testSessions.results(started);
    const attempts = results.toSorted((a, b) => a.attempt - b.attempt).map(({ resultType, agentSide }) => [resultType, agentSide]);
    expect(attempts).toEqual([
      ["ATTEMPT", false],
      ["ATTEMPT", true],
      ["FINAL", false],
    ]);
    expect(await statusOf(storage, started)).toBe("PASSED");
    const untaken = await start(storage, paris.id, [of]);
    await storage.jobs.reap(t0 + 400_000, reaping);
    expect((await storage.testSessions.results(untaken)).map(({ resultType }) => resultType)).toEqual(["MISSED"]);
    expect(await statusOf(storage, untaken)).toBe("FAILED");
    const own = await storage.results.list({ checkId: of.id, limit: 10, resultTypes: ["ATTEMPT", "FINAL"], withDetails: false });
    expect(own.items.filter(({ sessionNo }) => started.runs.some(({ jobNo }) => Math.floor(jobNo / 256) === sessionNo))).toEqual([]);
    expect(
      (await storage.testSessions.list(account.id, { limit: 10, statuses: ["FAILED"], branches: [] })).items.map(({ id }) => id),
    ).toEqual([untaken.id]);
  });

  it("are listed latest first, by status, branch, text and time", async () => {
    const { storage, account, berlin, agent: by, check: of } = await scene(await engines.open(engine));
    await lease(storage, by);
    const passed = await start(storage, berlin.id, [of], { metadata: { branchName: "main", commitMessage: "Fix 100% of it" } }, "Nightly");
    await storage.results.ingest(by, [report(await leaseOne(storage, by))], t0 + 1_000);
    const cancelled = await start(storage, berlin.id, [of], { metadata: { branchName: "feature" } });
    for (const { jobNo } of cancelled.runs) await storage.jobs.cancel(Math.floor(jobNo / 256), t0 + 2_000);
    const running = await start(storage, berlin.id, [of]);
    const ids = async (filter: object) => {
      const { items, next } = await storage.testSessions.list(account.id, { limit: 10, statuses: everyStatus, branches: [], ...filter });
      return [...items.map(({ id }) => id), next];
    };
    expect(await ids({})).toEqual([running.id, cancelled.id, passed.id, null]);
    expect(await ids({ limit: 2 })).toEqual([running.id, cancelled.id, cancelled.id]);
    expect(await ids({ limit: 2, before: cancelled.id })).toEqual([passed.id, null]);
    expect(await ids({ statuses: ["PASSED"] })).toEqual([passed.id, null]);
    expect(await ids({ statuses: ["RUNNING", "CANCELLED"] })).toEqual([running.id, cancelled.id, null]);
    expect(await ids({ branches: ["main", "other"] })).toEqual([passed.id, null]);
    expect(await ids({ text: "100% OF" })).toEqual([passed.id, null]);
    expect(await ids({ text: "night_y" })).toEqual([null]);
    expect(await ids({ fromMs: t0 + 1 })).toEqual([null]);
    expect(await ids({ toMs: t0 + 1 })).toHaveLength(4);
    expect((await storage.testSessions.list(account.id + 1, { limit: 10, statuses: everyStatus, branches: [] })).items).toEqual([]);
  });

  it("end when one of their checks is removed, and go with the results", async () => {
    const { storage, account, berlin, agent: by, check: of } = await scene(await engines.open(engine));
    const other = await check(storage, account.id, [berlin.id]);
    await lease(storage, by);
    const started = await start(storage, berlin.id, [of, other]);
    await storage.checks.remove(account.id, other.uuid, t0 + 500);
    await storage.results.ingest(by, [report(await leaseOne(storage, by))], t0 + 1_000);
    expect(await statusOf(storage, started)).toBe("CANCELLED");
    expect((await storage.testSessions.list(account.id, { limit: 10, statuses: ["CANCELLED"], branches: [] })).items).toHaveLength(1);
    await location(storage, account.id, "elsewhere");
    const day = 86_400_000;
    for (let more = true; more; ) ({ more } = await storage.results.prune(t0 + 3 * day, 1_000));
    expect(await storage.testSessions.byId(account.id, started.id)).toBeUndefined();
    expect(await storage.testSessions.results(started)).toEqual([]);
  });
});
