import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { SessionStatus } from "#domain/session-status.ts";
import type { TestSessionStatus } from "#domain/test-session-status.ts";
import type { Engine } from "../engine.ts";
import { attemptsOfJob, jobNo, noCheck, resultId, resultsKey } from "../numbers.ts";
import type { Tables, Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import type { CheckRow } from "../storage.ts";
import type { TestSessionDefinition } from "../test-session-definition.ts";
import type { TestedCheck, TestRun, TestSessionFilter, TestSessionRow, TestSessionStore, TrialCheck } from "../test-session-store.ts";
import { contains } from "./check-list.ts";
import type { LocationCodes } from "./location-codes.ts";
import { assetBody } from "./results/assets.ts";
import { lateUploadMs, ResultLists } from "./results/list.ts";
import { writeRuns } from "./runs.ts";

/** `runSource` of their sessions. */
const source = "TEST_RECORD";
const longestSearchText = 2_000;

export function testSessionStore(engine: Engine, signals: Signals, codes: LocationCodes): TestSessionStore {
  const lists = new ResultLists(engine, codes);

  async function started(session: NewTestSession, trial: TrialCheck | null = null): Promise<TestSessionRow> {
    const id = await create(engine, session, trial);
    signals.send({ kind: "jobs", numbers: [session.locationId] });
    const created = await byId(engine, session.accountId, id);
    if (created === undefined) throw new Error("the test session is gone before its answer");
    return created;
  }

  return {
    create: started,
    createTrial({ check, isStored, ...session }) {
      const { uuid, type, definition } = check;
      const tested = { id: noCheck, uuid: isStored ? uuid : null, type, name: definition.name };
      return started({ ...session, name: definition.name, checks: [tested] }, check);
    },
    byId: (accountId, id) => byId(engine, accountId, id),
    list: (accountId, filter) => list(engine, accountId, filter),
    results: (session) =>
      lists.ofRuns(
        session.runs.map(({ check }) => resultsKey(check.id, session.id)),
        session.startedAtMs,
        rangeOf(session.runs),
        false,
      ),
    resultsOfRun: (session, run) => lists.ofRuns([resultsKey(run.check.id, session.id)], session.startedAtMs, rangeOf([run]), true),
    asset: ({ startedAtMs }, result, name) =>
      assetBody(engine, resultId(result.jobNo, result.attempt), startedAtMs * 1_000, (startedAtMs + lateUploadMs) * 1_000, name),
  };
}

/** Numbers of all results that the runs can have. */
function rangeOf(runs: readonly TestRun[]): readonly [first: number, last: number] {
  const jobs = runs.map((run) => run.jobNo);
  return [resultId(Math.min(...jobs), 0), resultId(Math.max(...jobs), attemptsOfJob - 1)];
}

type NewTestSession = Parameters<TestSessionStore["create"]>[0];

function create(engine: Engine, session: NewTestSession, trial: TrialCheck | null): Promise<number> {
  const { accountId, locationId, name, definition, checks, nowMs } = session;
  const { branchName, commitMessage } = definition.metadata ?? {};
  return engine.transaction(async (trx) => {
    const { id } = await trx
      .insertInto("test_sessions")
      .values({
        account_id: accountId,
        location_id: locationId,
        name,
        branch: branchName ?? null,
        search_text: [name, branchName ?? "", commitMessage ?? ""].join("\n").toLowerCase().slice(0, longestSearchText).toWellFormed(),
        definition: JSON.stringify(definition),
        checks: JSON.stringify(checks),
        started_at: nowMs,
        trial: trial && JSON.stringify(trial),
        trial_runtime: trial && trial.scriptRuntime,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const runs = checks.map((check) => ({
      accountId,
      checkId: check.id,
      checkType: check.type,
      runAtMs: nowMs,
      source,
      locationIds: [locationId],
      testSession: id,
    }));
    await writeRuns(engine, trx, runs);
    return id;
  });
}

async function byId(engine: Engine, accountId: number, id: number): Promise<TestSessionRow | undefined> {
  const row = await select(engine)
    .select("checks")
    .where("test_sessions.account_id", "=", accountId)
    .where("test_sessions.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const checks = new Map((JSON.parse(row.checks) as readonly TestedCheck[]).map((check) => [check.id, check]));
  const runs = (await runsOf(engine, [id])).flatMap(({ checkId, run }) => {
    const check = checks.get(checkId);
    return check === undefined ? [] : { ...run, check };
  });
  return { ...sessionOf(row), runs };
}

async function list(
  engine: Engine,
  accountId: number,
  { limit, before, fromMs, toMs, statuses, branches, text }: TestSessionFilter,
): ReturnType<TestSessionStore["list"]> {
  let query = select(engine).where("test_sessions.account_id", "=", accountId);
  if (before !== undefined) query = query.where("test_sessions.id", "<", before);
  if (fromMs !== undefined) query = query.where("started_at", ">=", Math.ceil(fromMs));
  if (toMs !== undefined) query = query.where("started_at", "<", Math.ceil(toMs));
  if (branches.length > 0) query = query.where(engine.isAny("branch", branches));
  if (text !== undefined) query = query.where(contains("search_text", text));
  if (statuses.length < statusCount) query = query.where((eb) => eb.or(statuses.map((status) => statusIs[status])));
  const rows = await query
    .orderBy("test_sessions.id", "desc")
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  const runs = Map.groupBy(
    await runsOf(
      engine,
      page.map(({ id }) => id),
    ),
    ({ testSession }) => testSession,
  );
  return {
    items: page.map((row) => ({ ...sessionOf(row), runs: (runs.get(row.id) ?? []).map(({ run }) => run) })),
    next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}

/** What a test session says of its runs, and the check that it runs without being stored. */
export interface LeasedTestSession {
  readonly definition: TestSessionDefinition;
  readonly trial: CheckRow | null;
}

/** For leases, which ask only when a job belongs to a test session. */
export async function leasedTestSessions(engine: Engine, ids: readonly number[]): Promise<ReadonlyMap<number | null, LeasedTestSession>> {
  if (ids.length === 0) return new Map();
  const rows = await engine.reads
    .selectFrom("test_sessions")
    .select(["id", "account_id", "location_id", "definition", "trial", "started_at"])
    .where(engine.isAny("id", [...new Set(ids)]))
    .execute();
  return new Map(rows.map((row) => [row.id, { definition: JSON.parse(row.definition) as TestSessionDefinition, trial: trialOf(row) }]));
}

function trialOf(row: Pick<Selectable<Tables["test_sessions"]>, "account_id" | "location_id" | "trial" | "started_at">): CheckRow | null {
  if (row.trial === null) return null;
  const { uuid, type, definition, groupId } = JSON.parse(row.trial) as TrialCheck;
  return {
    id: noCheck,
    uuid,
    accountId: row.account_id,
    type,
    definition,
    activated: true,
    groupId,
    locationIds: [row.location_id],
    createdAtMs: row.started_at,
    updatedAtMs: null,
  };
}

/** The types of checks that are stored nowhere but in these. */
export async function trialTypes(engine: Engine, trx: Trx, ids: readonly number[]): Promise<ReadonlyMap<number | null, CheckTypeName>> {
  if (ids.length === 0) return new Map();
  const rows = await trx
    .selectFrom("test_sessions")
    .select(["id", "checks"])
    .where(engine.isAny("id", ids))
    .where("trial", "is not", null)
    .execute();
  return new Map(rows.flatMap(({ id, checks }) => (JSON.parse(checks) as readonly TestedCheck[]).map(({ type }) => [id, type] as const)));
}

/** What runs without being stored is there as long as its test session. */
const isThere = sql<SqlBool>`(checks.id is not null or sessions.check_id = ${sql.lit(noCheck)})`;
/** A session of a removed check never ends. */
const running = ofItsSessions(sql`sessions.stopped_at is null and ${isThere}`);
const failed = ofItsSessions(sql`sessions.status in ('FAILED', 'TIMED_OUT')`);
const cancelled = ofItsSessions(sql`(sessions.status = 'CANCELLED' or sessions.stopped_at is null)`);

/** As `domain/test-session-status` tells it, for filters. */
const statusIs: Readonly<Record<TestSessionStatus, RawBuilder<SqlBool>>> = {
  RUNNING: running,
  FAILED: sql`(${failed} and not ${running})`,
  CANCELLED: sql`(${cancelled} and not ${running} and not ${failed})`,
  PASSED: sql`(not ${running} and not ${failed} and not ${cancelled})`,
};
const statusCount = Object.keys(statusIs).length;

function ofItsSessions(condition: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`exists (select 1 from sessions left join checks on checks.id = sessions.check_id
    where sessions.test_session = test_sessions.id and ${condition})`;
}

function select({ reads }: Engine) {
  return reads
    .selectFrom("test_sessions")
    .innerJoin("locations", "locations.id", "test_sessions.location_id")
    .select(["test_sessions.id", "test_sessions.account_id", "test_sessions.name", "definition", "started_at"])
    .select(["locations.code", "locations.uuid as location_uuid", "locations.account_id as location_account"]);
}

function sessionOf(row: Awaited<ReturnType<ReturnType<typeof select>["execute"]>>[number]): Omit<TestSessionRow, "runs"> {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    locationCode: row.code,
    privateLocationUuid: row.location_account === null ? null : row.location_uuid,
    startedAtMs: row.started_at,
    definition: JSON.parse(row.definition) as TestSessionDefinition,
  };
}

interface RunOfSession {
  readonly testSession: number;
  readonly checkId: number;
  readonly run: TestRun;
}

async function runsOf(engine: Engine, ids: readonly number[]): Promise<readonly RunOfSession[]> {
  const rows = await engine.reads
    .selectFrom("sessions")
    .leftJoin("checks", "checks.id", "sessions.check_id")
    .select(["no", "test_session", "check_id", "status", "stopped_at"])
    .select(isThere.as("is_there"))
    .where(engine.isAny("test_session", ids))
    .where("test_session", "is not", null)
    .orderBy("test_session")
    .orderBy("no")
    .execute();
  return rows.map((row) => ({
    testSession: row.test_session ?? 0,
    checkId: row.check_id,
    run: {
      jobNo: jobNo(row.no, 0),
      status: row.stopped_at === null && !row.is_there ? "CANCELLED" : (row.status as SessionStatus),
      stoppedAtMs: row.stopped_at,
    },
  }));
}
