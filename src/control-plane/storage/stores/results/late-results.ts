import { type SqlBool, sql } from "kysely";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { flag, resultTypes } from "./result-rows.ts";

interface Final {
  readonly checkId: number;
  readonly locationId: number;
  readonly resultId: number;
  readonly startedAtMs: number;
  /** Its lease had ended when it came: how far the wall clock was stepped since is not known, so that its date tells nothing. */
  readonly isOfEndedLease: boolean;
}

/** Locations begin one slot a little apart, and need no look-up for it. */
const apartMs = 1_000;

/**
 * Those of which a newer one of their check and location is stored already: alerts take no notice of them. One that started after
 * `nowMs` did so before the wall clock was set back, and is not newer. @returns their ids
 */
export async function lateResults(engine: Engine, trx: Trx, finals: readonly Final[], nowMs: number): Promise<ReadonlySet<number>> {
  if (finals.length === 0) return new Set();
  const checkIds = [...new Set(finals.map(({ checkId }) => checkId))];
  const rows = await trx
    .selectFrom("check_statuses")
    .select(["check_id", "last_started_us"])
    .where(engine.isAny("check_id", checkIds))
    .execute();
  const newestMs = new Map(rows.map((row) => [row.check_id, row.last_started_us / 1_000]));
  const maybe = finals.filter(({ checkId, startedAtMs }) => {
    const newest = newestMs.get(checkId) ?? 0;
    return newest <= nowMs && startedAtMs + apartMs <= newest;
  });
  const late = await overtaken(trx, finals, nowMs);
  for (const here of Map.groupBy(maybe, ({ checkId, locationId }) => `${checkId} ${locationId}`).values()) {
    const newestUs = await newestHere(
      trx,
      here.reduce((first, one) => (one.startedAtMs < first.startedAtMs ? one : first)),
      nowMs,
    );
    for (const { resultId, startedAtMs } of here) if (startedAtMs * 1_000 < newestUs) late.add(resultId);
  }
  return late;
}

/** The longest step of the wall clock that is reckoned with. */
const longestStepMs = 26 * 3_600_000;

/** Those of ended leases of which a later job of their check and location told already, whatever its date. */
async function overtaken(trx: Trx, finals: readonly Final[], nowMs: number): Promise<Set<number>> {
  const late = new Set<number>();
  for (const { checkId, locationId, resultId, startedAtMs, isOfEndedLease } of finals) {
    if (!isOfEndedLease) continue;
    const later = await told(trx, checkId, locationId)
      .where("id", ">", resultId)
      .where("started_at_us", ">=", Math.round((startedAtMs - longestStepMs) * 1_000))
      .where("started_at_us", "<=", (nowMs + longestStepMs) * 1_000)
      .executeTakeFirst();
    if (later !== undefined) late.add(resultId);
  }
  return late;
}

/** What said something of the target there, from the newest down. */
function told(trx: Trx, checkId: number, locationId: number) {
  return trx
    .selectFrom("results")
    .select("started_at_us")
    .where("check_id", "=", checkId)
    .where("location_id", "=", locationId)
    .where("type", "=", resultTypes.indexOf("FINAL"))
    .where(sql<SqlBool>`(flags & ${sql.lit(flag.cancelled | flag.agentSide)}) = 0`)
    .orderBy("started_at_us", "desc")
    .limit(1);
}

/** Since this one; with few locations one of the first rows is it. */
async function newestHere(trx: Trx, { checkId, locationId, resultId, startedAtMs }: Final, nowMs: number): Promise<number> {
  const newest = await told(trx, checkId, locationId)
    .where("started_at_us", ">", Math.round(startedAtMs * 1_000))
    .where("started_at_us", "<=", nowMs * 1_000)
    .where("id", ">", resultId) // dates of before the wall clock was set back come again
    .executeTakeFirst();
  return newest?.started_at_us ?? 0;
}
