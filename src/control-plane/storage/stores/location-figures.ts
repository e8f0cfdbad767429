import { sql } from "kysely";
import type { Engine } from "../engine.ts";
import type { LocationFigureStore } from "../storage.ts";
import { missedReasonOf, resultTypes } from "./results/result-rows.ts";

/** Written out and not bound: else the engines do not use the index of missed runs, which holds these alone. */
const isMissed = sql<boolean>`type = ${sql.lit(resultTypes.indexOf("MISSED"))}`;

export function locationFigureStore(engine: Engine): LocationFigureStore {
  const { reads } = engine;
  return {
    async waits(locationId, sinceMs, maxChecks) {
      const rows = await reads
        .selectFrom("results")
        .select("queued_ms")
        .where("check_id", "in", (eb) =>
          eb.selectFrom("check_locations").select("check_id").where("location_id", "=", locationId).orderBy("check_id").limit(maxChecks),
        )
        .where("started_at_us", ">=", sinceMs * 1_000)
        .where("location_id", "=", locationId)
        .where("type", "=", resultTypes.indexOf("FINAL"))
        .execute();
      return rows.map(({ queued_ms: ms }) => ms);
    },
    async missed(locationId, sinceMs) {
      const rows = await reads
        .selectFrom("results")
        .select((eb) => [
          "flags",
          eb.fn.countAll<number>().as("count"),
          eb.fn.count<number>("check_id").distinct().as("checks"),
          eb.fn.max("run_at").as("latest"),
        ])
        .where(isMissed)
        .where("location_id", "=", locationId)
        .where("started_at_us", ">=", sinceMs * 1_000)
        .groupBy("flags")
        .execute();
      return rows
        .flatMap(({ flags, count, checks, latest }) => {
          const reason = missedReasonOf(flags);
          return reason === null ? [] : { reason, count: Number(count), checks: Number(checks), latestMs: Number(latest) };
        })
        .toSorted((a, b) => b.count - a.count);
    },
    async missedCounts(locationIds, sinceMs) {
      const rows = await reads
        .selectFrom("results")
        .select((eb) => ["location_id", eb.fn.countAll<number>().as("count")])
        .where(isMissed)
        .where(engine.isAny("location_id", locationIds))
        .where("started_at_us", ">=", sinceMs * 1_000)
        .groupBy("location_id")
        .execute();
      return new Map(rows.map((row) => [row.location_id, Number(row.count)]));
    },
  };
}
