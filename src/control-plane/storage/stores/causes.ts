import { type RawBuilder, type SqlBool, sql } from "kysely";
import { heartbeatStates } from "#domain/heartbeat.ts";
import { targetHost } from "#domain/root-causes/target-host.ts";
import type { AgentVersion, CauseStore, NeighbourCheck, NeighbourHeartbeat, Neighbourhood, NeighbourRun } from "../cause-store.ts";
import type { Engine } from "../engine.ts";
import { flag, isFinal } from "./results/result-rows.ts";

/** Checks whose runs are looked at: those that failed, and a sample of the account's. */
const [failedAtMost, sampleHalf, runsAtMost, sessionsAtMost] = [200, 100, 5_000, 200];

const stands = {
  failing: sql<SqlBool>`(flags & ${sql.lit(flag.failures)}) <> 0`,
  degraded: sql<SqlBool>`(flags & ${sql.lit(flag.failures | flag.degraded)}) <> 0`,
} as const;

export function causeStore(engine: Engine): CauseStore {
  return {
    around: (accountId, checkId, time) => around(engine, accountId, checkId, time),
    heartbeatsBeside: (accountId, checkId, time) => heartbeatsBeside(engine, accountId, checkId, time),
    async firstFailure(checkId, locationCode, afterMs, standing) {
      const locationIds = await withCode(engine, locationCode);
      const first = await engine.reads
        .selectFrom("results")
        .select("started_at_us")
        .where("check_id", "=", checkId)
        .where("started_at_us", ">", Math.floor(afterMs * 1_000))
        .where(isFinal)
        .where(stands[standing])
        .where(engine.isAny("location_id", locationIds))
        .orderBy("started_at_us")
        .limit(1)
        .executeTakeFirst();
      return first === undefined ? null : first.started_at_us / 1_000;
    },
    async checkUuid(accountId, checkId) {
      const row = await engine.reads.selectFrom("checks").select(["uuid", "account_id"]).where("id", "=", checkId).executeTakeFirst();
      return row?.account_id === accountId ? row.uuid : undefined;
    },
    async agentVersions(accountId, locationCode, sinceMs) {
      const locationIds = await withCode(engine, locationCode, accountId);
      const rows = await engine.reads
        .selectFrom("agent_sessions")
        .select(["version", "opened_at", "last_seen_at"])
        .where(engine.isAny("location_id", locationIds))
        .where("last_seen_at", ">=", Math.floor(sinceMs))
        .where("runs_checks", "=", 1)
        .orderBy("last_seen_at", "desc")
        .limit(sessionsAtMost)
        .execute();
      const found = rows.map((row): AgentVersion => ({ version: row.version, openedAtMs: row.opened_at, lastSeenAtMs: row.last_seen_at }));
      return found.toSorted((a, b) => b.openedAtMs - a.openedAtMs);
    },
  };
}

/** A data center's, or the account's own; without an account whoever has or had it. */
async function withCode({ reads }: Engine, code: string, accountId?: number): Promise<readonly number[]> {
  const all = reads.selectFrom("locations").select("id").where("code", "=", code);
  const own = accountId === undefined ? all : all.where((eb) => eb.or([eb("account_id", "=", accountId), eb("account_id", "is", null)]));
  return (await own.execute()).map(({ id }) => id);
}

async function around(
  engine: Engine,
  accountId: number,
  checkId: number,
  { fromMs, toMs }: Parameters<CauseStore["around"]>[2],
): Promise<Neighbourhood> {
  const { reads } = engine;
  const ofAccount = reads.selectFrom("checks").select("id").where("account_id", "=", accountId);
  const [failed, oldest, newest] = await Promise.all([
    reads
      .selectFrom("error_groups")
      .select("check_id as id")
      .where("account_id", "=", accountId)
      .where("last_seen", ">=", Math.floor(fromMs))
      .orderBy("last_seen", "desc")
      .limit(2 * failedAtMost)
      .execute(),
    ofAccount.orderBy("id").limit(sampleHalf).execute(),
    ofAccount.orderBy("id", "desc").limit(sampleHalf).execute(),
  ]);
  const ids = new Set(failed.map(({ id }) => id).slice(0, failedAtMost));
  for (const { id } of [...oldest, ...newest]) ids.add(id);
  ids.delete(checkId);
  const [checks, runs] = await Promise.all([neighbours(engine, [...ids]), runsOf(engine, [checkId, ...ids], { fromMs, toMs })]);
  return { checks, runs, locations: await locationsOf(engine, [...new Set(runs.map(({ locationId }) => locationId))]) };
}

async function runsOf(
  engine: Engine,
  checkIds: readonly number[],
  { fromMs, toMs }: Parameters<CauseStore["around"]>[2],
): Promise<readonly NeighbourRun[]> {
  const rows = await engine.reads
    .selectFrom("results")
    .select(["check_id", "location_id", "started_at_us", "id", "run_at", "flags"])
    .where(engine.isAny("check_id", checkIds))
    .where("started_at_us", ">=", Math.floor(fromMs * 1_000))
    .where("started_at_us", "<=", Math.ceil(toMs * 1_000))
    .where(isFinal)
    .orderBy("started_at_us", "desc")
    .limit(runsAtMost)
    .execute();
  const told = rows.filter(({ flags }) => (flags & flag.cancelled) === 0);
  return told.map((row) => ({
    checkId: row.check_id,
    locationId: row.location_id,
    startedAtMs: row.started_at_us / 1_000,
    id: row.id,
    runAtMs: row.run_at,
    isFailed: (row.flags & flag.failures) !== 0,
    isDegraded: (row.flags & flag.degraded) !== 0,
  }));
}

const [heartbeatsAtMost, eventsAtMost] = [200, 5_000];

async function heartbeatsBeside(
  engine: Engine,
  accountId: number,
  checkId: number,
  { fromMs, toMs }: Parameters<CauseStore["heartbeatsBeside"]>[2],
): Promise<readonly NeighbourHeartbeat[]> {
  const { reads } = engine;
  const all = await reads
    .selectFrom("heartbeats")
    .innerJoin("checks", "checks.id", "heartbeats.check_id")
    .select("checks.id")
    .where("checks.account_id", "=", accountId)
    .where("checks.id", "<>", checkId)
    .orderBy("checks.id", "desc")
    .limit(heartbeatsAtMost)
    .execute();
  const ids = all.map(({ id }) => id);
  const events = await reads
    .selectFrom("heartbeat_events")
    .select(["check_id", "state"])
    .where(engine.isAny("check_id", ids))
    .where("at_ms", ">=", Math.floor(fromMs))
    .where("at_ms", "<=", Math.ceil(toMs))
    .limit(eventsAtMost)
    .execute();
  const failing = heartbeatStates.indexOf("FAILING");
  const missed = new Set(events.flatMap(({ check_id: id, state }) => (state === failing ? id : [])));
  const heard = await neighbours(engine, [...new Set(events.map(({ check_id: id }) => id))]);
  return heard.map(({ id, uuid, name }) => ({ uuid, name, isMissed: missed.has(id) }));
}

async function locationsOf(engine: Engine, ids: readonly number[]): Promise<Neighbourhood["locations"]> {
  if (ids.length === 0) return new Map();
  const rows = await engine.reads.selectFrom("locations").select(["id", "code", "name"]).where(engine.isAny("id", ids)).execute();
  return new Map(rows.map(({ id, code, name }) => [id, { code, name }]));
}

async function neighbours(engine: Engine, ids: readonly number[]): Promise<readonly NeighbourCheck[]> {
  if (ids.length === 0) return [];
  const rows = await engine.reads
    .selectFrom("checks")
    .select(["id", "uuid", "type", aboutOf(engine).as("about")])
    .where(engine.isAny("id", ids))
    .execute();
  return rows.map(({ id, uuid, type, about }) => {
    // Written by the schema of the check's type.
    const [name, url, hostname, query, ofSsl] = JSON.parse(about) as [string, ...(string | null)[]];
    return { id, uuid, type, name, target: targetHost({ url, hostname: hostname ?? ofSsl, query }) };
  });
}

/** What names a target, as JSON: definitions may hold a megabyte of script, which stays where it lies. */
function aboutOf({ kind }: Engine): RawBuilder<string> {
  return kind === "sqlite"
    ? sql`json_extract(definition, '$.name', '$.request.url', '$.request.hostname', '$.request.query', '$.request.sslConfig.hostname')`
    : sql`json_build_array(definition::json->>'name', definition::json#>>'{request,url}', definition::json#>>'{request,hostname}', definition::json#>>'{request,query}', definition::json#>>'{request,sslConfig,hostname}')::text`;
}
