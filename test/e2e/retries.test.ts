import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LedgerTarget, ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const fixed = (more: object = {}): object => ({ retryStrategy: { type: "FIXED", baseBackoffSeconds: 1, maxRetries: 2, ...more } });

describe("retries", () => {
  let site: Site;
  let target: LedgerTarget;

  beforeAll(async () => {
    // "recovering…" fails twice and then recovers, "down…" never does, "cut…" sends no answer at all
    target = await ledgerTarget((name, nth) => {
      if (name.startsWith("cut")) return "cut";
      return name.startsWith("down") || nth <= 2 ? 500 : 200;
    });
    site = await Site.start();
    const [north, south] = await Promise.all([site.location("north"), site.location("south")]);
    await Promise.all([site.agent(north).ready(), site.agent(south).ready()]);
  });

  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await target[Symbol.asyncDispose]();
  });

  async function run(name: string, locations: readonly string[], settings: object) {
    const check = await site.check(target.url(name), locations, settings);
    const [session] = await site.trigger(check);
    if (session === undefined) throw new Error("nothing was triggered");
    const { status } = await site.ended(session);
    const results = (await expectNothingLost(site, { sessions: [session] })).get(check) ?? [];
    return { status, results: results.toSorted((a, b) => a.attempts - b.attempts) };
  }

  it("tell every attempt of a run that recovers, under one sequenceId", async () => {
    const { status, results } = await run("recovering", ["north"], fixed());
    expect(results.map(({ resultType, attempts, hasFailures }) => ({ resultType, attempts, hasFailures }))).toEqual([
      { resultType: "ATTEMPT", attempts: 1, hasFailures: true },
      { resultType: "ATTEMPT", attempts: 2, hasFailures: true },
      { resultType: "FINAL", attempts: 3, hasFailures: false },
    ]);
    expect(new Set(results.map(({ sequenceId }) => sequenceId)).size).toBe(1);
    expect(status).toBe("PASSED");
    expect(target.requests("recovering")).toBe(3);
    const [first, second] = results.map(({ stoppedAt, startedAt }) => ({
      stoppedMs: Date.parse(stoppedAt ?? ""),
      startedMs: Date.parse(startedAt ?? ""),
    }));
    expect((second?.startedMs ?? 0) - (first?.stoppedMs ?? 0)).toBeGreaterThanOrEqual(950);
  });

  it("end with a failure when they are used up", async () => {
    const { status, results } = await run("down-for-good", ["north"], fixed());
    expect(results.map(({ resultType, hasFailures }) => [resultType, hasFailures])).toEqual([
      ["ATTEMPT", true],
      ["ATTEMPT", true],
      ["FINAL", true],
    ]);
    expect(status).toBe("FAILED");
  });

  it("run at the check's other location with sameRegion false", async () => {
    const everyTenSeconds = { frequency: 0, frequencyOffset: 10, runParallel: false };
    const check = await site.check(target.url("recovering-elsewhere"), ["north", "south"], {
      ...everyTenSeconds,
      ...fixed({ sameRegion: false }),
    });
    const final = await until("the end of the first run", async () => (await site.results(check, "FINAL")).at(-1), 40_000);
    await site.pause(check);
    const results = (await site.results(check))
      .filter(({ sequenceId }) => sequenceId === final.sequenceId)
      .toSorted((a, b) => a.attempts - b.attempts);
    const [first, second, third] = results.map(({ runLocation }) => runLocation);
    expect(results.map(({ resultType, hasFailures }) => [resultType, hasFailures])).toEqual([
      ["ATTEMPT", true],
      ["ATTEMPT", true],
      ["FINAL", false],
    ]);
    expect(second).not.toBe(first);
    expect(third).toBe(first);
  }, 120_000);

  it("are not made when they could only start after maxDurationSeconds", async () => {
    const { results } = await run("down-too-long", ["north"], fixed({ baseBackoffSeconds: 5, maxRetries: 5, maxDurationSeconds: 9 }));
    expect(results.map(({ resultType }) => resultType)).toEqual(["ATTEMPT", "FINAL"]);
  });

  it("are made for network errors only, where the strategy says so", async () => {
    const only = { onlyOn: "NETWORK_ERROR" };
    const [answered, cut] = await Promise.all([run("down-with-answer", ["north"], fixed(only)), run("cut-off", ["north"], fixed(only))]);
    expect(answered.results.map(({ resultType }) => resultType)).toEqual(["FINAL"]);
    expect(cut.results.map(({ resultType }) => resultType)).toEqual(["ATTEMPT", "ATTEMPT", "FINAL"]);
  });
});
