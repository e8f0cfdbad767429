import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LeasedJobRow, MetricColumn } from "../../../src/control-plane/storage/storage.ts";
import { t0, useEngines } from "./fixture.ts";
import { dayMs, hourMs, type Run, uploadsAt } from "./uploads.ts";

const engines = await useEngines();
const allMetrics: readonly MetricColumn[] = ["responseTime", "m1", "m4", "m6"];

const windowOf = (fromMs: number, toMs: number, stepMs = toMs - fromMs): readonly number[] => [
  ...Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, index) => fromMs + index * stepMs),
  toMs,
];

const daysLong = 4;
const anyRun = fc.record({
  place: fc.integer({ min: 0, max: 1 }),
  atMs: fc.integer({ min: t0, max: t0 + daysLong * dayMs - 10_000 }),
  responseTimeMs: fc.oneof(fc.integer({ min: 0, max: 30_000_000 }), fc.integer({ min: 90_000, max: 110_000 })).map((us) => us / 1_000),
  statusCode: fc.constantFrom(null, 200, 404, 503),
  outcome: fc.constantFrom("passed", "passed", "degraded", "failed", "errors", "cancelled", "agentSide"),
  attempts: fc.integer({ min: 1, max: 3 }),
});
const anyQuery = fc.record({
  fromMs: fc.oneof(
    fc.integer({ min: t0 - dayMs, max: t0 + daysLong * dayMs }),
    fc.integer({ min: -24, max: 24 * daysLong }).map((hour) => t0 + hour * hourMs),
  ),
  lengthMs: fc.oneof(fc.integer({ min: 1, max: 5 * dayMs }), fc.constantFrom(hourMs, dayMs, 2 * dayMs, hourMs / 2)),
  buckets: fc.constantFrom(1, 1, 2, 7, 48),
  groupBy: fc.constantFrom(null, "location", "statusCode"),
  outcome: fc.constantFrom(null, null, "success", "failure"),
  metrics: fc.constantFrom(allMetrics, ["responseTime"] as const, ["m4", "m1"] as const, []),
});
const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ step: fc.constant("upload" as const), runs: fc.array(anyRun, { minLength: 1, maxLength: 25 }) }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("lease" as const), runs: fc.array(anyRun, { minLength: 1, maxLength: 10 }) }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("report what is leased" as const) }) },
  { weight: 4, arbitrary: fc.record({ step: fc.constant("compact" as const), hours: fc.integer({ min: 0, max: 24 * 6 }) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("prune" as const), hours: fc.integer({ min: 0, max: 60 }) }) },
  { weight: 6, arbitrary: fc.record({ step: fc.constant("query" as const), query: anyQuery }) },
);

describe.each(engines.names)("analytics on %s", (engine) => {
  it("tells at any moment what one look at each result tells, whatever is late, computed or pruned (C-04)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 40, size: "max" }), async (steps) => {
        await using all = await uploadsAt(await engines.place(engine), 2);
        const { analytics, results } = all.storage;
        let leased: readonly (readonly [Run, LeasedJobRow])[] = [];
        let boundary = 0;
        const differences: string[] = [];
        // No run starts in the past, but what one reports may come at any time.
        const possible = (runs: readonly Run[]): readonly Run[] => runs.filter((run) => run.atMs > (boundary + 1) * hourMs);
        for (const one of steps) {
          if (one.step === "upload") await all.upload(possible(one.runs));
          else if (one.step === "lease") leased = [...leased, ...(await all.lease(possible(one.runs)))];
          else if (one.step === "report what is leased") {
            await all.report(leased);
            leased = [];
          } else if (one.step === "compact") while (await analytics.compact(t0 + one.hours * hourMs, 7));
          else if (one.step === "prune") {
            const olderThanMs = t0 + one.hours * hourMs + 1_234;
            boundary = Math.max(boundary, Math.floor(olderThanMs / hourMs));
            while ((await results.prune(olderThanMs, 1_000)).more);
          } else {
            const { fromMs, lengthMs, buckets, ...query } = one.query;
            const edgesMs = windowOf(fromMs, fromMs + lengthMs, Math.max(1, Math.ceil(lengthMs / buckets)));
            differences.push(...(await all.differences({ ...query, edgesMs }, boundary)));
          }
        }
        expect(differences).toEqual([]);
        const whole = { edgesMs: windowOf(t0 - dayMs, t0 + 6 * dayMs), groupBy: "statusCode", outcome: null, metrics: allMetrics } as const;
        expect(await all.differences(whole, boundary)).toEqual([]);
        while (await analytics.compact(t0 + 50 * dayMs, 40));
        expect(await all.differences(whole, boundary)).toEqual([]);
      }),
      { numRuns: engine === "sqlite" ? 6 : 3, endOnFailure: true },
    );
  }, 120_000);
});
