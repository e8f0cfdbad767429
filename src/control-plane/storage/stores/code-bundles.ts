import { type Selectable, sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import type { Engine } from "../engine.ts";
import { sessionOfJob } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import type { BundleRoom, CodeBundleRow, CodeBundleStore, LeftBundle } from "../storage.ts";
import type { CodeBundleTable } from "../work-tables.ts";
import { heldJob } from "./held-job.ts";

/** So often a use is written down. */
const usedEveryMs = 3_600_000;

export function codeBundleStore(engine: Engine): CodeBundleStore {
  const { reads, db } = engine;
  return {
    begin: (accountId, key, most, nowMs) => engine.transaction((trx) => begin(engine, trx, accountId, key, most, nowMs)),
    async begun(key, ref) {
      await db.updateTable("code_bundles").set({ ref }).where("key", "=", key).execute();
    },
    async stored(key, { sha256, size, files, unpackedSize }, nowMs) {
      const { numUpdatedRows } = await db
        .updateTable("code_bundles")
        .set({ sha256, size, files, unpacked_size: unpackedSize, stored_at: nowMs, used_at: nowMs })
        .where("key", "=", key)
        .where("created_at", ">", 0) // else its account is being removed
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new AppError("conflict", "the account is gone");
    },
    find: (accountId, sha256, nowMs) => find(engine, accountId, sha256, nowMs),
    async findFor(of, sha256, nowMs) {
      const { no } = await heldJob(reads, of);
      const session = await reads.selectFrom("sessions").select("account_id").where("no", "=", sessionOfJob(no)).executeTakeFirst();
      return session && find(engine, session.account_id, sha256, nowMs);
    },
    async list(accountId, { limit, offset }) {
      const whole = reads.selectFrom("code_bundles").where("account_id", "=", accountId).where("stored_at", "is not", null);
      const [rows, { total }] = await Promise.all([
        whole.selectAll().orderBy("stored_at", "desc").orderBy("key").limit(limit).offset(offset).execute(),
        whole.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
      ]);
      return { items: rows.flatMap((row) => rowOf(row) ?? []), total: Number(total) };
    },
    async leftBehind({ openSinceMs, unusedSinceMs, nowMs }, limit) {
      const rows = await reads
        .selectFrom("code_bundles")
        .select(["key", "account_id", "sha256"])
        .where("stored_at", "is not", null)
        .where("used_at", "<", unusedSinceMs)
        .orderBy("used_at")
        .limit(limit)
        .execute();
      for (const row of rows) await engine.transaction((trx) => dismiss(trx, row, unusedSinceMs, nowMs));
      const gone = await reads
        .selectFrom("code_bundles")
        .select(["key", "ref"])
        .where("stored_at", "is", null)
        .where("created_at", "<", openSinceMs)
        .limit(limit)
        .execute();
      return gone.map(({ key, ref }): LeftBundle => ({ key, ref: ref ?? "" }));
    },
    async forget(key) {
      await db.deleteFrom("code_bundles").where("key", "=", key).where("stored_at", "is", null).execute();
    },
  };
}

async function begin(engine: Engine, trx: Trx, accountId: number, key: string, most: BundleRoom, nowMs: number): Promise<void> {
  // One after another, so that two uploads do not take the same room.
  const account = await engine.lockRows(trx.selectFrom("accounts").select("id").where("id", "=", accountId)).executeTakeFirst();
  if (account === undefined) throw new AppError("conflict", "the account is gone");
  const { bundles, bytes, under_way } = await trx
    .selectFrom("code_bundles")
    .select((eb) => [
      eb.fn.countAll<number>().as("bundles"),
      sql<number>`coalesce(sum(size), 0)`.as("bytes"),
      sql<number>`coalesce(sum(case when stored_at is null then 1 else 0 end), 0)`.as("under_way"),
    ])
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  if (Number(under_way) >= most.underWay)
    throw new AppError("rate_limited", `an account uploads at most ${most.underWay} code bundles at a time`);
  if (Number(bundles) >= most.bundles || Number(bytes) >= most.bytes)
    throw new AppError(
      "conflict",
      `an account keeps at most ${most.bundles} code bundles, and ${most.bytes} bytes of them; those that no check names go a week after their last use`,
    );
  await trx
    .insertInto("code_bundles")
    .values({
      key,
      ref: null,
      account_id: accountId,
      sha256: "",
      size: 0,
      files: 0,
      unpacked_size: 0,
      created_at: nowMs,
      stored_at: null,
      used_at: nowMs,
    })
    .execute();
}

async function find(engine: Engine, accountId: number, sha256: string, nowMs: number): Promise<CodeBundleRow | undefined> {
  if (sha256 === "") return undefined;
  const found = await engine.reads
    .selectFrom("code_bundles")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("sha256", "=", sha256)
    .where("stored_at", "is not", null)
    .orderBy("stored_at")
    .limit(1)
    .executeTakeFirst();
  if (found === undefined || nowMs - found.used_at < usedEveryMs) return found && rowOf(found);
  // It may be on its way out since it was read.
  const { numUpdatedRows } = await engine.db
    .updateTable("code_bundles")
    .set({ used_at: nowMs })
    .where("key", "=", found.key)
    .where("stored_at", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows === 0n ? undefined : rowOf({ ...found, used_at: nowMs });
}

/** Whether a check of the account names what has this hash. */
export async function isNamedByCheck(trx: Trx, accountId: number, sha256: string): Promise<boolean> {
  const check = await trx
    .selectFrom("checks")
    .select("id")
    .where("account_id", "=", accountId)
    .where("definition", "like", `%${sha256}%`)
    .limit(1)
    .executeTakeFirst();
  return check !== undefined;
}

/** Nobody finds it from now on; one that a check names is looked at again later. */
async function dismiss(
  trx: Trx,
  { key, account_id, sha256 }: Pick<CodeBundleTable, "key" | "account_id" | "sha256">,
  unusedSinceMs: number,
  nowMs: number,
): Promise<void> {
  const isNamed = await isNamedByCheck(trx, account_id, sha256);
  await trx
    .updateTable("code_bundles")
    .set(isNamed ? { used_at: nowMs } : { stored_at: null, created_at: 0 })
    .where("key", "=", key)
    .where("used_at", "<", unusedSinceMs)
    .execute();
}

function rowOf(row: Selectable<CodeBundleTable>): CodeBundleRow | undefined {
  const { key, sha256, size, files, unpacked_size: unpackedSize, stored_at: storedAtMs, used_at: usedAtMs } = row;
  return storedAtMs === null ? undefined : { key, sha256, size, files, unpackedSize, storedAtMs, usedAtMs };
}
