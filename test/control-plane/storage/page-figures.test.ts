import { describe, expect, it } from "vitest";
import type { AttemptReport } from "../../../src/contract/agent-protocol.ts";
import type { PageQuery } from "../../../src/control-plane/storage/storage.ts";
import { checkDetails } from "../../support/check-details.ts";
import { jobUuid, leaseOne, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const dayMs = 86_400_000;
const [first] = checkDetails.BROWSER.pages;
if (first === undefined) throw new Error("an example without pages");

/** A run that saw two pages, the second with this layout shift. */
const saw = (shift: number, errors = 3): unknown => ({
  ...checkDetails.BROWSER,
  pages: [first, { ...first, index: 1, url: `${first.url}cart`, webVitals: { CLS: { value: shift, score: "GOOD" } } }],
  traceSummary: { consoleErrors: 1, networkErrors: errors, documentErrors: 0, userScriptErrors: 2 },
});

describe.each(engines.names)("figures of pages on %s", (engine) => {
  it("are of each page or of the whole run, count what results count, and go with them", async () => {
    const place = await engines.place(engine);
    const { storage, agent: by, check: of, berlin } = await scene(await engines.open(engine, place));
    const run = async (atMs: number, more: Partial<AttemptReport>): Promise<void> => {
      if (atMs !== t0) await start(storage, of, [berlin.id], atMs);
      const job = await leaseOne(storage, by, atMs);
      const sent = { ...report(job), ...more, jobId: jobUuid(job), startedAt: atMs, stoppedAt: atMs + 500 };
      expect(await storage.results.ingest(by, [sent], atMs + 1_000)).toMatchObject([{ outcome: "accepted" }]);
    };
    await run(t0, { detail: saw(0.1), responseTimeMs: 100 });
    await run(t0 + 60_000, { detail: saw(0.3, 5), responseTimeMs: 300, hasFailures: true, errorMessage: "no" });
    await run(t0 + 120_000, { detail: saw(9), hasErrors: true, isCancelled: true });
    await run(t0 + 180_000, { detail: { traceSummary: "nonsense" } });
    await run(t0 + 2 * dayMs, { detail: saw(0.5), responseTimeMs: 200 });
    const ask = async (query: Partial<PageQuery>) => {
      const rows = await storage.analytics.analyzePages({
        checkId: of.id,
        edgesMs: [t0 - 800 * dayMs, t0 + dayMs],
        groupBy: null,
        outcome: null,
        metrics: ["responseTime", "m4", "m6", "m7"],
        ...query,
      });
      return rows.map(({ group, runs, passed, metrics }) => [
        group,
        runs,
        passed,
        ...["responseTime", "m4", "m6", "m7"].map((name) => metrics.get(name as "m4")?.sum ?? null),
      ]);
    };
    const pages = [
      [0, 2, 1, 400, 0.04, 2, 0],
      [1, 2, 1, 400, 0.4, 0, 0],
    ];
    expect(await ask({ groupBy: "page" })).toEqual(pages);
    expect(await ask({ groupBy: "page", edgesMs: [t0, t0 + 180_000] })).toEqual(pages);
    expect(await ask({ groupBy: "page", outcome: "success" })).toEqual([
      [0, 1, 1, 100, 0.02, 1, 0],
      [1, 1, 1, 100, 0.1, 0, 0],
    ]);
    expect(await ask({ groupBy: "location" })).toEqual([["berlin", 2, 1, 400, null, 2, 8]]);
    expect(await ask({ edgesMs: [t0 + dayMs, t0 + 3 * dayMs] })).toEqual([[null, 1, 1, 200, null, 1, 3]]);
    expect(await ask({ edgesMs: [t0 + 3 * dayMs, t0 + 4 * dayMs] })).toEqual([]);

    await storage.results.prune(t0 + dayMs, 1_000);
    expect(await ask({ groupBy: "page", edgesMs: [t0 - dayMs, t0 + 3 * dayMs] })).toEqual([
      [0, 1, 1, 200, 0.02, 1, 0],
      [1, 1, 1, 200, 0.5, 0, 0],
    ]);
  });
});
