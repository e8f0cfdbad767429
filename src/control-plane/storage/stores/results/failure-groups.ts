import type { CleanedError } from "#domain/error-message.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";

/** A final result that failed for a reason; a suite may fail for several, of which the first is the result's. */
export interface Failure extends CleanedError {
  readonly resultId: number;
  readonly accountId: number;
  readonly checkId: number;
  readonly startedAtMs: number;
  readonly rawMessage: string;
}

/** Messages that never read the same would otherwise fill the table. */
const maxGroupsOfCheck = 1_000;

const columns = {
  check_id: "int8",
  hash: "text",
  account_id: "int8",
  cleaned_message: "text",
  raw_message: "text",
  first_seen: "int8",
  last_seen: "int8",
  archived_forever: "int8",
} as const;

const isNewer = "excluded.last_seen >= error_groups.last_seen";

/** A late upload moves the beginning back but never the end, and ends no archive that began after its run. */
const upsert = `on conflict (check_id, hash) do update set
  raw_message = case when ${isNewer} then excluded.raw_message else error_groups.raw_message end,
  archived_at = case when excluded.last_seen > error_groups.archived_at then null else error_groups.archived_at end,
  first_seen = case when excluded.first_seen < error_groups.first_seen then excluded.first_seen else error_groups.first_seen end,
  last_seen = case when ${isNewer} then excluded.last_seen else error_groups.last_seen end`;

/** Writes the groups of a batch, sorted by key: unsorted batches deadlocked PostgreSQL. @returns the groups of each result, in the order of its failures */
export async function writeFailureGroups(
  engine: Engine,
  trx: Trx,
  failures: readonly Failure[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  if (failures.length === 0) return new Map();
  const byKey = [...Map.groupBy(failures, keyOf).values()].toSorted(
    ([a], [b]) => (a?.checkId ?? 0) - (b?.checkId ?? 0) || ((a?.hash ?? "") < (b?.hash ?? "") ? -1 : 1),
  );
  const known = await groupIds(engine, trx, failures);
  await engine.insertMany(trx, "error_groups", columns, byKey.map(rowOf), upsert);
  const isNew = failures.filter((failure) => !known.has(keyOf(failure)));
  const ids = new Map([...known, ...(await groupIds(engine, trx, isNew))]);
  if (isNew.length > 0) await dropOldest(engine, trx, [...new Set(isNew.map(({ checkId }) => checkId))]);
  const ofResults = Map.groupBy(failures, ({ resultId }) => resultId);
  return new Map([...ofResults].map(([resultId, of]) => [resultId, [...new Set(of.map((failure) => ids.get(keyOf(failure)) ?? 0))]]));
}

function keyOf({ checkId, hash }: { readonly checkId: number; readonly hash: string }): string {
  return `${checkId} ${hash}`;
}

function rowOf(ofGroup: readonly Failure[]): readonly (number | string)[] {
  const latest = ofGroup.reduce((a, b) => (b.startedAtMs >= a.startedAtMs ? b : a));
  const firstSeen = Math.min(...ofGroup.map(({ startedAtMs }) => startedAtMs));
  return [latest.checkId, latest.hash, latest.accountId, latest.message, latest.rawMessage, firstSeen, latest.startedAtMs, 0];
}

async function groupIds(engine: Engine, trx: Trx, failures: readonly Failure[]): Promise<ReadonlyMap<string, number>> {
  if (failures.length === 0) return new Map();
  const rows = await trx
    .selectFrom("error_groups")
    .select(["id", "check_id", "hash"])
    .where(engine.isAny("check_id", [...new Set(failures.map(({ checkId }) => checkId))]))
    .where(engine.isAny("hash", [...new Set(failures.map(({ hash }) => hash))]))
    .execute();
  return new Map(rows.map((row) => [keyOf({ checkId: row.check_id, hash: row.hash }), row.id]));
}

async function dropOldest(engine: Engine, trx: Trx, checkIds: readonly number[]): Promise<void> {
  const full = await trx
    .selectFrom("error_groups")
    .select((eb) => ["check_id", eb.fn.countAll<number>().as("groups")])
    .where(engine.isAny("check_id", checkIds))
    .groupBy("check_id")
    .having((eb) => eb.fn.countAll<number>(), ">", maxGroupsOfCheck)
    .orderBy("check_id")
    .execute();
  for (const { check_id: checkId, groups } of full) {
    // Not those that another batch has in hand: it would wait for this one in turn.
    const oldest = await engine
      .skipLocked(
        trx
          .selectFrom("error_groups")
          .select("id")
          .where("check_id", "=", checkId)
          .orderBy("last_seen")
          .orderBy("id")
          .limit(groups - maxGroupsOfCheck),
      )
      .execute();
    await trx
      .deleteFrom("error_groups")
      .where(
        engine.isAny(
          "id",
          oldest.map(({ id }) => id),
        ),
      )
      .execute();
  }
}
