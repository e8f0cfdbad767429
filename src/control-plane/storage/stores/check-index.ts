import { type RawBuilder, sql } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { CheckGroupRow } from "../check-group-store.ts";
import type { CheckIndexStore, IndexedCheck, LatestOutcome } from "../check-index-store.ts";
import type { Engine } from "../engine.ts";
import { groupsById } from "./check-group-rows.ts";

export function checkIndexStore(engine: Engine): CheckIndexStore {
  const { reads } = engine;
  const select = () =>
    reads
      .selectFrom("checks")
      .leftJoin("check_statuses", "check_statuses.check_id", "checks.id")
      .select(["checks.id", "checks.uuid", "checks.type", "checks.activated", "checks.group_id", facts(engine).as("facts")])
      .select(["has_failures", "has_errors", "is_degraded", "last_started_us", "ssl_days_remaining"])
      .select(["runs_passed", "runs_degraded", "runs_failed", "runs_ms"])
      .orderBy("checks.id");
  const indexed = async (rows: readonly Row[]): Promise<readonly IndexedCheck[]> => {
    const groupIds = new Set(rows.flatMap((row) => row.group_id ?? []));
    const groups = new Map((await groupsById(reads, engine, [...groupIds])).map((group) => [group.id, group]));
    return rows.map((row) => indexedCheck(row, groups.get(row.group_id ?? 0)));
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

/** `[name, muted, tags]` as JSON, so that a definition is parsed once, where it lies. */
function facts({ kind }: Engine): RawBuilder<string> {
  return kind === "sqlite"
    ? sql`json_extract(checks.definition, '$.name', '$.muted', '$.tags')`
    : sql`(select json_build_array(name, muted, tags) from json_to_record(checks.definition::json) as f(name text, muted boolean, tags json))::text`;
}

interface Row {
  readonly id: number;
  readonly uuid: string;
  readonly type: CheckTypeName;
  readonly activated: number;
  readonly group_id: number | null;
  readonly facts: string;
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

function indexedCheck(row: Row, group: CheckGroupRow | undefined): IndexedCheck {
  // Written by the schema of the check's type.
  const [name, muted, tags] = JSON.parse(row.facts) as [string, boolean | null, readonly string[] | null];
  return {
    id: row.id,
    uuid: row.uuid,
    type: row.type,
    name,
    activated: row.activated === 1,
    muted: muted === true || group?.settings.muted === true,
    tags: [...new Set([...(tags ?? []), ...(group?.settings.tags ?? [])])],
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
