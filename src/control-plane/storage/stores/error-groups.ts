import { type Kysely, type Selectable, type SqlBool, sql, type UpdateObject } from "kysely";
import type { Engine } from "../engine.ts";
import type { ErrorGroupRow, ErrorGroupStore } from "../error-group-store.ts";
import type { Tables } from "../schema.ts";

export function errorGroupStore({ db, reads }: Engine): ErrorGroupStore {
  return {
    async list(accountId, { checkId, page, limit }) {
      const query =
        checkId === undefined
          ? groupsOf(reads).where("error_groups.account_id", "=", accountId)
          : groupsOf(reads).where("error_groups.check_id", "=", checkId).where(isOfAccount(accountId));
      const [rows, { total }] = await Promise.all([
        query
          .select(columns)
          .orderBy("last_seen", "desc")
          .orderBy("error_groups.id", "desc")
          .limit(limit)
          .offset((page - 1) * limit)
          .execute(),
        query.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
      ]);
      return { items: rows.map(groupOf), total };
    },
    byId: (accountId, id) => byId(reads, accountId, id),
    async archive(accountId, id, { untilNextEvent, forEver, nowMs }) {
      const change: UpdateObject<Tables, "error_groups"> = {
        ...(untilNextEvent === true && { archived_at: nowMs }),
        ...(untilNextEvent === false && { archived_at: null, archived_forever: 0 }),
        ...(forEver !== undefined && { archived_forever: Number(forEver) }),
      };
      if (Object.keys(change).length > 0) {
        await db.updateTable("error_groups").set(change).where("account_id", "=", accountId).where("id", "=", id).execute();
      }
      return byId(db, accountId, id);
    },
  };
}

const columns = [
  "error_groups.id",
  "checks.uuid",
  "hash",
  "cleaned_message",
  "raw_message",
  "first_seen",
  "last_seen",
  "archived_at",
  "archived_forever",
] as const;

/** The check is asked for, too: a result that came while it was removed may have left a group behind. */
function groupsOf(db: Kysely<Tables>) {
  return db.selectFrom("error_groups").innerJoin("checks", "checks.id", "error_groups.check_id");
}

/** Without the index of the account's groups by age: for one check engines would look through all of them. */
function isOfAccount(accountId: number) {
  return sql<SqlBool>`error_groups.account_id + 0 = ${accountId}`;
}

async function byId(db: Kysely<Tables>, accountId: number, id: number): Promise<ErrorGroupRow | undefined> {
  const row = await groupsOf(db)
    .select(columns)
    .where("error_groups.account_id", "=", accountId)
    .where("error_groups.id", "=", id)
    .executeTakeFirst();
  return row && groupOf(row);
}

type Row = Pick<
  Selectable<Tables["error_groups"]>,
  "id" | "hash" | "cleaned_message" | "raw_message" | "first_seen" | "last_seen" | "archived_at" | "archived_forever"
> & { readonly uuid: string };

function groupOf(row: Row): ErrorGroupRow {
  return {
    id: row.id,
    checkUuid: row.uuid,
    hash: row.hash,
    cleanedMessage: row.cleaned_message,
    rawMessage: row.raw_message,
    firstSeenMs: row.first_seen,
    lastSeenMs: row.last_seen,
    archived: row.archived_at !== null || row.archived_forever === 1,
  };
}

/** What the newest failure of each said, by number. @param db a transaction, or `reads` */
export async function messagesOf(engine: Engine, db: Kysely<Tables>, groups: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (groups.length === 0) return new Map();
  const rows = await db.selectFrom("error_groups").select(["id", "raw_message"]).where(engine.isAny("id", groups)).execute();
  return new Map(rows.map(({ id, raw_message: message }) => [id, message]));
}
