import { type Selectable, sql } from "kysely";
import type { Engine } from "../../engine.ts";
import { attemptOfResult, attemptsOfJob, jobOfResult, resultsKey } from "../../numbers.ts";
import type { Tables, Trx } from "../../schema.ts";
import type { ResultType } from "../../storage.ts";
import { lateUploadMs } from "./list.ts";
import { resultTypes } from "./result-rows.ts";

/** A stored result as far as a later report of the same job must know it. */
export interface StoredAttempt {
  readonly checkId: number;
  readonly startedAtUs: number;
  readonly id: number;
  readonly attempt: number;
  readonly type: ResultType;
  readonly locationId: number;
  readonly digest: number;
}

/**
 * What is stored of jobs, read by check and time: the results' own key, so that no index of jobs is needed. The clock may have been set:
 * forward, then what is stored may be dated later than results are taken; back, then before its run.
 */
export async function storedAttempts(
  engine: Engine,
  trx: Trx,
  jobs: readonly number[],
  sessionOf: (job: number) => Selectable<Tables["sessions"]> | undefined,
  nowMs: number,
): Promise<ReadonlyMap<number, readonly StoredAttempt[]>> {
  const byCheck = Map.groupBy(jobs, (job) => {
    const session = sessionOf(job);
    return session === undefined ? 0 : resultsKey(session.check_id, session.test_session);
  });
  const found: StoredAttempt[] = [];
  for (const [checkId, ofCheck] of byCheck) {
    const runs = ofCheck.map((job) => sessionOf(job)?.run_at ?? nowMs);
    const firstMs = Math.min(...runs);
    const rows = await trx
      .selectFrom("results")
      .select(["id", "started_at_us", "type", "location_id", "digest"])
      .where("check_id", "=", checkId)
      .where("started_at_us", ">=", (nowMs < firstMs ? nowMs - lateUploadMs : firstMs) * 1_000)
      .where("started_at_us", "<=", (Math.max(...runs) + 2 * lateUploadMs) * 1_000)
      .where(engine.isAny(sql`id / ${sql.lit(attemptsOfJob)}`, ofCheck))
      .execute();
    for (const row of rows) {
      found.push({
        checkId,
        startedAtUs: row.started_at_us,
        id: row.id,
        attempt: attemptOfResult(row.id),
        type: resultTypes[row.type] ?? "FINAL",
        locationId: row.location_id,
        digest: row.digest,
      });
    }
  }
  return Map.groupBy(found, (attempt) => jobOfResult(attempt.id));
}
