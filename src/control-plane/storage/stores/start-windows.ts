import { type SqlBool, sql } from "kysely";
import type { Engine } from "../engine.ts";
import type { JobTable, Trx } from "../schema.ts";

/*
 * A run of the schedule begins within its window, and while no other of its check at its location has begun and not ended its first attempt.
 * Retries, and runs that somebody triggered, are free of both.
 */

/**
 * Of a job in the queue: it may begin now. A look-up for each job, as `hasItsRuntime`: of `not exists` PostgreSQL may make a join that reads
 * all jobs.
 */
export function mayBegin(waitMs: number) {
  return sql<SqlBool>`(jobs.begin_by is null or jobs.attempt > 1 or (jobs.begin_by > ${waitMs} and (
    select 1 from jobs as other where other.check_id = jobs.check_id and other.location_id = jobs.location_id and other.begin_by is not null
      and other.attempt = 1 and (other.agent_session is not null
        or (other.no < jobs.no and other.not_before <= ${waitMs} and other.begin_by > ${waitMs}))
    limit 1) is null))`;
}

/** Jobs that can begin no more, as their window is over; locked. */
export function tooLate(engine: Engine, trx: Trx, waitMs: number, limit: number) {
  const over = trx
    .selectFrom("jobs")
    .selectAll()
    .where("agent_session", "is", null)
    .where("begin_by", "<=", waitMs)
    .where(sql<SqlBool>`attempt = 1`) // written out: else the index, of these alone, is not used
    .orderBy("begin_by")
    .limit(limit);
  return engine.skipLocked(over).execute();
}

/** Whether a job of the schedule found the run before it still going on. */
export async function overlaps(engine: Engine, trx: Trx, late: readonly Job[]): Promise<(job: Job) => boolean> {
  const running = await trx
    .selectFrom("jobs")
    .select(["no", "check_id", "location_id"])
    .where(engine.isAny("check_id", [...new Set(late.map((job) => job.check_id))]))
    .where("begin_by", "is not", null)
    .where("agent_session", "is not", null)
    .where("attempt", "=", 1)
    .execute();
  const byPlace = new Map(running.map((job) => [`${job.check_id} ${job.location_id}`, job.no]));
  return (job) => job.begin_by !== null && (byPlace.get(`${job.check_id} ${job.location_id}`) ?? Number.POSITIVE_INFINITY) < job.no;
}

type Job = Pick<JobTable, "no" | "check_id" | "location_id" | "begin_by">;
