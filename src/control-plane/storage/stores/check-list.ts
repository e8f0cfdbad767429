import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { httpTypes } from "#contract/checks/traits.ts";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { CheckFilter, CheckRow, Page } from "../storage.ts";
import { checkOf } from "./check-rows.ts";

/** One page of an account's checks, the oldest first. */
export async function listChecks(engine: Engine, accountId: number, filter: CheckFilter): Promise<Page<CheckRow>> {
  const matching = engine.reads
    .selectFrom("checks")
    .where("account_id", "=", accountId)
    .where((eb) => eb.and(conditions(engine, eb, filter)));
  const [rows, { total }] = await Promise.all([
    matching
      .selectAll()
      .orderBy("id")
      .limit(filter.limit)
      .offset((filter.page - 1) * filter.limit)
      .execute(),
    matching.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(checkOf), total };
}

function conditions(engine: Engine, eb: ExpressionBuilder<Tables, "checks">, filter: CheckFilter): readonly Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [];
  if (filter.type) all.push(eb("type", "=", filter.type));
  if (filter.search) all.push(contains("search_name", filter.search));
  // The `url` of a TCP check is its host name.
  if (filter.urlPattern) all.push(eb("type", "in", httpTypes), contains("search_url", filter.urlPattern));
  const tags = [...new Set(filter.tags)];
  if (tags.length > 0) {
    // A check has each tag once, so it has all of them when it has as many.
    const carried = eb
      .selectFrom("check_tags")
      .select((one) => one.fn.countAll<number>().as("count"))
      .whereRef("check_tags.check_id", "=", "checks.id")
      .where(engine.isAny("tag", tags));
    all.push(eb(carried, "=", tags.length));
  }
  if (filter.status) {
    all.push(
      eb.exists(
        eb
          .selectFrom("check_statuses")
          .select("check_id")
          .whereRef("check_statuses.check_id", "=", "checks.id")
          .where(statusIs[filter.status]),
      ),
    );
  }
  return all;
}

const failing = sql<SqlBool>`(has_failures = 1 or has_errors = 1)`;
const statusIs = {
  failing,
  degraded: sql<SqlBool>`(not ${failing} and is_degraded = 1)`,
  passing: sql<SqlBool>`(not ${failing} and is_degraded = 0)`,
};

/** The text is part of the column, which is lower case and begins with `start`: with that, of what follows it. */
export function contains(column: string, text: string, start = ""): Expression<SqlBool> {
  const escaped = text.toLowerCase().replaceAll(/[\\%_]/g, (character) => `\\${character}`);
  return sql`${sql.ref(column)} like ${`${start}%${escaped}%`} escape '\\'`;
}
