import type { Kysely } from "kysely";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { LocationFigureStore } from "../storage.ts";
import { isMissed, missedReasonOf, resultTypes } from "./results/result-rows.ts";

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
    async missed(locationId, sinceMs, atMost) {
      const rows = await reads
        .selectFrom(newestMissed(reads, locationId, sinceMs, atMost).as("newest"))
        .select((eb) => [
          "flags",
          eb.fn.countAll<number>().as("count"),
          eb.fn.count<number>("check_id").distinct().as("checks"),
          eb.fn.max("run_at").as("latest"),
        ])
        .groupBy("flags")
        .execute();
      return rows
        .flatMap(({ flags, count, checks, latest }) => {
          const reason = missedReasonOf(flags);
          return reason === null ? [] : { reason, count: Number(count), checks: Number(checks), latestMs: Number(latest) };
        })
        .toSorted((a, b) => b.count - a.count);
    },
    async missedCount(locationId, sinceMs, atMost) {
      const { count } = await reads
        .selectFrom(newestMissed(reads, locationId, sinceMs, atMost).as("newest"))
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

function newestMissed(reads: Kysely<Tables>, locationId: number, sinceMs: number, limit: number) {
  return reads
    .selectFrom("results")
    .select(["check_id", "run_at", "flags"])
    .where(isMissed)
    .where("location_id", "=", locationId)
    .where("started_at_us", ">=", sinceMs * 1_000)
    .orderBy("started_at_us", "desc")
    .limit(limit);
}
