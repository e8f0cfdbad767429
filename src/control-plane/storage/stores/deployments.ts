import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import type { DeploymentRow, ProjectStore } from "../project-store.ts";
import type { Tables } from "../schema.ts";

type DeploymentStore = Pick<ProjectStore, "beginDeployment" | "running" | "deployment" | "endDeployment" | "requestCancel" | "failStale">;

/** So many of an account are remembered. */
const keptDeployments = 200;

export function deploymentStore(engine: Engine): DeploymentStore {
  const { reads, db } = engine;
  const all = () => reads.selectFrom("deployments").selectAll();
  return {
    beginDeployment: (deployment) => begin(engine, deployment),
    async running(accountId, logicalId) {
      const row = await all()
        .where("account_id", "=", accountId)
        .where("logical_id", "=", logicalId)
        .where("ended_at", "is", null)
        .executeTakeFirst();
      return row && deploymentOf(row);
    },
    async deployment(accountId, uuid) {
      const row = await all().where("account_id", "=", accountId).where("uuid", "=", uuid).executeTakeFirst();
      return row && deploymentOf(row);
    },
    async endDeployment(accountId, uuid, { status, error, result, endedAtMs }) {
      const ended = await db
        .updateTable("deployments")
        .set({
          status,
          error: error && JSON.stringify(error),
          result: result === null ? null : JSON.stringify(result),
          ended_at: endedAtMs,
        })
        .where("account_id", "=", accountId)
        .where("uuid", "=", uuid)
        .where("ended_at", "is", null)
        .executeTakeFirst();
      return ended.numUpdatedRows > 0n;
    },
    async requestCancel(accountId, uuid, nowMs) {
      await db
        .updateTable("deployments")
        .set({ cancel_requested_at: nowMs })
        .where("account_id", "=", accountId)
        .where("uuid", "=", uuid)
        .where("ended_at", "is", null)
        .where("cancel_requested_at", "is", null)
        .execute();
      return (await all().where("account_id", "=", accountId).where("uuid", "=", uuid).executeTakeFirst()) !== undefined;
    },
    async failStale(nowMs) {
      const error = { code: "ABANDONED", message: "The control plane that did it has ended; nothing was changed" };
      const failed = await db
        .updateTable("deployments")
        .set({ status: "FAILED", error: JSON.stringify(error), ended_at: nowMs })
        .where("ended_at", "is", null)
        .where("ends_by", "<", nowMs)
        .executeTakeFirst();
      return Number(failed.numUpdatedRows);
    },
  };
}

async function begin(
  { reads, db }: Engine,
  { uuid, accountId, logicalId, createdAtMs, endsByMs }: Parameters<ProjectStore["beginDeployment"]>[0],
): Promise<boolean> {
  const values = { uuid, account_id: accountId, project_id: null, logical_id: logicalId, status: "RUNNING" } as const;
  const begun = await db
    .insertInto("deployments")
    .values({
      ...values,
      error: null,
      result: null,
      created_at: createdAtMs,
      ends_by: endsByMs,
      ended_at: null,
      cancel_requested_at: null,
    })
    .onConflict((running) => running.columns(["account_id", "logical_id"]).where("ended_at", "is", null).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (begun === undefined) return false;
  const oldest = await reads
    .selectFrom("deployments")
    .select("id")
    .where("account_id", "=", accountId)
    .orderBy("id", "desc")
    .offset(keptDeployments)
    .limit(1)
    .executeTakeFirst();
  if (oldest) await db.deleteFrom("deployments").where("account_id", "=", accountId).where("id", "<=", oldest.id).execute();
  return true;
}

function deploymentOf(row: Selectable<Tables["deployments"]>): DeploymentRow {
  return {
    uuid: row.uuid,
    accountId: row.account_id,
    logicalId: row.logical_id,
    status: row.status,
    error: row.error === null ? null : (JSON.parse(row.error) as DeploymentRow["error"]),
    result: row.result === null ? null : (JSON.parse(row.result) as unknown),
    createdAtMs: row.created_at,
    endedAtMs: row.ended_at,
    cancelRequestedAtMs: row.cancel_requested_at,
  };
}
