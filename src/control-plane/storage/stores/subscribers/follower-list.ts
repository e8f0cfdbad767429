import type { Kysely } from "kysely";
import type { SubscriptionDefinition } from "#domain/status-pages.ts";
import type { Tables } from "../../schema.ts";
import type { FollowerFilter, Followers } from "../../subscriber-store.ts";
import { contains } from "../check-list.ts";
import { documentOf } from "../documents.ts";
import { nameOf } from "./follower-name.ts";

const nobody: Followers = { items: [], total: 0, verified: 0, pending: 0 };

/** However many they are, only those of one page of the list are read. */
export async function followersOf(
  db: Kysely<Tables>,
  accountId: number,
  pageUuid: string,
  { search, page, limit }: FollowerFilter,
): Promise<Followers> {
  const pages = db.selectFrom("documents").where("account_id", "=", accountId).where("kind", "=", "status-page");
  const followed = await pages.select("id").where("uuid", "=", pageUuid).executeTakeFirst();
  if (followed === undefined) return nobody;
  const all = db.selectFrom("documents").where("parent_id", "=", followed.id).where("kind", "=", "status-page-subscription");
  const found = search === "" ? all : all.where(contains("name", search, nameOf(followed.id, "")));
  const { count, open } = await all
    .select((eb) => [eb.fn.countAll<number>().as("count"), eb.fn.sum<number | null>("is_open").as("open")])
    .executeTakeFirstOrThrow();
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll()
    .orderBy("id")
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const pending = Number(open ?? 0);
  return { items: rows.map(documentOf<SubscriptionDefinition>), total: Number(total), verified: Number(count) - pending, pending };
}
