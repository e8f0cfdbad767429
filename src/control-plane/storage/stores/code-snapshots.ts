import { createHash } from "node:crypto";
import { sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import type { CodeSnapshotStore, SnapshotRoom } from "../code-snapshot-store.ts";
import type { Engine } from "../engine.ts";
import type { Trx } from "../schema.ts";
import { isNamedByCheck } from "./code-bundles.ts";

/** So often a use is written down. */
const usedEveryMs = 3_600_000;

export function codeSnapshotStore(engine: Engine): CodeSnapshotStore {
  const { reads, db } = engine;
  return {
    keep: (accountId, body, most, nowMs) => engine.transaction((trx) => keepSnapshot(engine, trx, accountId, body, most, nowMs)),
    async read(accountId, sha256, nowMs) {
      const row = await reads
        .selectFrom("code_snapshots")
        .select(["id", "body", "used_at"])
        .where("account_id", "=", accountId)
        .where("sha256", "=", sha256)
        .executeTakeFirst();
      if (row !== undefined && nowMs - row.used_at >= usedEveryMs)
        await db.updateTable("code_snapshots").set({ used_at: nowMs }).where("id", "=", row.id).execute();
      return row?.body;
    },
    async sweep(unusedSinceMs, nowMs, limit) {
      const rows = await reads
        .selectFrom("code_snapshots")
        .select(["id", "account_id", "sha256"])
        .where("used_at", "<", unusedSinceMs)
        .orderBy("used_at")
        .limit(limit)
        .execute();
      for (const { id, account_id, sha256 } of rows) {
        // In one transaction: a check that comes to name it between the look and the deletion would lose it.
        await engine.transaction(async (trx) => {
          if (await isNamedByCheck(trx, account_id, sha256))
            await trx.updateTable("code_snapshots").set({ used_at: nowMs }).where("id", "=", id).execute();
          else await trx.deleteFrom("code_snapshots").where("id", "=", id).where("used_at", "<", unusedSinceMs).execute();
        });
      }
      return rows.length;
    },
  };
}

/** @returns its SHA-256 @throws {AppError} conflict: no room */
export async function keepSnapshot(
  engine: Engine,
  trx: Trx,
  accountId: number,
  body: Uint8Array,
  most: SnapshotRoom,
  nowMs: number,
): Promise<string> {
  const sha256 = createHash("sha256").update(body).digest("hex");
  // One after another, so that two uploads do not take the same room.
  const account = await engine.lockRows(trx.selectFrom("accounts").select("id").where("id", "=", accountId)).executeTakeFirst();
  if (account === undefined) throw new AppError("conflict", "the account is gone");
  const known = await trx
    .updateTable("code_snapshots")
    .set({ used_at: nowMs })
    .where("account_id", "=", accountId)
    .where("sha256", "=", sha256)
    .executeTakeFirst();
  if (Number(known.numUpdatedRows) > 0) return sha256;
  const kept = await trx
    .selectFrom("code_snapshots")
    .select([sql<number>`coalesce(sum(size), 0)`.as("bytes"), sql<number>`count(*)`.as("snapshots")])
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  if (Number(kept.bytes) + body.length > most.bytes || Number(kept.snapshots) >= most.snapshots)
    throw new AppError(
      "conflict",
      `an account keeps at most ${most.snapshots} snapshots of code, and ${most.bytes} bytes of them; those that no check names go a week after their last use`,
    );
  const row = { account_id: accountId, sha256, size: body.length, stored_at: nowMs, used_at: nowMs, body };
  await trx.insertInto("code_snapshots").values(row).execute();
  return sha256;
}
