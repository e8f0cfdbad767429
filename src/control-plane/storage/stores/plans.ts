import type { Engine } from "../engine.ts";
import type { PlanStore } from "../storage.ts";
import { heldJob } from "./held-job.ts";

export function planStore(engine: Engine): PlanStore {
  const { reads } = engine;
  return {
    async ofCheck(checkId) {
      return reads.selectFrom("check_plans").select(["plan_key as key", "plan"]).where("check_id", "=", checkId).executeTakeFirst();
    },
    keep: (of, { key, plan }, nowMs) =>
      engine.transaction(async (trx) => {
        const { check_id, test_session } = await heldJob(trx, of);
        if (test_session !== null) return;
        const row = { plan_key: key, plan, written_at: nowMs };
        await trx
          .insertInto("check_plans")
          .values({ check_id, ...row })
          .onConflict((conflict) => conflict.column("check_id").doUpdateSet(row))
          .execute();
      }),
    async ownerOf(of) {
      const { check_id, test_session } = await heldJob(reads, of);
      const check = await reads.selectFrom("checks").select(["account_id", "uuid"]).where("id", "=", check_id).executeTakeFirst();
      if (check !== undefined) return { accountId: check.account_id, checkUuid: check.uuid };
      if (test_session === null) return null;
      const session = await reads.selectFrom("test_sessions").select("account_id").where("id", "=", test_session).executeTakeFirst();
      return session === undefined ? null : { accountId: session.account_id, checkUuid: null };
    },
  };
}
