import type { Selectable } from "kysely";
import { isCheckType } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { decideLeaseEnd, missedReason, queueWaitIsOver } from "#domain/lease.ts";
import type { DetailText, Engine } from "../engine.ts";
import { missedAttempt, noCheck, resultId, resultsKey, sessionOfJob } from "../numbers.ts";
import type { JobTable, Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import type { MissedReason, ReapSettings } from "../storage.ts";
import { neededRuntime } from "./check-rows.ts";
import { flag, lostDigest, microseconds, missedFlags, type NewResult, type StoredDetail } from "./results/result-rows.ts";
import { writeResults } from "./results/result-writer.ts";
import { SessionBook, type SessionEnds } from "./session-book.ts";
import { overlaps, tooLate } from "./start-windows.ts";

type Job = Selectable<JobTable>;

/** An agent that was seen so lately counts as being there. */
const agentSeenMs = 120_000;
const lostDetail: StoredDetail = { errorMessage: "AGENT_LOST: the agent that ran this attempt stopped telling about it", detail: null };
const jobColumns = {
  no: "int8",
  attempt: "int8",
  lost_leases: "int8",
  agent_session: "int8",
  acknowledged: "int8",
  not_before: "int8",
} as const;

/** On both clocks: people are shown the first, waits end by the second. */
interface Now {
  readonly nowMs: number;
  readonly waitMs: number;
}

/** What one turn of the reaper found. */
interface Reaped {
  readonly requeued: Job[];
  /** `lacks`: what no agent of the location has, though there are agents. */
  readonly missed: { readonly job: Job; readonly reason: MissedReason; readonly lacks?: StoredDetail }[];
  readonly cancelled: Job[];
  readonly lost: Job[];
}

/** See `JobStore.reap`. */
export async function reap(
  engine: Engine,
  signals: Signals,
  nowMs: number,
  settings: ReapSettings,
): Promise<{ requeued: number; missed: number }> {
  const waitMs = engine.clock.waitMs(nowMs);
  const { reaped, ends } = await engine.transaction(async (trx) => {
    const reaped: Reaped = { requeued: [], missed: [], cancelled: [], lost: [] };
    if (nowMs >= settings.graceUntilMs) endLeases(reaped, await overdueLeases(engine, trx, waitMs, settings), waitMs, settings);
    await endWaits(engine, trx, reaped, { nowMs, waitMs }, settings);
    return { reaped, ends: await write(engine, trx, reaped, { nowMs, waitMs }) };
  });
  signals.sendEnds(ends);
  signals.send({ kind: "jobs", numbers: [...new Set(reaped.requeued.map((job) => job.location_id))] });
  return { requeued: reaped.requeued.length, missed: reaped.missed.length };
}

/** Two looks, each by its own index: joined by `or` they read every job. */
async function overdueLeases(engine: Engine, trx: Trx, waitMs: number, { acknowledgeMs, limit }: ReapSettings): Promise<readonly Job[]> {
  const leased = trx.selectFrom("jobs").selectAll().where("agent_session", "is not", null).limit(limit);
  const unheardMs = waitMs - acknowledgeMs;
  const [over, unacknowledged] = await Promise.all([
    engine.skipLocked(leased.where("leased_until", "<=", waitMs).orderBy("leased_until")).execute(),
    engine.skipLocked(leased.where("acknowledged", "=", 0).where("leased_at", "<=", unheardMs).orderBy("leased_at")).execute(),
  ]);
  const jobs = new Map([...over, ...unacknowledged].map((job) => [job.no, job]));
  return [...jobs.values()].toSorted((a, b) => a.no - b.no).slice(0, limit);
}

function endLeases(reaped: Reaped, jobs: readonly Job[], waitMs: number, settings: ReapSettings): void {
  for (const job of jobs) {
    const lease = {
      acknowledged: job.acknowledged === 1,
      leasedAtMs: job.leased_at,
      leaseEndMs: job.leased_until,
      lostLeases: job.lost_leases,
    };
    const end = decideLeaseEnd({ ...lease, nowMs: waitMs }, settings);
    if (end === "keep") continue;
    if (end !== "requeue_same_attempt") reaped.lost.push(job);
    if (job.cancelled === 1) reaped.cancelled.push(job);
    else if (end === "give_up") reaped.missed.push({ job, reason: "agent_lost" });
    else
      reaped.requeued.push(end === "requeue_same_attempt" ? job : { ...job, attempt: job.attempt + 1, lost_leases: job.lost_leases + 1 });
  }
}

async function endWaits(
  engine: Engine,
  trx: Trx,
  reaped: Reaped,
  { nowMs, waitMs }: Now,
  { queueWaitMs, limit }: ReapSettings,
): Promise<void> {
  const jobs = await engine
    .skipLocked(
      trx
        .selectFrom("jobs")
        .selectAll()
        .where("agent_session", "is", null)
        .where("not_before", "<=", waitMs - queueWaitMs)
        .orderBy("not_before")
        .limit(limit),
    )
    .execute();
  const waited = jobs.filter((job) => queueWaitIsOver({ dueMs: job.not_before, nowMs: waitMs }, { queueWaitMs }));
  const late = await tooLate(engine, trx, waitMs, limit);
  const over = [...new Map([...waited, ...late].map((job) => [job.no, job])).values()];
  if (over.length === 0) return;
  const isOverlapped = await overlaps(engine, trx, over);
  const agents = await trx
    .selectFrom("agent_sessions")
    .select(["location_id", "check_types", "runtimes"])
    .where("runs_checks", "=", 1)
    .where("last_seen_at", ">=", nowMs - agentSeenMs)
    .where(engine.isAny("location_id", [...new Set(over.map((job) => job.location_id))]))
    .execute();
  const agentsAt = Map.groupBy(agents, (agent) => agent.location_id);
  const runtimeOf = await neededRuntimes(engine, trx, over);
  for (const job of over) {
    const there = agentsAt.get(job.location_id) ?? [];
    const runtime = runtimeOf(job);
    const ofItsType = there.filter(({ check_types: types }) => listed(types, job.check_type));
    const anyAgentRunsIt = ofItsType.some(({ runtimes }) => runtime === null || listed(runtimes, runtime));
    const known = { agentsSeen: there.length > 0, anyAgentRunsIt, leasedBefore: job.fence > 0 };
    const reason = isOverlapped(job) ? "overlap" : missedReason(known);
    const lacks = reason === "no_agent" && there.length > 0 ? lacking(job.check_type, runtime, ofItsType.length > 0) : null;
    reaped.missed.push({ job, reason, ...(lacks !== null && { lacks }) });
  }
}

async function neededRuntimes(engine: Engine, trx: Trx, jobs: readonly Job[]): Promise<(job: Job) => string | null> {
  const checkIds = [...new Set(jobs.map((job) => job.check_id))];
  const rows = await trx
    .selectFrom("checks")
    .select(["id", neededRuntime.as("runtime")])
    .where(engine.isAny("id", checkIds))
    .execute();
  const ofChecks = new Map(rows.map(({ id, runtime }) => [id, runtime]));
  const unstored = [...new Set(jobs.filter((job) => job.check_id === noCheck).map((job) => sessionOfJob(job.no)))];
  const trials = await trx.selectFrom("trials").select(["session_no", "runtime"]).where(engine.isAny("session_no", unstored)).execute();
  const ofTrials = new Map(trials.map((row) => [row.session_no, row.runtime]));
  return ({ no, check_id: checkId }) => ofChecks.get(checkId) ?? ofTrials.get(sessionOfJob(no)) ?? null;
}

const listed = (json: string, word: string): boolean => (JSON.parse(json) as readonly string[]).includes(word);

async function write(
  engine: Engine,
  trx: Trx,
  { requeued, missed, cancelled, lost }: Reaped,
  { nowMs, waitMs }: Now,
): Promise<SessionEnds> {
  const over = [...missed.map(({ job }) => job), ...cancelled];
  const sessions = await SessionBook.open(engine, trx, [...new Set(over.map((job) => sessionOfJob(job.no)))]);
  for (const { job } of missed) sessions.change(sessionOfJob(job.no), { missed: 1 }, nowMs);
  for (const job of cancelled) sessions.change(sessionOfJob(job.no), { cancelled: 1 }, nowMs);
  const lostResults = lost.map((job) => lostResult(job, nowMs - (waitMs - job.leased_at), nowMs));
  const missedResults = missed.map(({ job, reason, lacks }) => ({ result: missedResult(job, reason, nowMs), lacks }));
  await writeResults(engine, trx, {
    results: [...lostResults, ...missedResults.map(({ result }) => result)],
    details: [
      ...lostResults.map((result) => detailText(result, lostDetail)),
      ...missedResults.flatMap(({ result, lacks }) => (lacks === undefined ? [] : detailText(result, lacks))),
    ],
    replaced: [],
  });
  await engine.updateMany(
    trx,
    "jobs",
    1,
    jobColumns,
    requeued.toSorted((a, b) => a.no - b.no).map((job) => [job.no, job.attempt, job.lost_leases, null, 0, waitMs]),
  );
  await trx
    .deleteFrom("jobs")
    .where(
      engine.isAny(
        "no",
        over.map((job) => job.no),
      ),
    )
    .execute();
  return sessions.write(engine, trx);
}

function detailText({ id, checkId, startedAtUs }: NewResult, detail: StoredDetail): DetailText {
  return { id, checkId, startedAtUs, text: JSON.stringify(detail) };
}

/** What to install so that somebody runs it; null where that is not known. */
function lacking(type: string, runtime: string | null, isOfItsType: boolean): StoredDetail | null {
  if (runtime === null) return null;
  const install = `outpost runtime install ${runtime}`;
  if (isCheckType(type) && traitsOf(type).scripts === "whole") {
    const { needs, runsOn } = traitsOf(type);
    const ofAgent = needs === null ? "" : ` of an agent that has ${needs}`;
    const what = `needs ${runsOn ?? type} on runtime ${runtime}${ofAgent}, which no agent of this location offers`;
    return { errorMessage: `NO_CAPABLE_AGENT: ${what}: ${install}, and outpost doctor says what else is missing`, detail: null };
  }
  if (!isOfItsType) return null;
  return {
    errorMessage: `NO_AGENT: no agent of this location has runtime ${runtime}, which the check's scripts need: ${install}`,
    detail: null,
  };
}

/** The attempt of an agent that went away: visible, and no failure of the target. */
function lostResult(job: Job, leasedAtMs: number, nowMs: number): NewResult {
  return { ...emptyResult(job, job.attempt, leasedAtMs, nowMs), type: "ATTEMPT", flags: flag.errors | flag.agentSide };
}

/** Stands at the time when the run was planned, so that a list shows no hole. */
function missedResult(job: Job, reason: MissedReason, nowMs: number): NewResult {
  return { ...emptyResult(job, missedAttempt, job.run_at, nowMs), type: "MISSED", flags: missedFlags(reason) };
}

function emptyResult(job: Job, attempt: number, startedAtMs: number, nowMs: number): Omit<NewResult, "type" | "flags"> {
  return {
    checkId: resultsKey(job.check_id, job.test_session),
    startedAtUs: startedAtMs * 1_000,
    id: resultId(job.no, attempt),
    locationId: job.location_id,
    status: 0,
    responseTimeUs: 0,
    durationUs: microseconds(nowMs - startedAtMs),
    metrics: [],
    runAtMs: job.run_at,
    createdAtMs: nowMs,
    queuedMs: Math.min(Math.max(nowMs - job.due_at, 0), 0x7fff_ffff),
    loopDelayUs: 0,
    digest: lostDigest,
    errorGroup: null,
  };
}
