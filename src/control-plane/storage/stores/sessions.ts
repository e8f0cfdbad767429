import type { Kysely } from "kysely";
import type { Engine } from "../engine.ts";
import { jobNo } from "../numbers.ts";
import type { Tables } from "../schema.ts";
import type { SessionStore } from "../storage.ts";
import type { LocationCodes } from "./location-codes.ts";
import { startedStatus } from "./runs.ts";

export function sessionStore({ reads }: Engine, codes: LocationCodes): SessionStore {
  return {
    async byNo(accountId, no) {
      const row = await reads
        .selectFrom("sessions")
        .innerJoin("checks", "checks.id", "sessions.check_id")
        .selectAll("sessions")
        .select(["checks.uuid", "checks.type", "checks.definition"])
        .where("sessions.account_id", "=", accountId)
        .where("sessions.no", "=", no)
        .where("sessions.test_session", "is", null)
        .executeTakeFirst();
      return (
        row && {
          no: row.no,
          accountId: row.account_id,
          checkId: row.check_id,
          checkUuid: row.uuid,
          checkType: row.type,
          checkName: (JSON.parse(row.definition) as { name: string }).name,
          runAtMs: row.run_at,
          source: row.source,
          locationCodes: await codes.of(JSON.parse(row.location_ids) as readonly number[]),
          status: row.status === startedStatus && (await hasBegun(reads, no)) ? "PROGRESS" : row.status,
          stoppedAtMs: row.stopped_at,
        }
      );
    },
  };
}

/** Whether an agent took one of its jobs; looked up when somebody asks, so that a lease need not write the session. */
async function hasBegun(db: Kysely<Tables>, sessionNo: number): Promise<boolean> {
  const job = await db
    .selectFrom("jobs")
    .select("no")
    .where("no", ">=", jobNo(sessionNo, 0))
    .where("no", "<", jobNo(sessionNo + 1, 0))
    .where("fence", ">", 0)
    .limit(1)
    .executeTakeFirst();
  return job !== undefined;
}
