import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { SessionStatus } from "#domain/session-status.ts";
import type { TestSessionStatus } from "#domain/test-session-status.ts";
import type { Engine } from "../engine.ts";
import { attemptsOfJob, jobNo, maxJobsOfSession, noCheck, resultId, resultsKey, sessionOfJob } from "../numbers.ts";
import type { Tables, Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import type { CheckRow } from "../storage.ts";
import type { TestSessionDefinition } from "../test-session-definition.ts";
import type { TestedCheck, TestRun, TestSessionFilter, TestSessionRow, TestSessionStore, TrialCheck } from "../test-session-store.ts";
import { contains } from "./check-list.ts";
import { picturesOfSession } from "./code-pictures.ts";
import type { LocationCodes } from "./location-codes.ts";
import { assetBody } from "./results/assets.ts";
import { lateUploadMs, ResultLists } from "./results/list.ts";
import { writeRuns } from "./runs.ts";

/** `runSource` of their sessions. */
const source = "TEST_RECORD";
const longestSearchText = 2_000;

export function testSessionStore(engine: Engine, signals: Signals, codes: LocationCodes): TestSessionStore {
  const lists = new ResultLists(engine, codes);

  async function started(session: NewTestSession, trials: readonly TrialCheck[] = []): Promise<TestSessionRow> {
    const id = await create(engine, session, trials);
    signals.send({ kind: "jobs", numbers: [session.locationId] });
    const created = await byId(engine, session.accountId, id);
    if (created === undefined) throw new Error("the test session is gone before its answer");
    return created;
  }

  return {
    create: (session) => started(session),
    createTrials({ trials, ...session }) {
      const checks = trials.map(({ check: { uuid, type, definition }, isStored, clientRunId, filePath }) => {
        return { id: noCheck, uuid: isStored ? uuid : null, type, name: definition.name, clientRunId, filePath };
      });
      return started(
        { ...session, checks },
        trials.map(({ check }) => check),
      );
    },
    byId: (accountId, id) => byId(engine, accountId, id),
    list: (accountId, filter) => list(engine, accountId, filter),
    pulses: (ids) => pulses(engine, ids),
    async ofJob(accountId, no) {
      const sessions = engine.reads.selectFrom("sessions").select("test_session").where("account_id", "=", accountId);
      const row = await sessions.where("no", "=", sessionOfJob(no)).executeTakeFirst();
      return row?.test_session == null ? undefined : byId(engine, accountId, row.test_session);
    },
    ofSuites: (suites, sinceMs) => ofSuites(engine, suites, sinceMs),
    results: (session) =>
      lists.ofRuns(
        [...new Set(session.runs.map(({ check }) => resultsKey(check.id, session.id)))],
        session.startedAtMs,
        rangeOf(session.runs),
        false,
      ),
    pictures: (session) => picturesOfSession(engine, session),
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

const trialColumns = { session_no: "int8", test_session: "int8", trial: "text", runtime: "text" } as const;

/** @param trials the checks that are not stored; empty, or as many as `checks` */
function create(engine: Engine, session: NewTestSession, trials: readonly TrialCheck[]): Promise<number> {
  const { accountId, locationId, name, definition, checks, suite = null, nowMs } = session;
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
        suite,
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
    const numbers = await writeRuns(engine, trx, runs);
    const rows = trials.map((trial, index) => [numbers[index] ?? 0, id, JSON.stringify(trial), trial.scriptRuntime]);
    if (rows.length > 0) await engine.insertMany(trx, "trials", trialColumns, rows);
    return id;
  });
}

async function pulses(engine: Engine, ids: readonly number[]): ReturnType<TestSessionStore["pulses"]> {
  if (ids.length === 0) return [];
  const rows = await engine.reads
    .selectFrom("sessions")
    .leftJoin("jobs", (join) => join.on(sql<SqlBool>`jobs.no = sessions.no * ${sql.lit(maxJobsOfSession)}`)) // each runs at one location
    .select(["sessions.no", "sessions.test_session", "stopped_at", "fence", "attempt"])
    .where(engine.isAny("sessions.test_session", ids))
    .where("sessions.test_session", "is not", null)
    .orderBy("sessions.no")
    .execute();
  return rows.map((row) => ({
    testSession: row.test_session ?? 0,
    jobNo: jobNo(row.no, 0),
    hasBegun: (row.fence ?? 0) > 0,
    attempt: row.attempt,
    hasEnded: row.stopped_at !== null,
  }));
}

/** A client starts one; whoever starts more under one name costs nobody else more. */
const sessionsOfSuite = 10;

async function ofSuites(engine: Engine, suites: readonly string[], sinceMs: number): ReturnType<TestSessionStore["ofSuites"]> {
  if (suites.length === 0) return [];
  const rows = await engine.reads
    .selectFrom("test_sessions")
    .select(["id", "account_id", "suite"])
    .where("suite", "is not", null)
    .where(engine.isAny("suite", suites))
    .where("started_at", ">=", sinceMs)
    .orderBy("id", "desc")
    .limit(suites.length * sessionsOfSuite)
    .execute();
  return rows.map((row) => ({ id: row.id, accountId: row.account_id, suite: row.suite ?? "" }));
}

async function byId(engine: Engine, accountId: number, id: number): Promise<TestSessionRow | undefined> {
  const row = await select(engine)
    .select("checks")
    .where("test_sessions.account_id", "=", accountId)
    .where("test_sessions.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const checks = JSON.parse(row.checks) as readonly TestedCheck[];
  const byNumber = new Map(checks.map((check) => [check.id, check]));
  const runs = (await runsOf(engine, [id])).flatMap(({ checkId, run }, index) => {
    // Those that are stored nowhere have no number; their sessions are numbered in the order of the checks.
    const check = checkId === noCheck ? checks[index] : byNumber.get(checkId);
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

/** What a test session says of its runs, and the check that a job runs without being stored, with the group that came with it. */
export interface LeasedTestSession {
  readonly definition: TestSessionDefinition;
  readonly trial: CheckRow | null;
  readonly group: TrialCheck["group"];
}

/** A job of a test session. */
interface TestJob {
  readonly no: number;
  readonly check_id: number;
  readonly test_session: number | null;
}

/** For leases, which ask only when a job belongs to a test session. @returns by the job's number */
export async function leasedTestSessions(engine: Engine, jobs: readonly TestJob[]): Promise<ReadonlyMap<number, LeasedTestSession>> {
  const ids = [...new Set(jobs.flatMap((job) => job.test_session ?? []))];
  if (ids.length === 0) return new Map();
  const [rows, trials] = await Promise.all([
    engine.reads
      .selectFrom("test_sessions")
      .select(["id", "account_id", "location_id", "definition", "started_at"])
      .where(engine.isAny("id", ids))
      .execute(),
    trialsOf(engine, engine.reads, jobs),
  ]);
  const sessions = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    jobs.flatMap(({ no, test_session: id }) => {
      const row = sessions.get(id ?? 0);
      const trial = trials.get(sessionOfJob(no));
      const definition = row && (JSON.parse(row.definition) as TestSessionDefinition);
      if (row === undefined || definition === undefined) return [];
      return [[no, { definition, trial: trial === undefined ? null : checkOfTrial(row, trial), group: trial?.group }] as const];
    }),
  );
}

/** By the numbers of their sessions. */
async function trialsOf(
  engine: Engine,
  db: Engine["reads"] | Trx,
  jobs: readonly Omit<TestJob, "test_session">[],
): Promise<ReadonlyMap<number, TrialCheck>> {
  const numbers = [...new Set(jobs.filter(({ check_id }) => check_id === noCheck).map(({ no }) => sessionOfJob(no)))];
  if (numbers.length === 0) return new Map();
  const rows = await db.selectFrom("trials").select(["session_no", "trial"]).where(engine.isAny("session_no", numbers)).execute();
  return new Map(rows.map((row) => [row.session_no, JSON.parse(row.trial) as TrialCheck]));
}

function checkOfTrial(
  session: Pick<Selectable<Tables["test_sessions"]>, "account_id" | "location_id" | "started_at">,
  { uuid, type, definition, groupId }: TrialCheck,
): CheckRow {
  return {
    id: noCheck,
    uuid,
    accountId: session.account_id,
    type,
    definition,
    activated: true,
    groupId,
    locationIds: [session.location_id],
    createdAtMs: session.started_at,
    updatedAtMs: null,
  };
}

/** The types of checks that are stored nowhere but in these sessions, by their numbers. */
export async function trialTypes(engine: Engine, trx: Trx, sessionNos: readonly number[]): Promise<ReadonlyMap<number, CheckTypeName>> {
  const jobs = sessionNos.map((no) => ({ no: jobNo(no, 0), check_id: noCheck }));
  const trials = await trialsOf(engine, trx, jobs);
  return new Map([...trials].map(([no, { type }]) => [no, type]));
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
