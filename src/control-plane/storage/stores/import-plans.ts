import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import type { ImportPlanRow, ImportPlanStore, ProjectResource } from "../project-store.ts";
import type { Tables } from "../schema.ts";

const columns = {
  project_id: "int8",
  account_id: "int8",
  type: "text",
  logical_id: "text",
  physical_id: "text",
  is_member: "int8",
  payload_hash: "text",
  state_hash: "text",
  import_plan: "int8",
} as const;

export function importPlanStore(engine: Engine): ImportPlanStore {
  const { reads, db } = engine;
  return {
    async createPlan({ uuid, accountId, projectId, changes, createdAtMs }) {
      const values = { uuid, account_id: accountId, project_id: projectId, changes: JSON.stringify(changes), created_at: createdAtMs };
      await db.insertInto("import_plans").values(values).execute();
    },
    async plans(accountId, { projectId, onlyUnapplied, onlyUncommitted }) {
      let query = reads.selectFrom("import_plans").selectAll().where("account_id", "=", accountId);
      if (projectId !== undefined) query = query.where("project_id", "=", projectId);
      if (onlyUnapplied) query = query.where("applied_at", "is", null);
      if (onlyUncommitted) query = query.where("committed_at", "is", null);
      return (await query.orderBy("id", "desc").limit(100).execute()).map(planOf);
    },
    async plan(accountId, uuid) {
      const plans = reads.selectFrom("import_plans").selectAll().where("account_id", "=", accountId);
      const row = await plans.where("uuid", "=", uuid).executeTakeFirst();
      return row && planOf(row);
    },
    applyPlan: ({ id, projectId }, accountId, resources, nowMs) =>
      engine.transaction(async (trx) => {
        const applied = await trx
          .updateTable("import_plans")
          .set({ applied_at: nowMs })
          .where("id", "=", id)
          .where("applied_at", "is", null)
          .executeTakeFirst();
        if (Number(applied.numUpdatedRows) === 0) return false;
        const rows = resources.map((one) => [projectId, accountId, ...valuesOf(one), id]);
        if (rows.length > 0) await engine.insertMany(trx, "project_resources", columns, rows, "on conflict do nothing");
        return true;
      }),
    commitPlan: ({ id }, nowMs) =>
      engine.transaction(async (trx) => {
        const committed = await trx
          .updateTable("import_plans")
          .set({ committed_at: nowMs })
          .where("id", "=", id)
          .where("applied_at", "is not", null)
          .where("committed_at", "is", null)
          .executeTakeFirst();
        if (Number(committed.numUpdatedRows) === 0) return false;
        await trx.updateTable("project_resources").set({ import_plan: null }).where("import_plan", "=", id).execute();
        return true;
      }),
    cancelPlan: ({ id, projectId }) =>
      engine.transaction(async (trx) => {
        const gone = await trx.deleteFrom("import_plans").where("id", "=", id).where("committed_at", "is", null).executeTakeFirst();
        if (Number(gone.numDeletedRows) === 0) return false;
        await trx.deleteFrom("project_resources").where("project_id", "=", projectId).where("import_plan", "=", id).execute();
        return true;
      }),
  };
}

/** Nothing is known of what the code says of it, so the first deployment writes it. */
function valuesOf({ type, logicalId, physicalId }: ProjectResource): (string | number | null)[] {
  return [type, logicalId, physicalId, 1, "", ""];
}

function planOf(row: Selectable<Tables["import_plans"]>): ImportPlanRow {
  return {
    id: row.id,
    uuid: row.uuid,
    projectId: row.project_id,
    changes: JSON.parse(row.changes),
    createdAtMs: row.created_at,
    appliedAtMs: row.applied_at,
    committedAtMs: row.committed_at,
  };
}
