import type { Engine } from "../engine.ts";
import { jobNo, noCheck, resultId } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import { removeCheck } from "./checks.ts";
import { deleteRemoved } from "./results/retention.ts";

/** Pages, the people who follow them, and addresses that start checks. */
const openKinds = ["dashboard", "status-page", "status-page-subscription", "trigger"] as const;
const checksAtOnce = 20;
/** Rows of these have a number of their own and may be many. */
const longTables = [
  "alert_deliveries",
  "alert_notifications",
  "given_up_alerts",
  "alert_episodes",
  "check_alerts",
  "error_groups",
  "test_sessions",
  "documents",
  "agent_errors",
  "audit_log",
  "root_cause_analyses",
  "test_session_error_groups",
  "deployments",
  "import_plans",
  "projects",
  "code_snapshots",
] as const;

/** Cuts off what speaks for an account, or is reached from outside; the rest waits for `sweepAccounts`. @returns the hashes of its keys; undefined where there is no such account */
export function removeAccount(engine: Engine, id: number, nowMs: number): Promise<readonly string[] | undefined> {
  return engine.transaction(async (trx) => {
    const marked = await trx
      .updateTable("accounts")
      .set({ removed_at: nowMs })
      .where("id", "=", id)
      .where("removed_at", "is", null)
      .executeTakeFirst();
    if (Number(marked.numUpdatedRows) === 0) return undefined;
    const hashes = await deleteAccess(trx, id);
    await trx.deleteFrom("documents").where("account_id", "=", id).where("kind", "in", openKinds).execute();
    const checks = trx.selectFrom("checks").select("id").where("account_id", "=", id);
    await trx.deleteFrom("heartbeats").where("check_id", "in", checks).execute();
    await trx.updateTable("checks").set({ activated: 0, next_due: null }).where("account_id", "=", id).execute();
    // Nobody goes on with these.
    await trx.updateTable("blobs").set({ created_at: 0 }).where("account_id", "=", id).where("stored_at", "is", null).execute();
    await trx.updateTable("code_bundles").set({ created_at: 0, stored_at: null }).where("account_id", "=", id).execute();
    return hashes;
  });
}

/** Keys, sessions, and people who are members of no other account. */
async function deleteAccess(trx: Trx, accountId: number): Promise<readonly string[]> {
  const locations = trx.selectFrom("locations").select("id").where("account_id", "=", accountId);
  const keys = await trx
    .deleteFrom("keys")
    .where((eb) => eb.or([eb("account_id", "=", accountId), eb("location_id", "in", locations)]))
    .returning("hash")
    .execute();
  await trx.deleteFrom("agent_sessions").where("location_id", "in", locations).execute();
  const members = trx.selectFrom("memberships").select("user_id").where("account_id", "=", accountId);
  const elsewhere = trx.selectFrom("memberships").select("user_id").where("account_id", "!=", accountId);
  await trx.deleteFrom("users").where("id", "in", members).where("id", "not in", elsewhere).execute();
  for (const table of ["sign_ins", "invitations", "memberships"] as const)
    await trx.deleteFrom(table).where("account_id", "=", accountId).execute();
  return keys.map(({ hash }) => hash);
}

/** One short step of removing what is left of the accounts that were deleted. @returns rows; 0 when nothing can go now */
export async function sweepAccounts(engine: Engine, signals: Signals, nowMs: number, limit: number): Promise<number> {
  const removed = await engine.reads.selectFrom("accounts").select("id").where("removed_at", "is not", null).orderBy("id").execute();
  for (const { id } of removed) {
    const gone =
      (await sweepChecks(engine, signals, id, nowMs)) ||
      (await deleteRemoved(engine, limit)) ||
      (await sweepSessions(engine, id, Math.min(limit, 200))) ||
      (await sweepLong(engine, id, limit)) ||
      (await sweepLast(engine, id));
    if (gone > 0) return gone;
  }
  return 0;
}

async function sweepChecks(engine: Engine, signals: Signals, accountId: number, nowMs: number): Promise<number> {
  const found = await engine.reads
    .selectFrom("checks")
    .select("uuid")
    .where("account_id", "=", accountId)
    .orderBy("id")
    .limit(checksAtOnce)
    .execute();
  for (const { uuid } of found) {
    const ends = await engine.transaction((trx) => removeCheck(engine, trx, accountId, uuid, nowMs));
    if (ends) signals.sendEnds(ends);
  }
  return found.length;
}

/** With what ran without being stored: results under no check, which only their session finds. */
async function sweepSessions(engine: Engine, accountId: number, limit: number): Promise<number> {
  const found = await engine.reads
    .selectFrom("sessions")
    .select(["no", "check_id", "run_at"])
    .where("account_id", "=", accountId)
    .limit(limit)
    .execute();
  await engine.transaction(async (trx) => {
    for (const { no } of found.filter(({ check_id }) => check_id === noCheck)) {
      const [from, to] = [resultId(jobNo(no, 0), 0), resultId(jobNo(no + 1, 0), 0)];
      await trx
        .deleteFrom("jobs")
        .where("no", ">=", jobNo(no, 0))
        .where("no", "<", jobNo(no + 1, 0))
        .execute();
      await trx.deleteFrom("results").where("check_id", "=", noCheck).where("id", ">=", from).where("id", "<", to).execute();
      for (const table of ["result_assets", "result_details"] as const)
        await trx.deleteFrom(table).where("id", ">=", from).where("id", "<", to).execute();
    }
    const numbers = found.map(({ no }) => no);
    if (numbers.length > 0) await trx.deleteFrom("trials").where(engine.isAny("session_no", numbers)).execute();
    if (numbers.length > 0) await trx.deleteFrom("sessions").where(engine.isAny("no", numbers)).execute();
  });
  return found.length;
}

async function sweepLong(engine: Engine, accountId: number, limit: number): Promise<number> {
  for (const table of longTables) {
    const found = await engine.reads
      .selectFrom(table)
      .select("id")
      .where("account_id", "=", accountId)
      .orderBy("id")
      .limit(limit)
      .execute();
    const ids = found.map(({ id }) => id);
    if (ids.length === 0) continue;
    await engine.db.deleteFrom(table).where(engine.isAny("id", ids)).execute();
    return ids.length;
  }
  return 0;
}

/** Locations and the account itself, once the artifact sweeper has removed the last file. */
async function sweepLast(engine: Engine, accountId: number): Promise<number> {
  return engine.transaction(async (trx) => {
    for (const table of ["blobs", "code_bundles"] as const) {
      const blob = await trx.selectFrom(table).select("key").where("account_id", "=", accountId).limit(1).executeTakeFirst();
      if (blob !== undefined) return 0;
    }
    const locations = trx.selectFrom("locations").select("id").where("account_id", "=", accountId);
    await deleteAccess(trx, accountId);
    for (const table of ["jobs", "queue_samples", "check_locations", "group_locations"] as const)
      await trx.deleteFrom(table).where("location_id", "in", locations).execute();
    for (const table of ["alert_outbox", "incident_news", "agent_errors", "audit_log", "locations"] as const)
      await trx.deleteFrom(table).where("account_id", "=", accountId).execute();
    await trx.deleteFrom("accounts").where("id", "=", accountId).execute();
    return 1;
  });
}
