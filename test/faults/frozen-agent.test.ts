import { expect, it } from "vitest";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { pause, until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

it("an agent whose event loop stands still for 5 s is alive after it, and keeps its leases (P-08)", { timeout: 120_000 }, async () => {
  await using target = await ledgerTarget();
  await using site = await Site.start({ env: { LEASE_SECONDS: "10", HEARTBEAT_SECONDS: "2" } });
  const agent = await site.agent(await site.location("north")).ready();
  const check = await site.check(target.url("stopped"), ["north"]);
  target.hold();
  const sessions = await site.trigger(check);
  await until("the run at the target", () => target.waiting() === 1);
  agent.signal("SIGSTOP");
  await pause(5_000);
  agent.signal("SIGCONT");
  expect((await agent.probe("/-/liveness"))?.status).toBe(200);
  await pause(3_000); // a lease that was lost would be taken again by now
  target.release();
  const results = (await expectNothingLost(site, { sessions })).get(check) ?? [];
  expect(results.map(({ resultType, attempts }) => `${resultType} ${attempts}`)).toEqual(["FINAL 1"]);
  expect(target.requests()).toBe(1);
});
