import { type Kysely, type Selectable, type SqlBool, sql } from "kysely";
import type { AnalysedGroup, AnalysisRow, AnalysisStore, LookedEpisode, WantedAnalysis } from "../analysis-store.ts";
import type { AuditActor } from "../audit-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";

/** Written out: else SQLite does not use the indexes of these alone. */
const isPending = sql<SqlBool>`status = 'PENDING'`;
const isUnasked = sql<SqlBool>`analysis_asked = 0`;
const hasTokens = sql<SqlBool>`tokens > 0`;

export function analysisStore(engine: Engine): AnalysisStore {
  const { reads, db } = engine;
  return {
    request: (accountId, of, wanted) => request(db, accountId, of, wanted),
    async find(accountId, uuid) {
      const all = reads.selectFrom("root_cause_analyses").selectAll().where("account_id", "=", accountId);
      const row = await all.where("uuid", "=", uuid).executeTakeFirst();
      return row && analysisOf(row);
    },
    async ofGroup(accountId, of) {
      const completed = ofGroup(reads, accountId, of).where("status", "=", "COMPLETED").orderBy("id", "desc").limit(20);
      return (await completed.execute()).map(analysisOf);
    },
    async latest(accountId, of) {
      const row = await ofGroup(reads, accountId, of).orderBy("id", "desc").limit(1).executeTakeFirst();
      return row && analysisOf(row);
    },
    async claim(nowMs, forMs, limit) {
      const waitMs = engine.clock.waitMs(nowMs);
      // Most looks find nothing, and need no writer for that.
      if ((await free(reads, waitMs).limit(1).executeTakeFirst()) === undefined) return [];
      return engine.transaction((trx) => claim(engine, trx, { waitMs, forMs, limit }));
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
    async spend(uuid, tokens) {
      await db
        .updateTable("root_cause_analyses")
        .set((eb) => ({ tokens: eb("tokens", "+", tokens) }))
        .where("uuid", "=", uuid)
        .execute();
    },
    async spentSince(accountId, sinceMs) {
      const spent = reads.selectFrom("root_cause_analyses").select((eb) => eb.fn.sum<number | null>("tokens").as("tokens"));
      const row = await spent.where("account_id", "=", accountId).where("created_at", ">=", sinceMs).where(hasTokens).executeTakeFirst();
      return Number(row?.tokens ?? 0);
    },
    async unaskedEpisodes(limit) {
      const rows = reads.selectFrom("alert_episodes").select(["id", "account_id", "error_group"]).where(isUnasked);
      const found = await rows.orderBy("id").limit(limit).execute();
      return found.map(({ id, account_id: accountId, error_group: errorGroupId }) => ({ id, accountId, errorGroupId }));
    },
    ask: (looked) => engine.transaction((trx) => ask(engine, trx, looked)),
    async prune(beforeMs, limit) {
      const old = reads.selectFrom("root_cause_analyses").select("id").where("created_at", "<", beforeMs).orderBy("created_at");
      const ids = (await old.limit(limit).execute()).map(({ id }) => id);
      if (ids.length > 0) await db.deleteFrom("root_cause_analyses").where(engine.isAny("id", ids)).execute();
      return ids.length;
    },
  };
}

/** By the index of the one that it has. */
function ofGroup(db: Kysely<Tables>, accountId: number, { errorGroupId, testFailureGroupId }: AnalysedGroup) {
  const all = db.selectFrom("root_cause_analyses").selectAll().where("account_id", "=", accountId);
  return errorGroupId === null
    ? all.where("test_session_error_group_id", "=", testFailureGroupId)
    : all.where("error_group_id", "=", errorGroupId);
}

async function request(
  db: Kysely<Tables>,
  accountId: number,
  of: AnalysedGroup,
  { uuid, userContext, createdAtMs, askedBy }: WantedAnalysis,
): Promise<AnalysisRow> {
  const pending = await ofGroup(db, accountId, of).where("status", "=", "PENDING").orderBy("id").limit(1).executeTakeFirst();
  if (pending !== undefined) return analysisOf(pending);
  const group = { error_group_id: of.errorGroupId, test_session_error_group_id: of.testFailureGroupId };
  const nothingYet = { status: "PENDING", provider: null, model: null, duration_ms: null, analysis: null } as const;
  const asked = { user_context: userContext, created_at: createdAtMs, asked_by: askedBy && JSON.stringify(askedBy) };
  const row = await db
    .insertInto("root_cause_analyses")
    .values({ uuid, account_id: accountId, ...group, ...nothingYet, ...asked })
    .returningAll()
    .executeTakeFirstOrThrow();
  return analysisOf(row);
}

interface Claim {
  readonly waitMs: number;
  readonly forMs: number;
  readonly limit: number;
}

function free(db: Kysely<Tables>, waitMs: number) {
  return db.selectFrom("root_cause_analyses").selectAll().where(isPending).where("claimed_until", "<=", waitMs).orderBy("id");
}

async function claim(engine: Engine, trx: Trx, { waitMs, forMs, limit }: Claim): Promise<readonly AnalysisRow[]> {
  const rows = await engine.skipLocked(free(trx, waitMs).limit(limit)).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  await trx
    .updateTable("root_cause_analyses")
    .set((eb) => ({ claimed_until: Math.round(waitMs + forMs), attempts: eb("attempts", "+", 1) }))
    .where(engine.isAny("id", ids))
    .execute();
  return rows.map((row) => analysisOf({ ...row, attempts: row.attempts + 1 }));
}

async function ask(engine: Engine, trx: Trx, looked: readonly LookedEpisode[]): Promise<number> {
  const ids = looked.map(({ id }) => id);
  const noted = trx.updateTable("alert_episodes").set({ analysis_asked: 1 }).where(engine.isAny("id", ids)).where(isUnasked);
  const mine = new Set((await noted.returning("id").execute()).map(({ id }) => id)); // the others somebody else looked at
  let asked = 0;
  for (const { id, accountId, errorGroupId, wanted } of looked) {
    if (wanted === null || errorGroupId === null || !mine.has(id)) continue;
    await request(trx, accountId, { errorGroupId, testFailureGroupId: null }, wanted);
    asked += 1;
  }
  return asked;
}

function analysisOf(row: Selectable<Tables["root_cause_analyses"]>): AnalysisRow {
  const { provider, model, duration_ms: durationMs, analysis } = row;
  const isWhole = provider !== null && model !== null && durationMs !== null && analysis !== null;
  return {
    uuid: row.uuid,
    accountId: row.account_id,
    errorGroupId: row.error_group_id,
    testFailureGroupId: row.test_session_error_group_id,
    userContext: row.user_context,
    status: row.status,
    completed: isWhole ? { provider, model, durationMs, analysis: JSON.parse(analysis) as unknown } : null,
    createdAtMs: row.created_at,
    askedBy: row.asked_by === null ? null : (JSON.parse(row.asked_by) as AuditActor), // as `request` wrote it
    attempts: row.attempts,
  };
}
