import { AppError } from "#domain/app-error.ts";
import type { Engine } from "../engine.ts";
import { jobNo } from "../numbers.ts";
import type { Trx } from "../schema.ts";

/*
 * A triggered group runs its checks some at a time. All sessions are written at once; the jobs of those whose turn has not come are held:
 * they may not be leased until far in the future. Who ends a session lets the next one start, in the same transaction, so nothing is
 * lost when a process ends here.
 */

/** `not_before` of a job that is held. */
export const heldUntilMs = 8_640_000_000_000_000;

/** Sessions of one run of a group, in the order in which they start. */
export interface NewGroupRun {
  readonly concurrency: number;
  readonly sessionNos: readonly number[];
}

/**
 * Sessions of an account that may be held at a time. Group runs add up faster than agents work them off where an address that
 * triggers one leaks, or no agent is there.
 */
const maxHeld = 10_000;

/** @returns the sessions that are held @throws {AppError} rate_limited when the account holds too many already */
export async function writeGroupRuns(
  engine: Engine,
  trx: Trx,
  accountId: number,
  runs: readonly NewGroupRun[],
): Promise<ReadonlySet<number>> {
  const held = runs.flatMap(({ concurrency, sessionNos }) =>
    sessionNos.slice(concurrency).map((no, place) => [sessionNos[0] ?? 0, place, no] as const),
  );
  if (held.length === 0) return new Set();
  await assertRoom(trx, accountId);
  await engine.insertMany(
    trx,
    "group_runs",
    { no: "int8", concurrency: "int8", running: "int8" },
    runs.map(({ concurrency, sessionNos }) => [sessionNos[0] ?? 0, concurrency, concurrency]),
  );
  await engine.insertMany(trx, "held_sessions", { group_run: "int8", place: "int8", session_no: "int8" }, held);
  return new Set(held.map(([, , no]) => no));
}

/** What is held now counts, not what comes: so a group of any size can run. */
async function assertRoom(trx: Trx, accountId: number): Promise<void> {
  const { count } = await trx
    .selectFrom("held_sessions")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    // Not a join, which SQLite begins at the sessions.
    .where((eb) => eb.selectFrom("sessions").select("account_id").whereRef("no", "=", "session_no"), "=", accountId)
    .executeTakeFirstOrThrow();
  if (Number(count) < maxHeld) return;
  throw new AppError(
    "rate_limited",
    `${count} runs of check groups wait for their turn, and ${maxHeld} may: wait for them, raise the concurrency of the groups, or cancel their sessions`,
  );
}

interface EndedSession {
  readonly no: number;
  readonly groupRun: number;
}

/** Of sessions that are gone, those of group runs let the next ones start. @returns locations that have jobs for it */
export async function advanceGroupRunsOf(
  engine: Engine,
  trx: Trx,
  sessionNos: readonly number[],
  nowMs: number,
): Promise<readonly number[]> {
  if (sessionNos.length === 0) return [];
  const rows = await trx
    .selectFrom("sessions")
    .select(["no", "group_run"])
    .where(engine.isAny("no", sessionNos))
    .where("group_run", "is not", null)
    .execute();
  return advanceGroupRuns(
    engine,
    trx,
    rows.map(({ no, group_run: groupRun }) => ({ no, groupRun: groupRun ?? 0 })),
    nowMs,
  );
}

/** Lets the next sessions start where some of a group run ended. @returns locations that have jobs for it */
export async function advanceGroupRuns(
  engine: Engine,
  trx: Trx,
  ended: readonly EndedSession[],
  nowMs: number,
): Promise<readonly number[]> {
  if (ended.length === 0) return [];
  const nos = [...new Set(ended.map(({ groupRun }) => groupRun))];
  // Locked, so that two ends at the same time do not start one session twice or none at all.
  const runs = await engine.lockRows(trx.selectFrom("group_runs").selectAll().where(engine.isAny("no", nos)).orderBy("no")).execute();
  const neverStarted = await trx
    .deleteFrom("held_sessions")
    .where(
      engine.isAny(
        "session_no",
        ended.map(({ no }) => no),
      ),
    )
    .returning("session_no")
    .execute();
  const cancelled = new Set(neverStarted.map((row) => row.session_no));
  const starting: number[] = [];
  for (const run of runs) {
    const over = ended.filter(({ no, groupRun }) => groupRun === run.no && !cancelled.has(no)).length;
    const next = await takeNext(engine, trx, run.no, run.concurrency - (run.running - over));
    starting.push(...next);
    const running = run.running - over + next.length;
    // Without held sessions there is nothing left to start, whatever still runs.
    const last = next.length > 0 || (await hasHeld(trx, run.no)) ? running : 0;
    if (last === 0) await trx.deleteFrom("group_runs").where("no", "=", run.no).execute();
    else await trx.updateTable("group_runs").set({ running }).where("no", "=", run.no).execute();
  }
  return startSessions(engine, trx, starting, nowMs);
}

async function takeNext(engine: Engine, trx: Trx, groupRun: number, seats: number): Promise<readonly number[]> {
  if (seats <= 0) return [];
  const next = await trx
    .selectFrom("held_sessions")
    .select("session_no")
    .where("group_run", "=", groupRun)
    .orderBy("place")
    .limit(seats)
    .execute();
  const nos = next.map((row) => row.session_no);
  if (nos.length > 0) await trx.deleteFrom("held_sessions").where(engine.isAny("session_no", nos)).execute();
  return nos;
}

async function hasHeld(trx: Trx, groupRun: number): Promise<boolean> {
  const row = await trx.selectFrom("held_sessions").select("place").where("group_run", "=", groupRun).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Their wait in the queue begins now. */
async function startSessions(engine: Engine, trx: Trx, nos: readonly number[], nowMs: number): Promise<readonly number[]> {
  if (nos.length === 0) return [];
  const rows = await trx.selectFrom("sessions").select(["no", "location_ids"]).where(engine.isAny("no", nos)).execute();
  const places = rows.map((row) => ({ no: row.no, locationIds: JSON.parse(row.location_ids) as readonly number[] }));
  const jobs = places.flatMap(({ no, locationIds }) => locationIds.map((_, slot) => jobNo(no, slot)));
  await trx
    .updateTable("jobs")
    .set({ due_at: nowMs, not_before: engine.clock.waitMs(nowMs) })
    .where(
      engine.isAny(
        "no",
        jobs.toSorted((a, b) => a - b),
      ),
    )
    .execute();
  return [...new Set(places.flatMap(({ locationIds }) => locationIds))];
}
