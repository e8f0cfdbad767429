import { expect, it } from "vitest";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { pause, until } from "../support/processes.ts";
import { missingPrograms } from "../support/programs.ts";
import { Site } from "../support/site.ts";

const names = Array.from({ length: 40 }, (_, index) => `check-${index}`);

it.skipIf(missingPrograms("an agent with few descriptors", "prlimit"))(
  "an agent that may open 64 files answers its probes under load, and ends every run (P-07)",
  { timeout: 90_000 },
  async () => {
    await using target = await ledgerTarget();
    await using site = await Site.start();
    const agent = await site.agent(await site.location("north"), { JOB_CONCURRENCY: "40" }, ["prlimit", "--nofile=64:64"]).ready();
    const checks = await Promise.all(names.map((name) => site.check(target.url(name), ["north"])));
    target.hold();
    const sessions = await site.trigger(...checks);
    await until("as many runs as fit", () => target.waiting() >= 5);
    await pause(3_000); // slow ones would leave their seats
    expect(target.waiting()).toBe(5);
    for (const path of ["/-/liveness", "/-/readiness", "/metrics"]) expect((await agent.probe(path))?.status).toBe(200);
    target.release();
    const results = [...(await expectNothingLost(site, { sessions })).values()].flat();
    expect(results.filter(({ hasErrors, hasFailures }) => hasErrors || hasFailures)).toEqual([]);
    expect(await agent.health()).toMatchObject({ outbox: { depth: 0, mode: "disk" } });
  },
);
