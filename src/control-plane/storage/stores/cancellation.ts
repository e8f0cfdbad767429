import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import { jobNo, sessionOfJob } from "../numbers.ts";
import type { JobTable, Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import { SessionBook, type SessionEnds } from "./session-book.ts";

/** Queued jobs of the session end now; leased ones are marked, and their agents told at the next heartbeat. */
export async function cancelSession(
  engine: Engine,
  signals: Signals,
  sessionNo: number,
  nowMs: number,
  only?: ReadonlySet<number>,
): Promise<void> {
  const ends = await engine.transaction(async (trx) => {
    const all = await engine
      .lockRows(
        trx
          .selectFrom("jobs")
          .selectAll()
          .where("no", ">=", jobNo(sessionNo, 0))
          .where("no", "<", jobNo(sessionNo + 1, 0))
          .orderBy("no"),
      )
      .execute();
    const jobs = all.filter((job) => only?.has(job.no) ?? true);
    const leased = jobs.filter((job) => job.agent_session !== null).map((job) => job.no);
    await trx.updateTable("jobs").set({ cancelled: 1 }).where(engine.isAny("no", leased)).execute();
    return endCancelled(
      engine,
      trx,
      jobs.filter((job) => job.agent_session === null),
      nowMs,
    );
  });
  signals.sendEnds(ends);
}

/** Ends cancelled jobs that no agent runs any more. They leave no result. */
export async function endCancelled(engine: Engine, trx: Trx, jobs: readonly Selectable<JobTable>[], nowMs: number): Promise<SessionEnds> {
  if (jobs.length === 0) return { ended: [], dueAt: [] };
  const sessions = await SessionBook.open(engine, trx, [...new Set(jobs.map((job) => sessionOfJob(job.no)))]);
  for (const job of jobs) sessions.change(sessionOfJob(job.no), { cancelled: 1 }, nowMs);
  await trx
    .deleteFrom("jobs")
    .where(
      engine.isAny(
        "no",
        jobs.map((job) => job.no),
      ),
    )
    .execute();
  return sessions.write(engine, trx);
}
