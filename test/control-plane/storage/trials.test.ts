import { describe, expect, it } from "vitest";
import { allTypes, check, lease, leaseOne, location, reaping, report, scene, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("checks that run without being stored, on %s", (engine) => {
  /** A location with an agent that has nothing else to do, and a check whose definition others borrow. */
  async function trialScene() {
    const all = await scene(await engines.open(engine));
    const { storage, account, berlin, agent: by, check: of } = all;
    await lease(storage, by);
    const uuid = crypto.randomUUID();
    const start = (scriptRuntime: string | null = null) => startAll([scriptRuntime]);
    const startAll = (scriptRuntimes: readonly (string | null)[], suite: string | null = null) =>
      storage.testSessions.createTrials({
        accountId: account.id,
        locationId: berlin.id,
        name: "tried",
        definition: { environmentVariables: [], retryStrategy: null },
        trials: scriptRuntimes.map((scriptRuntime, index) => ({
          check: {
            uuid: index === 0 ? uuid : crypto.randomUUID(),
            type: of.type,
            definition: { ...of.definition, name: index === 0 ? "tried" : `tried ${index + 1}` },
            groupId: null,
            scriptRuntime,
          },
          isStored: false,
        })),
        suite,
        nowMs: t0,
      });
    return { ...all, uuid, start, startAll };
  }

  it("run once as they were sent, and touch no check that is stored", async () => {
    const { storage, account, agent: by, check: of, uuid, start } = await trialScene();
    const started = await start();
    expect(started.runs.map((run) => [run.check.name, run.check.uuid, run.status])).toEqual([["tried", null, "STARTED"]]);
    const job = await leaseOne(storage, by);
    expect(job).toMatchObject({
      accountUuid: account.uuid,
      check: { uuid, accountId: account.id, definition: { name: "tried" } },
      testSession: started.definition,
    });
    expect((await storage.results.ingest(by, [report(job, { checkType: "TCP" })], t0 + 500))[0]?.outcome).toBe("rejected");
    const failed = report(job, { hasFailures: true, errorMessage: "refused" });
    expect((await storage.results.ingest(by, [failed], t0 + 1_000))[0]?.outcome).toBe("accepted");
    expect((await storage.results.ingest(by, [failed], t0 + 2_000))[0]?.outcome).toBe("duplicate");
    const ended = await storage.testSessions.byId(account.id, started.id);
    const [run] = ended?.runs ?? [];
    if (!ended || !run) throw new Error("no run");
    expect(run).toMatchObject({ status: "FAILED", stoppedAtMs: t0 + 1_000 });
    expect(await storage.testSessions.resultsOfRun(ended, run)).toMatchObject([{ errorMessage: "refused", hasFailures: true }]);
    expect((await storage.checks.statuses(account.id)).map(({ checkUuid }) => checkUuid)).not.toContain(uuid);
    expect((await storage.errorGroups.list(account.id, { page: 1, limit: 10 })).total).toBe(0);
    expect((await storage.results.list({ checkId: of.id, limit: 10, resultTypes: allTypes, withDetails: false })).items).toEqual([]);
    expect(await storage.testSessions.list(account.id, { limit: 10, statuses: ["FAILED"], branches: [] })).toMatchObject({
      items: [{ id: started.id }],
    });
  });

  it("are taken by agents that have the runtime of their scripts, and missed for the lack of it", async () => {
    const { storage, agent: by, start } = await trialScene();
    const started = await start("2026.04");
    const wanted = { agentSession: by.id, locationId: by.locationId, checkTypes: ["API"], max: 10, nowMs: t0, leaseMs: 30_000 };
    expect(await storage.jobs.lease({ ...wanted, runtimes: [] })).toEqual([]);
    expect(await storage.jobs.lease({ ...wanted, runtimes: ["2025.04"] })).toEqual([]);
    await storage.jobs.reap(t0 + 400_000, reaping);
    const [run] = started.runs;
    if (!run) throw new Error("no run");
    expect(await storage.testSessions.resultsOfRun(started, run)).toMatchObject([{ resultType: "MISSED", missedReason: "no_agent" }]);
    const other = await start("2026.04");
    expect((await storage.jobs.lease({ ...wanted, runtimes: ["2026.04"] })).map(({ no }) => no)).toEqual(
      other.runs.map(({ jobNo }) => jobNo),
    );
  });

  it("run side by side in one test session, each with its own runtime and its own results", async () => {
    const { storage, account, agent: by, startAll } = await trialScene();
    const started = await startAll([null, "2026.04", null], "a-suite");
    expect(started.runs.map(({ check: { name } }) => name)).toEqual(["tried", "tried 2", "tried 3"]);
    const nos = started.runs.map(({ jobNo }) => jobNo);
    const pulses = async () => (await storage.testSessions.pulses([started.id])).map(({ hasBegun, hasEnded }) => [hasBegun, hasEnded]);
    expect(await pulses()).toEqual(nos.map(() => [false, false]));
    const wanted = { agentSession: by.id, locationId: by.locationId, checkTypes: ["API"], max: 10, nowMs: t0, leaseMs: 30_000 };
    const jobs = await storage.jobs.lease({ ...wanted, runtimes: [] });
    expect(jobs.map(({ check: { definition } }) => definition.name)).toEqual(["tried", "tried 3"]);
    const others = await storage.jobs.lease({ ...wanted, runtimes: ["2026.04"] });
    expect(others.map(({ check: { definition } }) => definition.name)).toEqual(["tried 2"]);
    expect(await pulses()).toEqual(nos.map(() => [true, false]));
    const [first] = jobs;
    if (first === undefined) throw new Error("a job");
    await storage.results.ingest(by, [report(first, { hasFailures: true })], t0 + 500);
    await storage.results.ingest(
      by,
      [...jobs.slice(1), ...others].map((job) => report(job)),
      t0 + 600,
    );
    const ended = await storage.testSessions.byId(account.id, started.id);
    expect(ended?.runs.map(({ status }) => status)).toEqual(["FAILED", "PASSED", "PASSED"]);
    expect(await storage.testSessions.results(started)).toHaveLength(3);
    expect(await pulses()).toEqual(nos.map(() => [false, true]));
    expect((await storage.testSessions.ofJob(account.id, nos[1] ?? 0))?.id).toBe(started.id);
    expect(await storage.testSessions.ofJob(account.id + 1, nos[1] ?? 0)).toBeUndefined();
    expect(await storage.testSessions.ofSuites(["a-suite", "none"], t0)).toEqual([
      { id: started.id, accountId: account.id, suite: "a-suite" },
    ]);
    expect(await storage.testSessions.ofSuites(["a-suite"], t0 + 1)).toEqual([]);
  });

  it("bring the group that came with them", async () => {
    const { storage, account, berlin, agent: by, check: of } = await trialScene();
    const group = { uuid: crypto.randomUUID(), settings: { name: "Shop", tags: ["shop"] } as never };
    const check = { uuid: crypto.randomUUID(), type: of.type, definition: of.definition, groupId: null, group, scriptRuntime: null };
    const definition = { environmentVariables: [] };
    await storage.testSessions.createTrials({
      accountId: account.id,
      locationId: berlin.id,
      name: "with a group",
      definition,
      trials: [{ check, isStored: false }],
      nowMs: t0,
    });
    expect(await leaseOne(storage, by)).toMatchObject({ group: { name: "Shop" }, groupUuid: group.uuid });
  });

  it("go with the results, though no check leads to them", async () => {
    const { storage, account, agent: by, start } = await trialScene();
    const started = await start();
    await storage.results.ingest(by, [report(await leaseOne(storage, by))], t0 + 1_000);
    expect(await storage.testSessions.results(started)).toHaveLength(1);
    await check(storage, account.id, [(await location(storage, account.id, "elsewhere")).id]);
    for (let more = true; more; ) ({ more } = await storage.results.prune(t0 + 3 * 86_400_000, 1_000));
    expect(await storage.testSessions.byId(account.id, started.id)).toBeUndefined();
    expect(await storage.testSessions.results(started)).toEqual([]);
  });
});
