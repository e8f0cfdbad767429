import { type Kysely, type Selectable, type SqlBool, sql } from "kysely";
import type { AnalysedGroup, AnalysisRow, AnalysisStore, LookedEpisode, UnaskedEpisode, WantedAnalysis } from "../analysis-store.ts";
import type { AuditActor } from "../audit-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";

/** Written out: else SQLite does not use the indexes of these alone. */
const isPending = sql<SqlBool>`status = 'PENDING'`;
const isUnasked = sql<SqlBool>`analysis_asked = 0`;
const isDueAgain = (waitMs: number) => sql<SqlBool>`causes_from is not null and causes_from <= ${Math.round(waitMs)}`;
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
    unaskedEpisodes: (nowMs, limit) => unaskedEpisodes(engine, engine.clock.waitMs(nowMs), limit),
    ask: (nowMs, looked) => engine.transaction((trx) => ask(engine, trx, engine.clock.waitMs(nowMs), looked)),
    async prune(beforeMs, limit) {
      const old = reads.selectFrom("root_cause_analyses").select("id").where("created_at", "<", beforeMs).orderBy("created_at");
      const ids = (await old.limit(limit).execute()).map(({ id }) => id);
      if (ids.length > 0) await db.deleteFrom("root_cause_analyses").where(engine.isAny("id", ids)).execute();
      return ids.length;
    },
  };
}

/** By the index of the one that it has. */
function ofGroup(db: Kysely<Tables>, accountId: number, { errorGroupId, testFailureGroupId, checkId = null }: AnalysedGroup) {
  const all = db.selectFrom("root_cause_analyses").selectAll().where("account_id", "=", accountId);
  if (checkId !== null) return all.where("check_id", "=", checkId);
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
  const group = { error_group_id: of.errorGroupId, test_session_error_group_id: of.testFailureGroupId, check_id: of.checkId ?? null };
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

interface EpisodeFacts {
  readonly check_id: number;
  readonly standing: "failing" | "degraded";
  readonly error_group: number | null;
}

/** A check that failed without an error, as one whose agents are silent, has nothing to look at. */
function analysedOf(
  { check_id: checkId, standing, error_group: errorGroupId }: EpisodeFacts,
  pinged: ReadonlySet<number>,
): AnalysedGroup | null {
  if (errorGroupId !== null) return { errorGroupId, testFailureGroupId: null };
  const isOfCheck = standing === "degraded" || pinged.has(checkId);
  return isOfCheck ? { errorGroupId: null, testFailureGroupId: null, checkId } : null;
}

async function pingedOf(engine: Engine, checkIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (checkIds.length === 0) return new Set();
  const rows = await engine.reads.selectFrom("heartbeats").select("check_id").where(engine.isAny("check_id", checkIds)).execute();
  return new Set(rows.map((row) => row.check_id));
}

async function unaskedEpisodes(engine: Engine, waitMs: number, limit: number): Promise<readonly UnaskedEpisode[]> {
  const db = engine.reads;
  const rowsThat = async (condition: ReturnType<typeof isDueAgain>, isAgain: boolean): Promise<UnaskedEpisode[]> => {
    const columns = ["id", "account_id", "check_id", "standing", "error_group"] as const;
    const rows = await db.selectFrom("alert_episodes").select(columns).where(condition).orderBy("id").limit(limit).execute();
    const pinged = await pingedOf(
      engine,
      rows.flatMap((row) => (row.error_group === null ? row.check_id : [])),
    );
    return rows.map((row) => ({ id: row.id, accountId: row.account_id, of: analysedOf(row, pinged), isAgain }));
  };
  return [...(await rowsThat(isUnasked, false)), ...(await rowsThat(isDueAgain(waitMs), true))].slice(0, limit);
}

async function ask(engine: Engine, trx: Trx, waitMs: number, looked: readonly LookedEpisode[]): Promise<number> {
  const idsThat = (isAgain: boolean): number[] => looked.filter((one) => one.isAgain === isAgain).map(({ id }) => id);
  const episodes = trx.updateTable("alert_episodes").returning("id");
  const first = episodes
    .set({ analysis_asked: 1 })
    .where(engine.isAny("id", idsThat(false)))
    .where(isUnasked);
  const again = episodes
    .set({ causes_from: null })
    .where(engine.isAny("id", idsThat(true)))
    .where(isDueAgain(waitMs));
  const mine = new Set([...(await first.execute()), ...(await again.execute())].map(({ id }) => id)); // the others somebody else looked at
  let asked = 0;
  for (const { id, accountId, of, wanted } of looked) {
    if (wanted === null || of === null || !mine.has(id)) continue;
    await request(trx, accountId, of, wanted);
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
    checkId: row.check_id,
    userContext: row.user_context,
    status: row.status,
    completed: isWhole ? { provider, model, durationMs, analysis: JSON.parse(analysis) as unknown } : null,
    createdAtMs: row.created_at,
    askedBy: row.asked_by === null ? null : (JSON.parse(row.asked_by) as AuditActor), // as `request` wrote it
    attempts: row.attempts,
  };
}
