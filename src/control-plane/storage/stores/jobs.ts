import { type Selectable, type SqlBool, sql } from "kysely";
import type { Engine } from "../engine.ts";
import { maxJobsOfSession, sessionOfJob } from "../numbers.ts";
import type { JobTable, Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import type { CheckGroupRow, CheckRow, JobRefRow, JobStore, LeasedJobRow, LeaseRequest } from "../storage.ts";
import { cancelSession, endCancelled } from "./cancellation.ts";
import { groupsById } from "./check-group-rows.ts";
import { neededRuntime } from "./check-rows.ts";
import { accountRuntimeOfCheck, accountUuidOfCheck, KnownChecks, revisionOfCheck } from "./known-checks.ts";
import { locationQueues, queueDepths } from "./queues.ts";
import { reap } from "./reaper.ts";
import { mayBegin } from "./start-windows.ts";
import { leasedTestSessions } from "./test-sessions.ts";

export function jobStore(engine: Engine, signals: Signals): JobStore {
  const known = new KnownChecks(engine);
  return {
    lease: (request) => lease(engine, known, request),
    extend: (agentSession, jobs, nowMs, leaseMs) => extend(engine, agentSession, jobs, nowMs, leaseMs),
    async tell(agentSession, { no, fence }, progress) {
      const ofJob = engine.db.updateTable("jobs").set({ progress }).where("no", "=", no);
      await ofJob.where("fence", "=", fence).where("agent_session", "=", agentSession).execute();
    },
    async progress(nos) {
      const rows = await engine.reads.selectFrom("jobs").select(["no", "progress"]).where(engine.isAny("no", nos)).execute();
      return new Map(rows.flatMap(({ no, progress }) => (progress === null ? [] : [[no, progress]])));
    },
    release: (agentSession, jobs, nowMs) => release(engine, signals, agentSession, jobs, nowMs),
    reap: (nowMs, settings) => reap(engine, signals, nowMs, settings),
    cancel: (sessionNo, nowMs, only) => cancelSession(engine, signals, sessionNo, nowMs, only),
    queueDepths: (nowMs) => queueDepths(engine, nowMs),
    locationQueues: (nowMs) => locationQueues(engine, nowMs),
  };
}

/** Rows of jobs by number, locked until the transaction ends, always in the same order. */
export function lockJobs(engine: Engine, trx: Trx, nos: readonly number[]): Promise<readonly Selectable<JobTable>[]> {
  return engine.lockRows(trx.selectFrom("jobs").selectAll().where(engine.isAny("no", nos)).orderBy("no")).execute();
}

async function lease(engine: Engine, known: KnownChecks, request: LeaseRequest): Promise<readonly LeasedJobRow[]> {
  if (request.max <= 0 || request.checkTypes.length === 0) return [];
  const waitMs = engine.clock.waitMs(request.nowMs);
  const jobs = await engine.db
    .with("due", (db) =>
      engine.skipLocked(
        db
          .selectFrom("jobs")
          .select("no")
          .where("location_id", "=", request.locationId)
          .where("agent_session", "is", null)
          .where("not_before", "<=", waitMs)
          .where("check_type", "in", [...request.checkTypes])
          .where(hasItsRuntime(engine, request.runtimes))
          .where(mayBegin(waitMs))
          .orderBy("due_at")
          .orderBy("no")
          .limit(request.max),
      ),
    )
    .updateTable("jobs")
    .set((eb) => ({
      agent_session: request.agentSession,
      fence: eb("fence", "+", 1),
      leased_at: waitMs,
      leased_wall_ms: request.nowMs,
      leased_until: waitMs + request.leaseMs,
      acknowledged: 0,
    }))
    .where("no", "in", (eb) => eb.selectFrom("due").select("due.no"))
    .returningAll()
    .returning([revisionOfCheck, accountUuidOfCheck, accountRuntimeOfCheck])
    .execute();
  if (jobs.length === 0) return [];
  const [stored, testSessions] = await Promise.all([known.of(jobs), leasedTestSessions(engine, jobs)]);
  const trials = [...testSessions.values()].flatMap(({ trial }) => trial ?? []);
  const [accounts, groups] = await Promise.all([accountsOf(engine, trials), groupsOfChecks(engine, [...stored.values(), ...trials])]);
  return jobs
    .toSorted((a, b) => a.due_at - b.due_at || a.no - b.no)
    .flatMap((job) => {
      const { trial = null, definition = null, group: ownGroup } = testSessions.get(job.no) ?? {};
      const check = trial ?? stored.get(job.check_id);
      const account = trial === null ? accountOf(job) : accounts.get(trial.accountId);
      // A check removed in this moment took its jobs with it.
      if (!check || !account) return [];
      const { settings: group = null, uuid: groupUuid = null } = ownGroup ?? groups.get(check.groupId) ?? {};
      return [leasedJob({ ...job, leased_at: request.nowMs }, { check, group, groupUuid, testSession: definition }, account)];
    });
}

/**
 * Of a job: its check has no scripts, or the runtime that they need is one of these. A look-up for each job, not `not exists`: of that
 * PostgreSQL may make a join that reads all checks for one lease.
 */
function hasItsRuntime(engine: Engine, runtimes: readonly string[]) {
  const lacks = runtimes.length === 0 ? sql`true` : sql`not ${engine.isAny(neededRuntime, runtimes)}`;
  const ofTrial = sql`not ${engine.isAny("runtime", runtimes)}`;
  const lacksForTrial = runtimes.length === 0 ? sql`true` : ofTrial;
  return sql<SqlBool>`(select ${lacks} from checks where checks.id = jobs.check_id and checks.script_runtime is not null) is not true
    and (select ${lacksForTrial} from trials where session_no = jobs.no / ${sql.lit(maxJobsOfSession)} and runtime is not null) is not true`;
}

interface LeasedRow {
  readonly account_uuid: string | null;
  readonly account_runtime: string | null;
}

type AccountOfJob = { readonly uuid: string; readonly runtime_id: string };

function accountOf({ account_uuid: uuid, account_runtime: runtimeId }: LeasedRow): AccountOfJob | undefined {
  return uuid === null || runtimeId === null ? undefined : { uuid, runtime_id: runtimeId };
}

async function accountsOf(engine: Engine, checks: readonly CheckRow[]): Promise<ReadonlyMap<number, AccountOfJob>> {
  if (checks.length === 0) return new Map();
  const rows = await engine.reads
    .selectFrom("accounts")
    .select(["id", "uuid", "runtime_id"])
    .where(engine.isAny("id", [...new Set(checks.map(({ accountId }) => accountId))]))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function groupsOfChecks(engine: Engine, checks: readonly CheckRow[]): Promise<ReadonlyMap<number | null, CheckGroupRow>> {
  const ids = new Set(checks.flatMap(({ groupId }) => groupId ?? []));
  return new Map((await groupsById(engine.reads, engine, [...ids])).map((group) => [group.id, group]));
}

function leasedJob(
  job: Selectable<JobTable>,
  settings: Pick<LeasedJobRow, "check" | "group" | "groupUuid" | "testSession">,
  account: AccountOfJob,
): LeasedJobRow {
  return {
    no: job.no,
    fence: job.fence,
    attempt: job.attempt,
    dueAtMs: job.due_at,
    leasedAtMs: job.leased_at,
    runAtMs: job.run_at,
    sessionNo: sessionOfJob(job.no),
    locationId: job.location_id,
    failedAttempts: job.failed_attempts,
    firstStartedAtMs: job.first_started_at,
    accountUuid: account.uuid,
    accountRuntimeId: account.runtime_id,
    isAwaited: job.begin_by === null,
    ...settings,
  };
}

/** A lease that is over but that nobody took yet is extended: the agent that has the job is the best one to finish it. */
async function extend(
  engine: Engine,
  agentSession: number,
  refs: readonly JobRefRow[],
  nowMs: number,
  leaseMs: number,
): ReturnType<JobStore["extend"]> {
  if (refs.length === 0) return { extended: [], lost: [], cancel: [] };
  return engine.transaction(async (trx) => {
    const held = await lockHeld(engine, trx, agentSession, refs);
    await trx
      .updateTable("jobs")
      .set({ leased_until: engine.clock.waitMs(nowMs) + leaseMs, acknowledged: 1 })
      .where(engine.isAny("no", [...held.keys()]))
      .execute();
    const nos = refs.map((ref) => ref.no);
    return {
      extended: nos.filter((no) => held.get(no)?.cancelled === 0),
      lost: nos.filter((no) => !held.has(no)),
      cancel: nos.filter((no) => held.get(no)?.cancelled === 1),
    };
  });
}

async function release(
  engine: Engine,
  signals: Signals,
  agentSession: number,
  refs: readonly JobRefRow[],
  nowMs: number,
): Promise<readonly number[]> {
  if (refs.length === 0) return [];
  const { held, ends } = await engine.transaction(async (trx) => {
    const jobs = [...(await lockHeld(engine, trx, agentSession, refs)).values()];
    const waiting = jobs.filter((job) => job.cancelled === 0);
    await trx
      .updateTable("jobs")
      .set({ agent_session: null, acknowledged: 0, not_before: engine.clock.waitMs(nowMs) })
      .where(
        engine.isAny(
          "no",
          waiting.map((job) => job.no),
        ),
      )
      .execute();
    return {
      held: jobs,
      ends: await endCancelled(
        engine,
        trx,
        jobs.filter((job) => job.cancelled === 1),
        nowMs,
      ),
    };
  });
  signals.send({ kind: "jobs", numbers: [...new Set(held.filter((job) => job.cancelled === 0).map((job) => job.location_id))] });
  signals.sendEnds(ends);
  return held.map((job) => job.no);
}

/** The jobs that this agent holds by this very lease, locked. */
async function lockHeld(
  engine: Engine,
  trx: Trx,
  agentSession: number,
  refs: readonly JobRefRow[],
): Promise<ReadonlyMap<number, Selectable<JobTable>>> {
  const fences = new Map(refs.map((ref) => [ref.no, ref.fence]));
  const jobs = await lockJobs(engine, trx, [...fences.keys()]);
  return new Map(jobs.filter((job) => job.agent_session === agentSession && job.fence === fences.get(job.no)).map((job) => [job.no, job]));
}
