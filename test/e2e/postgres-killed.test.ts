import { afterAll, expect, it } from "vitest";
import type { CheckSession } from "../../src/contract/check-sessions.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { startPostgres } from "../support/postgres.ts";
import { pause, until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const postgres = await startPostgres({ own: true });
afterAll(() => postgres?.[Symbol.asyncDispose]());

it.skipIf(postgres === undefined)(
  "PostgreSQL goes down under load and comes back: nothing is lost (S-08)",
  async () => {
    if (postgres === undefined) return;
    await using target = await ledgerTarget();
    await using site = await Site.start({ databaseUrl: await postgres.database("killed") });
    const [north, south] = await Promise.all([site.location("north"), site.location("south")]);
    await Promise.all([site.agent(north).ready(), site.agent(south).ready()]);
    const checks = await Promise.all(
      Array.from({ length: 20 }, (_, index) => site.check(target.url(`check-${index}`), ["north", "south"])),
    );
    const fromMs = Date.now();
    const scheduled = await site.check(target.url("scheduled"), ["north", "south"], { frequency: 0, frequencyOffset: 10 });
    const sessions: CheckSession[] = [];
    for (const awayMs of [0, 4_000, 9_000]) {
      const [before, known] = [target.requests(), (await site.results(scheduled)).length];
      sessions.push(...(await site.trigger(...checks)));
      await until("runs under way", () => target.requests() > before + 5);
      await postgres.stop("immediate");
      await pause(awayMs);
      await postgres.start();
      sessions.push(...(await until("an answer again", () => site.trigger(...checks), 40_000)));
      await until("a scheduled run", async () => (await site.results(scheduled)).length > known, 45_000);
    }
    const toMs = Date.now();
    await until("a paused check", () => site.pause(scheduled).then(() => true));
    const results = await expectNothingLost(
      site,
      { sessions, scheduled: [{ checkId: scheduled, periodMs: 10_000, locations: ["north", "south"], fromMs, toMs }] },
      60_000,
    );
    expect(results.size).toBe(checks.length + 1);
  },
  180_000,
);
