import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clockBy, noFaketime } from "../support/faketime.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const periodMs = 10_000;
const hourMs = 3_600_000;

describe.skipIf(noFaketime !== null).concurrent("the control plane's clock", { timeout: 120_000 }, () => {
  it.each([
    { case: "C-02", steps: "-2h", byMs: -2 * hourMs },
    { case: "C-03", steps: "+6h", byMs: 6 * hourMs },
  ])(
    "may jump ($case, $steps): the check goes on at once, no slot runs twice, and slots that were jumped are a gap",
    async ({ steps, byMs }) => {
      const folder = mkdtempSync(join(tmpdir(), "outpost-clock-"));
      const clock = join(folder, "clock");
      writeFileSync(clock, "+0\n");
      await using target = await ledgerTarget();
      await using site = await Site.start({ env: clockBy(clock) });
      await site.agent(await site.location("north")).ready();
      const fromMs = Date.now();
      const checkId = await site.check(target.url("page"), ["north"], { frequency: 0, frequencyOffset: 10 });
      await until("two runs", () => target.requests() >= 2, 35_000);
      const [jumpMs, before] = [Date.now(), target.requests()];
      writeFileSync(clock, `${steps}\n`);
      await until("a run after the jump", () => target.requests() > before, 2 * periodMs + 5_000);
      await until("another one", () => target.requests() > before + 1, periodMs + 5_000);
      expect(target.requests() - before).toBeLessThanOrEqual(Math.ceil((Date.now() - jumpMs) / periodMs) + 1);
      await site.pause(checkId);
      const scheduled = [{ checkId, periodMs, locations: ["north"], fromMs, toMs: byMs > 0 ? Date.now() + byMs : jumpMs }];
      const isWhole = async (): Promise<boolean> => (await site.results(checkId)).length === target.requests();
      await until("one result of each request, the last one, too", isWhole);
      const results = [...(await expectNothingLost(site, { scheduled })).values()].flat();
      expect(results.every(({ resultType }) => resultType === "FINAL")).toBe(true);
      expect((await site.gaps(checkId)).map(({ reason }) => reason)).toEqual(byMs > 0 ? ["clock_jump"] : []);
      rmSync(folder, { recursive: true });
    },
  );
});

if (noFaketime !== null) process.stdout.write(`tests of clocks that are set are skipped: ${noFaketime}\n`);
