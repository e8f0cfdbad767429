import { AppError } from "#domain/app-error.ts";
import type { Trx } from "../schema.ts";
import type { BaselineAccess } from "../storage.ts";

/** Agents are not trusted: only what one runs at this moment is open to it. @throws {AppError} conflict */
export async function heldJob(db: Pick<Trx, "selectFrom">, { agentSession, job }: BaselineAccess) {
  const row = await db
    .selectFrom("jobs")
    .select(["no", "check_id", "test_session"])
    .where("no", "=", job.no)
    .where("agent_session", "=", agentSession)
    .where("fence", "=", job.fence)
    .executeTakeFirst();
  if (row === undefined) throw noJob();
  return row;
}

export function noJob(): AppError {
  return new AppError("conflict", "the agent does not hold this job");
}
