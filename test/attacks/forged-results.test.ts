import { afterAll, describe, expect } from "vitest";
import { alertingSite, down } from "../control-plane/alerting-site.ts";
import { eventually } from "../control-plane/control-plane-under-test.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { attack } from "./attack.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("a result of an agent that lies, on $name", ({ databaseUrl }) => {
  const forged = {
    "a start before there were calendars": { startedAt: -9e15 },
    "a start and an end that no number of a calendar holds": { startedAt: -1e300, stoppedAt: 1e300 },
    "an end that is far ahead": { stoppedAt: 9e15 },
    "a response time without end": { responseTimeMs: 1.7e308 },
    "queues and delays without end": { queuedMs: 1.7e308, loopDelayMs: 1.7e308 },
  };
  attack("A2", "times that no clock shows", async (held) => {
    await using plane = await alertingSite(await databaseUrl());
    for (const [name, change] of Object.entries(forged)) {
      const beforeMs = Date.now() - 60_000;
      const checkId = await plane.make({ name });
      await plane.run(checkId, { ...down, ...change });
      expect([name, await plane.types(checkId)]).toEqual([name, ["ALERT_FAILURE"]]);
      const { status, body: alerts } = await plane.call("GET", `/v1/check-alerts/${checkId}`);
      expect([name, status]).toEqual([name, 200]);
      const startedMs = Date.parse(alerts[0].startedAt);
      expect([name, startedMs > beforeMs && startedMs <= Date.now()]).toEqual([name, true]);
      const { body: standing } = await plane.call("GET", `/v1/check-statuses/${checkId}`);
      expect([name, standing.longestRun]).toEqual([name, expect.toSatisfy((ms: number) => ms <= 2_147_484)]);
      await plane.run(checkId);
      await eventually(async () => (await plane.types(checkId)).includes("ALERT_RECOVERY"));
    }
    for (const path of ["/v1/check-alerts", "/v1/check-statuses", "/v1/reporting"])
      expect([path, (await plane.call("GET", path)).status]).toEqual([path, 200]);
    held("times lie between the lease and now, and numbers within what is stored", `${Object.keys(forged).length} results`);
  });
});
