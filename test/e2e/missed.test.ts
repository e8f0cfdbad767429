import { afterAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../support/engines.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { Site } from "../support/site.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

describe.concurrent.each(engines.list)("a location that nobody serves, on $name", ({ databaseUrl }) => {
  it("gives a MISSED record with its reason, and never silence or a failure of the target", async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start({ databaseUrl: await databaseUrl(), env: { QUEUE_WAIT_SECONDS: "10" } });
    const [north] = await Promise.all([site.location("north"), site.location("nobody")]);
    await site.agent(north).ready();
    const check = await site.check(target.url("half-served"), ["north", "nobody"]);
    const [session] = await site.trigger(check);
    if (session === undefined) throw new Error("nothing was triggered");
    const ended = await site.ended(session);
    await expectNothingLost(site, { sessions: [session] });

    expect(ended.status).toBe("TIMED_OUT");
    expect(ended.results).toHaveLength(2);
    expect(ended.results.find(({ runLocation }) => runLocation === "nobody")).toMatchObject({
      resultType: null,
      aborted: true,
      hasFailures: false,
      startedAt: null,
    });
    const missed = {
      runLocation: "nobody",
      missedReason: "no_agent",
      hasFailures: false,
      startedAt: null,
      responseTime: 0,
      checkRunId: Date.parse(session.startedAt),
    };
    expect(await site.results(check, "MISSED")).toMatchObject([missed]);
    expect((await site.results(check)).map(({ resultType }) => resultType).toSorted()).toEqual(["FINAL", "MISSED"]);
    expect(await site.results(check, "FINAL")).toMatchObject([{ runLocation: "north", hasFailures: false }]);
    expect(target.requests()).toBe(1);
  }, 120_000);

  it("is served by an agent with a key from `outpost location-key`, made while the control plane runs", async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start({ databaseUrl: await databaseUrl() });
    const check = await site.check(target.url("data-center"), [], { locations: ["eu-west-1"] });
    const sessions = await site.trigger(check);
    const issued = await site.run("location-key", "eu-west-1");
    expect(issued).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pl_\S+\n$/) as string });
    await site.agent(issued.stdout.trim()).ready();
    const results = (await expectNothingLost(site, { sessions })).get(check);
    expect(results).toMatchObject([{ resultType: "FINAL", runLocation: "eu-west-1", hasFailures: false }]);

    const unknown = await site.run("location-key", "atlantis-1");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).not.toMatch(/^\s+at /m);
  }, 120_000);
});
