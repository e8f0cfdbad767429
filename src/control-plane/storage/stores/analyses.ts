import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { AnalysisRow, AnalysisStore } from "../test-failure-store.ts";

export function analysisStore(engine: Engine): AnalysisStore {
  const { reads, db } = engine;
  const ofGroup = (accountId: number, { errorGroupId, testFailureGroupId }: Parameters<AnalysisStore["ofGroup"]>[1]) =>
    reads
      .selectFrom("root_cause_analyses")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("error_group_id", "is not distinct from", errorGroupId)
      .where("test_session_error_group_id", "is not distinct from", testFailureGroupId);
  return {
    async request(accountId, of, { uuid, userContext, createdAtMs }) {
      const pending = await ofGroup(accountId, of).where("status", "=", "PENDING").executeTakeFirst();
      if (pending !== undefined) return analysisOf(pending);
      const group = { error_group_id: of.errorGroupId, test_session_error_group_id: of.testFailureGroupId };
      const nothingYet = { provider: null, model: null, duration_ms: null, analysis: null };
      const row = await db
        .insertInto("root_cause_analyses")
        .values({
          uuid,
          account_id: accountId,
          ...group,
          user_context: userContext,
          status: "PENDING",
          ...nothingYet,
          created_at: createdAtMs,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return analysisOf(row);
    },
    async find(accountId, uuid) {
      const all = reads.selectFrom("root_cause_analyses").selectAll().where("account_id", "=", accountId);
      const row = await all.where("uuid", "=", uuid).executeTakeFirst();
      return row && analysisOf(row);
    },
    async ofGroup(accountId, of) {
      const completed = ofGroup(accountId, of).where("status", "=", "COMPLETED").orderBy("id", "desc").limit(20);
      return (await completed.execute()).map(analysisOf);
    },
    async end(uuid, status, completed) {
      const { provider = null, model = null, durationMs = null } = completed ?? {};
      const analysis = completed && JSON.stringify(completed.analysis);
      await db
        .updateTable("root_cause_analyses")
        .set({ status, provider, model, duration_ms: durationMs, analysis })
        .where("uuid", "=", uuid)
        .where("status", "=", "PENDING")
        .execute();
    },
  };
}

function analysisOf(row: Selectable<Tables["root_cause_analyses"]>): AnalysisRow {
  const { provider, model, duration_ms: durationMs, analysis } = row;
  const isWhole = provider !== null && model !== null && durationMs !== null && analysis !== null;
  return {
    uuid: row.uuid,
    errorGroupId: row.error_group_id,
    testFailureGroupId: row.test_session_error_group_id,
    userContext: row.user_context,
    status: row.status,
    completed: isWhole ? { provider, model, durationMs, analysis: JSON.parse(analysis) as unknown } : null,
    createdAtMs: row.created_at,
  };
}
