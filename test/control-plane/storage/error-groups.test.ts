import { describe, expect, it } from "vitest";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import type { AgentSessionRow, CheckRow, ErrorGroupRow, Storage } from "../../../src/control-plane/storage/storage.ts";
import { agent, allTypes, check, lease, leaseOne, location, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

const failed = (errorMessage: string | null): Partial<AttemptReport> => ({ hasFailures: true, errorMessage });

async function groupsOf(storage: Storage, { id: checkId, accountId }: CheckRow): Promise<readonly ErrorGroupRow[]> {
  return (await storage.errorGroups.list(accountId, { checkId, page: 1, limit: 100 })).items;
}

/** A run of the check that fails so, `runAtMs` from its start on, uploaded a second later or at `uploadedMs`. */
async function fail(storage: Storage, by: AgentSessionRow, of: CheckRow, message: string, runAtMs: number, uploadedMs = runAtMs + 1_000) {
  await start(storage, of, [by.locationId], runAtMs);
  const job = await leaseOne(storage, by, runAtMs);
  const sent = report(job, failed(message));
  const [answer] = await storage.results.ingest(by, [sent], uploadedMs);
  return { sent, answer };
}

describe.each(engines.names)("error groups on %s", (engine) => {
  it("take in the final results of a check that failed for one reason", async () => {
    const { storage, agent: by, check: of } = await scene(await engines.open(engine));
    const job = await leaseOne(storage, by);
    await storage.results.ingest(by, [report(job, failed("timeout after 5021 ms"))], t0 + 1_000);
    await fail(storage, by, of, "timeout after 5100 ms", t0 + 60_000);
    await fail(storage, by, of, "refused", t0 + 120_000);
    const [refused, timeout] = await groupsOf(storage, of);
    expect(timeout).toEqual({
      id: expect.any(Number),
      checkUuid: of.uuid,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      cleanedMessage: "timeout after <n> ms",
      rawMessage: "timeout after 5100 ms",
      firstSeenMs: t0 + 100,
      lastSeenMs: t0 + 60_100,
      archived: false,
    });
    expect(refused).toMatchObject({ rawMessage: "refused", firstSeenMs: t0 + 120_100 });
    const { items } = await storage.results.list({ checkId: of.id, limit: 10, resultTypes: allTypes, withDetails: false });
    expect(items.map(({ errorGroupIds }) => errorGroupIds)).toEqual([[refused?.id], [timeout?.id], [timeout?.id]]);
  });

  it.each<{ what: string; change: Partial<AttemptReport> }>([
    { what: "passed", change: { errorMessage: "slow" } },
    { what: "is retried", change: { ...failed("refused"), resultType: "ATTEMPT" } },
    { what: "the agent's own side spoiled", change: { ...failed("no memory"), hasErrors: true, agentSide: true } },
    { what: "was cancelled", change: { ...failed("cancelled"), isCancelled: true } },
    { what: "gives no reason", change: failed(null) },
  ])("do not count a result that $what", async ({ change }) => {
    const { storage, agent: by, check: of } = await scene(await engines.open(engine));
    const job = await leaseOne(storage, by);
    expect((await storage.results.ingest(by, [report(job, change)], t0 + 1_000))[0]?.outcome).toBe("accepted");
    expect(await groupsOf(storage, of)).toEqual([]);
    const { items } = await storage.results.list({ checkId: of.id, limit: 10, resultTypes: allTypes, withDetails: false });
    expect(items[0]?.errorGroupIds).toEqual([]);
  });

  it("end their archive with the next failure, not with an upload that comes late or twice, and not when it is for ever", async () => {
    const { storage, agent: by, check: of, account } = await scene(await engines.open(engine));
    await leaseOne(storage, by);
    const { sent } = await fail(storage, by, of, "refused", t0 + 60_000);
    const id = (await groupsOf(storage, of))[0]?.id ?? 0;
    const archive = (change: { untilNextEvent?: boolean; forEver?: boolean }) =>
      storage.errorGroups.archive(account.id, id, { ...change, nowMs: t0 + 90_000 });
    expect(await archive({ untilNextEvent: true })).toMatchObject({ archived: true });
    await fail(storage, by, of, "refused", t0 + 30_000, t0 + 100_000);
    expect((await storage.results.ingest(by, [sent], t0 + 110_000))[0]?.outcome).toBe("duplicate");
    expect(await groupsOf(storage, of)).toMatchObject([{ archived: true, firstSeenMs: t0 + 30_100, lastSeenMs: t0 + 60_100 }]);
    await fail(storage, by, of, "refused", t0 + 120_000);
    expect(await groupsOf(storage, of)).toMatchObject([{ archived: false, lastSeenMs: t0 + 120_100 }]);
    expect(await archive({ forEver: true })).toMatchObject({ archived: true });
    await fail(storage, by, of, "refused", t0 + 180_000);
    expect(await groupsOf(storage, of)).toMatchObject([{ archived: true, lastSeenMs: t0 + 180_100 }]);
    expect(await archive({ untilNextEvent: false })).toMatchObject({ archived: false });
    expect(await archive({})).toMatchObject({ archived: false });
    expect(await storage.errorGroups.archive(account.id + 1, id, { forEver: true, nowMs: t0 })).toBeUndefined();
    expect(await groupsOf(storage, of)).toMatchObject([{ archived: false }]);
  });

  it("are at most a thousand of a check: the one not seen for the longest time goes", async () => {
    const { storage, agent: by, check: of, account } = await scene(await engines.open(engine));
    await lease(storage, by);
    const runs = Array.from({ length: 1_010 }, (_, index) => ({
      accountId: account.id,
      checkId: of.id,
      runAtMs: t0 + index * 10,
      source: "SCHEDULER",
      locationIds: [by.locationId],
    }));
    await storage.schedule.startRuns(runs);
    const jobs = await lease(storage, by, t0 + 20_000, 2_000);
    const letters = (index: number) => String.fromCodePoint(0x4e00 + index);
    const reports = jobs.map((job, index) => report(job, failed(`odd ${letters(index)}`)));
    await storage.results.ingest(by, reports.slice(0, 900), t0 + 30_000);
    await Promise.all([
      storage.results.ingest(by, reports.slice(900, 950), t0 + 30_000),
      storage.results.ingest(by, reports.slice(950, 1_008), t0 + 30_000),
    ]);
    // Two batches at the same time may not see each other's new groups; the next one does.
    await storage.results.ingest(by, reports.slice(1_008), t0 + 30_000);
    const { total, items } = await storage.errorGroups.list(account.id, { page: 10, limit: 100 });
    expect(total).toBe(1_000);
    expect(items.at(-1)?.rawMessage).toBe(`odd ${letters(10)}`);
  });

  it("hold any text that an agent can send", async () => {
    const { storage, agent: by, check: of } = await scene(await engines.open(engine));
    await leaseOne(storage, by);
    const { answer } = await fail(storage, by, of, `a\0b\ud800${"x".repeat(9_000)}`, t0 + 1);
    expect(answer?.outcome).toBe("accepted");
    const [group] = await groupsOf(storage, of);
    expect(group?.rawMessage).toBe(`a\ufffdb\ufffd${"x".repeat(9_000)}`);
    expect(group?.cleanedMessage.length).toBeLessThanOrEqual(1_000);
  });

  it("do not stand in each other's way when many agents report the same failures at once", async () => {
    const { storage, agent: by, check: of, account, berlin } = await scene(await engines.open(engine));
    await lease(storage, by);
    const checks = [of, await check(storage, account.id, [berlin.id]), await check(storage, account.id, [berlin.id])];
    const agents = [by, await agent(storage, berlin), await agent(storage, berlin)];
    const runs = checks.flatMap(({ id }) => Array.from({ length: 20 }, (_, index) => ({ id, runAtMs: t0 + 1_000 + index })));
    await storage.schedule.startRuns(
      runs.map(({ id, runAtMs }) => ({ accountId: account.id, checkId: id, runAtMs, source: "SCHEDULER", locationIds: [berlin.id] })),
    );
    const batches = await Promise.all(agents.map((one) => lease(storage, one, t0 + 10_000, 20)));
    const answers = await Promise.all(
      agents.map((one, which) =>
        Promise.all(
          (batches[which] ?? []).map((job, index) =>
            storage.results.ingest(one, [report(job, failed(index % 2 ? "a" : "b"))], t0 + 11_000),
          ),
        ),
      ),
    );
    expect(new Set(answers.flat(2).map(({ outcome }) => outcome))).toEqual(new Set(["accepted"]));
    for (const one of checks) expect((await groupsOf(storage, one)).map(({ rawMessage }) => rawMessage).toSorted()).toEqual(["a", "b"]);
  });

  it("go with their check, and once their results are no longer kept", async () => {
    const { storage, agent: by, check: of, account, berlin } = await scene(await engines.open(engine));
    const other = await check(storage, account.id, [berlin.id]);
    await leaseOne(storage, by);
    await fail(storage, by, of, "refused", t0 + 1_000);
    await fail(storage, by, other, "refused", t0 + 1_000);
    await fail(storage, by, other, "gone", t0 + 2_000);
    const kept = (await groupsOf(storage, other)).find(({ rawMessage }) => rawMessage === "gone");
    await storage.errorGroups.archive(account.id, kept?.id ?? 0, { forEver: true, nowMs: t0 });
    await storage.checks.remove(account.id, of.uuid, t0 + 3_000);
    expect((await storage.errorGroups.list(account.id, { page: 1, limit: 10 })).total).toBe(2);
    await location(storage, account.id, "elsewhere");
    await prune(storage, t0 + 60_000);
    expect((await groupsOf(storage, other)).map(({ rawMessage }) => rawMessage)).toEqual(["gone"]);
  });
});

async function prune(storage: Storage, olderThanMs: number): Promise<void> {
  await storage.results.prune(olderThanMs, 1_000);
}
