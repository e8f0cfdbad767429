import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import type { TestFailure, TestFailureGroupRow, TestFailureStore } from "../test-failure-store.ts";

/** So many environments of a group are told. */
const maxEnvironments = 20;

export function testFailureStore(engine: Engine): TestFailureStore {
  const { reads, db } = engine;
  const groups = (accountId: number) => reads.selectFrom("test_session_error_groups").where("account_id", "=", accountId);
  const byId = async (accountId: number, id: number): Promise<TestFailureGroupRow | undefined> => {
    const row = await groups(accountId).selectAll().where("id", "=", id).executeTakeFirst();
    return row && groupOf(row);
  };
  return {
    byId,
    async list(accountId, { page, limit, projectUuid }) {
      const wanted = projectUuid === undefined ? groups(accountId) : groups(accountId).where("project_id", "=", projectUuid);
      const [rows, { total }] = await Promise.all([
        wanted
          .selectAll()
          .orderBy("last_seen", "desc")
          .orderBy("id", "desc")
          .limit(limit)
          .offset((page - 1) * limit)
          .execute(),
        wanted.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
      ]);
      return { items: rows.map(groupOf), total: Number(total) };
    },
    async archive(accountId, id, { untilNextEvent, forEver, nowMs }) {
      const change = {
        ...(untilNextEvent === true && { archived_at: nowMs }),
        ...(untilNextEvent === false && { archived_at: null, archived_forever: 0 }),
        ...(forEver !== undefined && { archived_forever: Number(forEver) }),
      };
      if (Object.keys(change).length > 0)
        await db.updateTable("test_session_error_groups").set(change).where("account_id", "=", accountId).where("id", "=", id).execute();
      return byId(accountId, id);
    },
    async unread(after, limit) {
      const rows = reads.selectFrom("test_sessions").select(["id", "account_id as accountId"]).where("failures_read", "=", 0);
      return rows.where("id", ">", after).orderBy("id").limit(limit).execute();
    },
    read: (session, failures) =>
      engine.transaction(async (trx) => {
        const taken = await trx
          .updateTable("test_sessions")
          .set({ failures_read: 1 })
          .where("id", "=", session.id)
          .where("failures_read", "=", 0)
          .executeTakeFirst();
        if (taken.numUpdatedRows === 0n) return;
        for (const failure of failures.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))) await takeIn(engine, trx, session, failure);
      }),
    async prune(beforeMs, limit) {
      const old = await reads.selectFrom("test_session_error_groups").select("id").where("last_seen", "<", beforeMs).limit(limit).execute();
      const ids = old.map(({ id }) => id);
      if (ids.length > 0) await db.deleteFrom("test_session_error_groups").where(engine.isAny("id", ids)).execute();
      return ids.length;
    },
  };
}

async function takeIn(
  engine: Engine,
  trx: Trx,
  { accountId, projectUuid, environment }: Parameters<TestFailureStore["read"]>[0],
  { hash, cleanedMessage, rawMessage, seenMs }: TestFailure,
): Promise<void> {
  const known = await engine
    .lockRows(trx.selectFrom("test_session_error_groups").selectAll().where("account_id", "=", accountId).where("hash", "=", hash))
    .executeTakeFirst();
  const named = environment === null ? [] : [environment];
  if (known === undefined) {
    const messages = { cleaned_message: cleanedMessage, raw_message: rawMessage, environments: JSON.stringify(named) };
    const seen = { first_seen: seenMs, last_seen: seenMs, archived_at: null, archived_forever: 0 };
    await trx
      .insertInto("test_session_error_groups")
      .values({ account_id: accountId, hash, project_id: projectUuid, ...messages, ...seen })
      .onConflict((other) => other.columns(["account_id", "hash"]).doUpdateSet({ last_seen: seenMs, raw_message: rawMessage }))
      .execute();
    return;
  }
  const environments = [...new Set([...(JSON.parse(known.environments) as string[]), ...named])].slice(-maxEnvironments);
  const isNewer = seenMs >= known.last_seen;
  await trx
    .updateTable("test_session_error_groups")
    .set({
      environments: JSON.stringify(environments),
      first_seen: Math.min(known.first_seen, seenMs),
      ...(isNewer && { last_seen: seenMs, raw_message: rawMessage }),
      ...(known.archived_at !== null && seenMs > known.archived_at && { archived_at: null }),
    })
    .where("id", "=", known.id)
    .execute();
}

function groupOf(row: Selectable<Tables["test_session_error_groups"]>): TestFailureGroupRow {
  return {
    id: row.id,
    hash: row.hash,
    projectUuid: row.project_id,
    environments: JSON.parse(row.environments) as string[],
    cleanedMessage: row.cleaned_message,
    rawMessage: row.raw_message,
    firstSeenMs: row.first_seen,
    lastSeenMs: row.last_seen,
    archived: row.archived_at !== null || row.archived_forever === 1,
  };
}
