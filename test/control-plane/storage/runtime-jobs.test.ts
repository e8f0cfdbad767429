import { describe, expect, it } from "vitest";
import { CheckGroupCreateV2, type CheckGroupSettings } from "#contract/check-groups.ts";
import { agent, allTypes, check, definition, lease, location, minutely, reaping, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const { alertChannelSubscriptions: _, environmentVariables: _variables, ...groupDefaults } = CheckGroupCreateV2.parse({ name: "g" });
const groupSettings = { ...groupDefaults, privateLocations: null, environmentVariables: null };
const script = { localSetupScript: "request.headers.push({})" };

describe.each(engines.names)("runtimes and jobs on %s", (engine) => {
  it.each([
    ["no scripts", {}, [], true],
    ["no scripts, though it names a runtime", { runtimeId: "2025.04" }, [], true],
    ["empty scripts", { localSetupScript: " ", localTearDownScript: null, setupSnippetId: null, runtimeId: "2025.04" }, [], true],
    ["a script and no runtime of its own, for an agent with none", script, [], false],
    ["a script and no runtime of its own, for an agent with another one", script, ["2025.04"], false],
    ["a script and no runtime of its own, for an agent with the account's", script, ["2025.04", "2026.04"], true],
    ["a script and a runtime, for an agent with the account's", { ...script, runtimeId: "2025.04" }, ["2026.04"], false],
    ["a script and a runtime, for an agent with it", { ...script, runtimeId: "2025.04" }, ["2025.04"], true],
    ["a teardown snippet and a runtime, for an agent without it", { tearDownSnippetId: 7, runtimeId: "2024.09" }, ["2025.04"], false],
  ])("a job of a check with %s", async (_what, change, runtimes, isLeased) => {
    const { storage, account: owner, berlin, agent: any } = await scene(await engines.open(engine));
    await lease(storage, any);
    await start(storage, await check(storage, owner.id, [berlin.id], change), [berlin.id]);
    expect(await lease(storage, await agent(storage, berlin, t0, runtimes))).toHaveLength(isLeased ? 1 : 0);
  });

  it.each<[what: string, ofGroup: Partial<CheckGroupSettings>, ofCheck: object, without: string[], withIt: string[]]>([
    ["an inline script", { localTearDownScript: "1" }, {}, ["2025.04"], ["2026.04"]],
    ["a snippet and a runtime", { setupSnippetId: 7, runtimeId: "2025.04" }, {}, ["2026.04"], ["2025.04"]],
    [
      "a snippet and a runtime, while the check names another one",
      { setupSnippetId: 7, runtimeId: "2025.04" },
      { runtimeId: "2024.09" },
      ["2025.04"],
      ["2024.09"],
    ],
  ])("needs the runtime for a check without scripts whose group has %s", async (_what, ofGroup, ofCheck, without, withIt) => {
    const { storage, account: owner, berlin, agent: any } = await scene(await engines.open(engine));
    await lease(storage, any);
    const settings = { ...groupSettings, ...ofGroup };
    const group = await storage.checkGroups.create({ accountId: owner.id, settings, locationIds: [], subscriptions: {}, nowMs: t0 });
    await start(storage, await check(storage, owner.id, [berlin.id], { groupId: group.id, ...ofCheck }), [berlin.id]);
    expect(await lease(storage, await agent(storage, berlin, t0, without))).toEqual([]);
    const [job] = await lease(storage, await agent(storage, berlin, t0, withIt));
    expect(job?.groupUuid).toBe(group.uuid);
  });

  it("gives a job with a script to no agent without a sandbox, whatever runtimes it names", async () => {
    const { storage, account: owner, berlin, agent: any } = await scene(await engines.open(engine));
    await lease(storage, any);
    await start(storage, await check(storage, owner.id, [berlin.id], script), [berlin.id]);
    expect(await lease(storage, await agent(storage, berlin, t0, ["2026.04"], 0))).toEqual([]);
  });

  it("follows a change of the check, and does not keep the others of the queue from running", async () => {
    const { storage, account: owner, berlin, agent: any } = await scene(await engines.open(engine));
    await lease(storage, any);
    const scripted = await check(storage, owner.id, [berlin.id], script);
    const plain = await check(storage, owner.id, [berlin.id]);
    await start(storage, scripted, [berlin.id]);
    await start(storage, plain, [berlin.id]);
    expect((await lease(storage, any)).map((job) => job.check.id)).toEqual([plain.id]);
    const schedule = minutely;
    await storage.checks.update(owner.id, scripted.uuid, { definition: definition(), locationIds: [berlin.id], schedule, nowMs: t0 });
    expect((await lease(storage, any)).map((job) => job.check.id)).toEqual([scripted.id]);
  });

  it("is missed for want of an agent where none has the runtime, and for want of seats where one has", async () => {
    const { storage, account: owner, berlin, agent: any } = await scene(await engines.open(engine));
    await lease(storage, any);
    const paris = await location(storage, owner.id, "paris");
    const of = await check(storage, owner.id, [berlin.id, paris.id], script);
    await start(storage, of, [berlin.id, paris.id]);
    const able = await agent(storage, paris, t0, ["2026.04"]);
    for (const { id } of [any, able]) {
      await storage.agents.seen(id, { nowMs: t0 + 359_000, state: "running", outboxDepth: 0, eventLoopDelayMs: 1, clockAheadMs: null });
    }
    await storage.jobs.reap(t0 + 360_000, { ...reaping, graceUntilMs: t0 + 1e9 });
    const { items } = await storage.results.list({ checkId: of.id, limit: 10, resultTypes: allTypes, withDetails: true });
    const sentence =
      "NO_AGENT: no agent of this location has runtime 2026.04, which the check's scripts need: outpost runtime install 2026.04";
    expect(Object.fromEntries(items.map((row) => [row.locationCode, [row.missedReason, row.errorMessage]]))).toEqual({
      berlin: ["no_agent", sentence],
      paris: ["no_capacity", null],
    });
  });
});
