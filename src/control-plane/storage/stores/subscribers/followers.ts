import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";

/** Subscriptions of these pages that were confirmed, by number. */
export async function followersOf(engine: Engine, trx: Trx, accountId: number, pageIds: readonly number[]): Promise<readonly number[]> {
  if (pageIds.length === 0) return [];
  const followers = trx
    .selectFrom("documents")
    .select("id")
    .where("account_id", "=", accountId)
    .where("kind", "=", "status-page-subscription")
    .where(engine.isAny("parent_id", pageIds))
    .where("is_open", "=", 0);
  return (await followers.execute()).map(({ id }) => id);
}
