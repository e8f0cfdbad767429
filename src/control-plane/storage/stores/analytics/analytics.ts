import type { AnalyticsStore } from "../../analytics-store.ts";
import type { Engine } from "../../engine.ts";
import { pruneGaps } from "../gaps.ts";
import type { LocationCodes } from "../location-codes.ts";
import { analyze } from "./analysis.ts";
import { compactDays, compactHours } from "./compaction.ts";
import { analyzePages } from "./page-analysis.ts";
import { dayOfHour, hourMs } from "./periods.ts";
import { pruneRollups } from "./rollup-retention.ts";
import { summarize } from "./summary.ts";
import { timelines } from "./timelines.ts";

export function analyticsStore(engine: Engine, codes: LocationCodes): AnalyticsStore {
  return {
    analyze: (query) => analyze(engine, codes, query),
    analyzePages: (query) => analyzePages(engine, codes, query),
    summarize: (query) => summarize(engine, query),
    timelines: (query) => timelines(engine, query),
    async compact(nowMs, limit) {
      const hour = Math.floor(nowMs / hourMs);
      // A day is computed once its hours are: they mark it.
      return (await compactHours(engine, hour, limit)) || compactDays(engine, dayOfHour(hour), limit);
    },
    async pruneRollups(olderThanMs, limit) {
      const more = await pruneRollups(engine, Math.floor(olderThanMs / hourMs), limit);
      return (await pruneGaps(engine, olderThanMs, limit)) || more;
    },
  };
}
