import { afterAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import type { CheckSession } from "../../src/contract/check-sessions.ts";
import { partsOf } from "../../src/domain/ids.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { type FlakyProxy, flakyProxy } from "../support/flaky-proxy.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { pause, until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

const kills = 3;
const everyTenSeconds = { frequency: 0, frequencyOffset: 10 };

describe.concurrent.each(engines.list)("a control plane that is killed under load, on $name", ({ databaseUrl }) => {
  it("loses nothing that it acknowledged, and ends every run once (S-06)", async () => {
    await using target = await ledgerTarget((_name, nth) => (nth % 7 === 0 ? 500 : 200));
    await using site = await Site.start({ databaseUrl: await databaseUrl() });
    await using way = await flakyProxy(site.port);
    const acknowledged = acknowledgedOn(way);
    const [north, south] = await Promise.all([site.location("north"), site.location("south")]);
    const agents = [site.agent(north, { API_URL: way.url }), site.agent(south, { API_URL: way.url })];
    await Promise.all(agents.map((agent) => agent.ready()));
    const retries = { retryStrategy: { type: "FIXED", baseBackoffSeconds: 1, maxRetries: 1 } };
    const create = (kind: string, count: number, settings: object): Promise<string[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => site.check(target.url(`${kind}-${index}`), ["north", "south"], settings)));
    const triggered = await create("triggered", 10, retries);
    const fromMs = Date.now();
    const scheduled = await create("scheduled", 40, { ...everyTenSeconds, ...retries });
    const scheduledMs = Date.now();

    const sessions: CheckSession[] = [];
    for (let round = 0; round < kills; round += 1) {
      const known = acknowledged.size;
      sessions.push(...(await site.trigger(...triggered)));
      await until("results under way", () => acknowledged.size > known + 5);
      sessions.push(...(await site.trigger(...triggered)));
      await pause(Math.random() * 400);
      await site.controlPlane.kill();
      await site.startControlPlane();
    }
    await Promise.all(
      agents.map((agent) => until("an agent that came back by itself", async () => (await agent.health()).state === "connected")),
    );
    await until("a turn of every scheduled check", () => Date.now() > scheduledMs + 11_000);
    const toMs = Date.now();
    await Promise.all(scheduled.map((id) => site.pause(id)));

    const checks = scheduled.map((checkId) => ({ checkId, periodMs: 10_000, locations: ["north", "south"], fromMs, toMs }));
    const told = [...acknowledged]; // before the results are read: a run that ends meanwhile need not be among them
    const results = [...(await expectNothingLost(site, { sessions, scheduled: checks })).values()].flat();
    const stored = new Set(results.map((result) => `${partsOf(result.sequenceId ?? "")?.n}/${result.attempts}`));
    expect(told.filter((report) => !stored.has(report))).toEqual([]);
    expect(told.length).toBeGreaterThan(2 * triggered.length * kills);
    expect(runsOf(results)).toBeGreaterThanOrEqual(sessions.length * 2);
    await until("empty outboxes", async () =>
      (await Promise.all(agents.map((agent) => agent.health()))).every(({ outbox }) => outbox.depth === 0),
    );
  }, 88_000);
});

/** Job number and attempt of every report whose `accepted` reached an agent. */
function acknowledgedOn(way: FlakyProxy): Set<string> {
  const reports = new Set<string>();
  way.onReply((path, reply) => {
    if (path !== "/agent/v1/results") return;
    for (const [, jobId, attempt] of reply.matchAll(/"jobId":"([^"]+)","attempt":(\d+),"outcome":"accepted"/g))
      reports.add(`${partsOf(jobId ?? "")?.n}/${attempt}`);
  });
  return reports;
}

function runsOf(results: readonly CheckResult[]): number {
  return new Set(results.map(({ sequenceId }) => sequenceId)).size;
}
