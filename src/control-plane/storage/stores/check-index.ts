import type { CheckGroupRow } from "../check-group-store.ts";
import type { CheckIndexStore, IndexedCheck, LatestOutcome } from "../check-index-store.ts";
import type { Engine } from "../engine.ts";
import { type CheckFacts, knownFacts } from "./check-facts.ts";
import { groupsById } from "./check-group-rows.ts";

/** How checks stand is read each time, all of it numbers; what they are called only once after each change. */
export function checkIndexStore(engine: Engine): CheckIndexStore {
  const { reads } = engine;
  const factsOf = knownFacts(engine);
  const select = () =>
    reads
      .selectFrom("checks")
      .leftJoin("check_statuses", "check_statuses.check_id", "checks.id")
      .select(["checks.id", "checks.revision", "checks.activated", "checks.group_id"])
      .select(["has_failures", "has_errors", "is_degraded", "last_started_us", "ssl_days_remaining"])
      .select(["runs_passed", "runs_degraded", "runs_failed", "runs_ms"])
      .orderBy("checks.id");
  const indexed = async (rows: readonly Row[]): Promise<readonly IndexedCheck[]> => {
    const groupIds = new Set(rows.flatMap((row) => row.group_id ?? []));
    const [facts, grouped] = await Promise.all([factsOf(rows), groupsById(reads, engine, [...groupIds])]);
    const groups = new Map(grouped.map((group) => [group.id, group]));
    return rows.flatMap((row) => {
      const known = facts.get(row.id); // none: deleted meanwhile
      return known === undefined ? [] : indexedCheck(row, known, groups.get(row.group_id ?? 0));
    });
  };
  return {
    ofAccount: async (accountId) => indexed(await select().where("account_id", "=", accountId).execute()),
    async byUuids(accountId, uuids) {
      if (uuids.length === 0) return [];
      return indexed(await select().where("account_id", "=", accountId).where(engine.isAny("uuid", uuids)).execute());
    },
    async activatedByUuid(uuid) {
      return (await indexed(await select().where("uuid", "=", uuid).where("activated", "=", 1).execute()))[0];
    },
    activatedOfGroup: async (groupId) => indexed(await select().where("group_id", "=", groupId).where("activated", "=", 1).execute()),
  };
}

interface Row {
  readonly id: number;
  readonly revision: number;
  readonly activated: number;
  readonly group_id: number | null;
  readonly has_failures: number | null;
  readonly has_errors: number | null;
  readonly is_degraded: number | null;
  readonly last_started_us: number | null;
  readonly ssl_days_remaining: number | null;
  readonly runs_passed: number | null;
  readonly runs_degraded: number | null;
  readonly runs_failed: number | null;
  readonly runs_ms: number | null;
}

function indexedCheck(row: Row, { uuid, type, name, muted, tags }: CheckFacts, group: CheckGroupRow | undefined): IndexedCheck {
  const ofGroup = group?.settings.tags ?? [];
  return {
    id: row.id,
    uuid,
    type,
    name,
    activated: row.activated === 1,
    muted: muted || group?.settings.muted === true,
    tags: ofGroup.length === 0 ? tags : [...new Set([...tags, ...ofGroup])],
    groupName: group?.settings.name ?? null,
    latest: latestOf(row),
    totals: {
      passed: row.runs_passed ?? 0,
      degraded: row.runs_degraded ?? 0,
      failed: row.runs_failed ?? 0,
      responseTimeMs: row.runs_ms ?? 0,
    },
  };
}

function latestOf({ has_failures, has_errors, is_degraded, last_started_us, ssl_days_remaining }: Row): LatestOutcome | null {
  if (last_started_us === null) return null;
  const fails = has_failures === 1 || has_errors === 1;
  return {
    status: fails ? "failing" : is_degraded === 1 ? "degraded" : "passing",
    startedAtMs: Math.floor(last_started_us / 1000),
    sslDaysRemaining: ssl_days_remaining,
  };
}
