import { expect, it } from "vitest";
import { flakyProxy } from "../support/flaky-proxy.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { pause, until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const outageMs = 60_000;
const names = Array.from({ length: 8 }, (_, index) => `check-${index}`);

it("a minute without a control plane loses no run: what ran is delivered, what was due runs later (L-01, L-02)", async () => {
  await using target = await ledgerTarget();
  await using site = await Site.start({ env: { LEASE_SECONDS: "8", HEARTBEAT_SECONDS: "2", QUEUE_WAIT_SECONDS: "300" } });
  await using way = await flakyProxy(site.port);
  const [north, south] = await Promise.all([site.location("north"), site.location("south")]);
  const cutOff = site.agent(north, { API_URL: way.url, LOG_LEVEL: "INFO" });
  await Promise.all([cutOff.ready(), site.agent(south).ready()]);
  const checks = await Promise.all(names.map((name) => site.check(target.url(name), ["north", "south"])));
  const fromMs = Date.now();
  const scheduled = await site.check(target.url("scheduled"), ["north", "south"], { frequency: 0, frequencyOffset: 10 });
  target.hold();
  const sessions = await site.trigger(...checks);
  await until("all runs at the target", () => target.waiting() >= 2 * names.length);

  const [linesBefore, connectionsBefore, startedMs] = [cutOff.logLines().length, way.connections(), performance.now()];
  way.become("cut");
  target.release();
  await until("the results in the outbox", async () => (await cutOff.health()).outbox.depth >= names.length);
  await pause(20_000);
  sessions.push(...(await site.trigger(...checks)));
  await until("the agent to say that it is not ready", async () => (await cutOff.probe("/-/readiness"))?.status === 503, 40_000);
  expect(await cutOff.probe("/-/liveness")).toMatchObject({ status: 200 });
  await pause(outageMs - (performance.now() - startedMs));
  expect(cutOff.logLines().length - linesBefore).toBeLessThanOrEqual(3);
  expect(way.connections() - connectionsBefore).toBeLessThanOrEqual(outageMs / 1000);
  way.become("open");

  await until("the agent to be ready again", async () => (await cutOff.probe("/-/readiness"))?.status === 200, 70_000);
  const toMs = Date.now();
  await site.pause(scheduled);
  await expectNothingLost(
    site,
    { sessions, scheduled: [{ checkId: scheduled, periodMs: 10_000, locations: ["north", "south"], fromMs, toMs }] },
    80_000,
  );
  await until("an empty outbox", async () => (await cutOff.health()).outbox.depth === 0, 70_000);
}, 240_000);
