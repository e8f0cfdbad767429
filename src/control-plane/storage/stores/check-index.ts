import type { Compilable } from "kysely";
import type { CheckIndexStore, IndexedCheck, LatestOutcome, RunTotals } from "../check-index-store.ts";
import type { Engine } from "../engine.ts";
import { type CheckFacts, type GroupFacts, readFacts, readGroupFacts } from "./check-facts.ts";
import { statusOfCheck } from "./latest-outcome.ts";

/** How a check stands, in numbers; in this order. */
const columns = [
  "id",
  "revision",
  "activated",
  "group_id",
  "has_failures",
  "has_errors",
  "is_degraded",
  "last_started_us",
  "ssl_days_remaining",
  "runs_passed",
  "runs_degraded",
  "runs_failed",
  "runs_ms",
  "failing",
  "degraded",
  "muted_until_ms",
] as const;
type Row = readonly (number | null)[];

/** A kilobyte each. */
const maxKnown = 20_000;

export function checkIndexStore(engine: Engine): CheckIndexStore {
  const read = reader(engine);
  const select = () =>
    engine.reads
      .selectFrom("checks")
      .leftJoin("check_statuses", "check_statuses.check_id", "checks.id")
      .leftJoin("alert_states", "alert_states.check_id", "checks.id")
      .select(["checks.id", "checks.revision", "checks.activated", "checks.group_id"])
      .select(["has_failures", "has_errors", "is_degraded", "last_started_us", "ssl_days_remaining"])
      .select(["runs_passed", "runs_degraded", "runs_failed", "runs_ms", "failing", "degraded", "muted_until_ms"])
      .orderBy("checks.id");
  return {
    ofAccount: (accountId) => read(select().where("account_id", "=", accountId)),
    async byUuids(accountId, uuids) {
      if (uuids.length === 0) return [];
      return read(select().where("account_id", "=", accountId).where(engine.isAny("uuid", uuids)));
    },
    async activatedByUuid(uuid) {
      return (await read(select().where("uuid", "=", uuid).where("activated", "=", 1)))[0];
    },
    activatedOfGroup: (groupId) => read(select().where("group_id", "=", groupId).where("activated", "=", 1)),
  };
}

interface Known {
  readonly row: Row;
  readonly facts: CheckFacts;
  readonly group: GroupFacts | undefined;
  readonly check: IndexedCheck;
}

/**
 * Numbers are read each time; what a check is called only after a change of it, which its revision tells, whatever process made it. Of a
 * check that is as it was the same object is told: thousands of new ones a look keep the garbage collector busy. Bounded: what was as it is
 * for the longest time goes first.
 */
function reader(engine: Engine): (query: Compilable) => Promise<readonly IndexedCheck[]> {
  const known = new Map<number, Known>();
  const groupsOf = readGroupFacts(engine);
  return async (query) => {
    const rows: Row[] = [];
    const befores: (Known | undefined)[] = []; // another look may forget them meanwhile
    const groupIds = new Set<number>();
    const missing: number[] = [];
    await engine.eachNumbers(query, columns, (row) => {
      const [id = 0, revision, , groupId] = row;
      const before = known.get(id ?? 0);
      befores.push(before);
      rows.push(before !== undefined && isSame(before.row, row) ? before.row : [...row]);
      if (before?.facts.revision !== revision) missing.push(id ?? 0);
      if (groupId !== null && groupId !== undefined) groupIds.add(groupId);
    });
    const [facts, groups] = await Promise.all([readFacts(engine, missing), groupsOf([...groupIds])]);
    const found: IndexedCheck[] = [];
    for (const [index, row] of rows.entries()) {
      const [id, , , groupId] = row;
      const one = knownCheck(engine, row, befores[index], facts.get(id ?? 0), groups.get(groupId ?? 0));
      if (one === undefined) continue;
      keep(known, id ?? 0, one);
      found.push(one.check);
    }
    return found;
  };
}

/** Undefined for a check that was deleted meanwhile. */
function knownCheck(
  engine: Engine,
  row: Row,
  before: Known | undefined,
  read: CheckFacts | undefined,
  group: GroupFacts | undefined,
): Known | undefined {
  const facts = read ?? before?.facts;
  if (facts === undefined) return undefined;
  if (before?.row === row && before.facts === facts && before.group === group) return before;
  return { row, facts, group, check: indexedCheck(engine, row, facts, group) };
}

function keep(known: Map<number, Known>, id: number, one: Known): void {
  if (known.get(id) === one) return;
  known.delete(id);
  known.set(id, one);
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
}

function isSame(before: Row, row: Row): boolean {
  for (let index = 0; index < columns.length; index += 1) if (before[index] !== row[index]) return false;
  return true;
}

const noGroup = { name: null, say: null, tags: [] } as const;

function indexedCheck(
  engine: Engine,
  row: Row,
  { uuid, type, name, muted, tags, searched }: CheckFacts,
  group: GroupFacts | undefined,
): IndexedCheck {
  const [id, , activated] = row;
  const of = group ?? noGroup;
  const untilMs = row[columns.indexOf("muted_until_ms")] ?? null;
  return {
    id: id ?? 0,
    uuid,
    type,
    name,
    activated: activated === 1,
    muted: muted || of.say?.muted === true,
    mutedUntilMs: untilMs === null ? null : engine.clock.shownMs(untilMs),
    tags: of.tags.length === 0 ? tags : [...new Set([...tags, ...of.tags])],
    searched,
    groupName: of.name,
    ofGroup: of.say,
    latest: latestOf(row),
    totals: totalsOf(row),
  };
}

function totalsOf([, , , , , , , , , passed, degraded, failed, ms]: Row): RunTotals {
  return { passed: passed ?? 0, degraded: degraded ?? 0, failed: failed ?? 0, responseTimeMs: ms ?? 0 };
}

function latestOf(row: Row): LatestOutcome | null {
  const [, , , , has_failures = null, has_errors = null, is_degraded = null, startedUs = null, sslDaysRemaining = null] = row;
  if (startedUs === null) return null;
  const [failing = null, degraded = null] = row.slice(columns.indexOf("failing"));
  return {
    status: statusOfCheck({ has_failures, has_errors, is_degraded, failing, degraded }),
    startedAtMs: Math.floor(startedUs / 1000),
    sslDaysRemaining,
  };
}
