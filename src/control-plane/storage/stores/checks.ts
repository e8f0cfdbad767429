import { pingedTypes } from "#contract/checks/traits.ts";
import { AppError } from "#domain/app-error.ts";
import { ownRunSettings } from "#domain/effective-check.ts";
import type { CheckGroupRow } from "../check-group-store.ts";
import type { Engine } from "../engine.ts";
import { sessionOfJob } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import type { CheckDefinition, CheckSchedule, CheckStore } from "../storage.ts";
import { writeCheckSubscriptions } from "./alert-subscriptions.ts";
import { wakeAlerts } from "./alerting/wake-alerts.ts";
import { lockGroup } from "./check-groups.ts";
import { listChecks } from "./check-list.ts";
import { muteUntil } from "./check-mutes.ts";
import { checkOf } from "./check-rows.ts";
import { statuses, statusOf } from "./check-statuses.ts";
import { advanceGroupRunsOf } from "./group-runs.ts";
import { groupColumns, namedLocations } from "./grouped-checks.ts";
import { createHeartbeat, updateHeartbeat } from "./heartbeat-rows.ts";
import { leaveSchedules, onSchedule, scheduled, scheduledColumns } from "./schedule-changes.ts";
import type { SessionEnds } from "./session-book.ts";

export function checkStore(engine: Engine, signals: Signals): CheckStore {
  const { reads } = engine;
  return {
    async create({ uuid, accountId, type, definition, locationIds, schedule, heartbeat, subscriptions, nowMs }) {
      const row = await engine.transaction(async (trx) => {
        const group = await groupOf(engine, trx, accountId, definition);
        const own = ownRunSettings(type, definition, locationIds);
        const columns = { ...columnsOf(definition, schedule), ...groupColumns(group, own) };
        const begins = { round_robin: 0, last_fire: schedule.nextDueMs && schedule.nextDueMs - schedule.periodMs, created_at: nowMs };
        const values = { uuid, account_id: accountId, type, ...begins, ...scheduled(columns) };
        const created = await trx.insertInto("checks").values(values).returningAll().executeTakeFirstOrThrow();
        await insertReferences(engine, trx, created.id, definition.tags, namedLocations(group, own));
        if (heartbeat) await createHeartbeat(trx, created.id, heartbeat);
        if (subscriptions) await writeCheckSubscriptions(engine, trx, created, subscriptions);
        countOffset(engine, definition);
        return created;
      });
      signals.send({ kind: "schedule" });
      return checkOf(row);
    },
    update: (accountId, uuid, change) => updateCheck(engine, signals, accountId, uuid, change),
    async byUuid(accountId, uuid) {
      const row = await reads
        .selectFrom("checks")
        .selectAll()
        .where("account_id", "=", accountId)
        .where("uuid", "=", uuid)
        .executeTakeFirst();
      return row && checkOf(row);
    },
    list: (accountId, filter) => listChecks(engine, accountId, filter),
    async activated(accountId, groupId) {
      const all = reads
        .selectFrom("checks")
        .selectAll()
        .where("account_id", "=", accountId)
        .where("activated", "=", 1)
        .where("type", "not in", pingedTypes)
        .orderBy("id");
      return (await (groupId === undefined ? all : all.where("group_id", "=", groupId)).execute()).map(checkOf);
    },
    offsets: (frequency) => offsetsOf(engine, frequency),
    async remove(accountId, uuid, nowMs) {
      const removed = await engine.transaction((trx) => removeCheck(engine, trx, accountId, uuid, nowMs));
      if (removed) signals.sendEnds(removed);
      return removed !== undefined;
    },
    muteUntil: (...args) => muteUntil(engine, ...args),
    statuses: (accountId) => statuses(engine, accountId),
    status: (accountId, uuid) => statusOf(engine, accountId, uuid),
  };
}

async function updateCheck(
  engine: Engine,
  signals: Signals,
  accountId: number,
  uuid: string,
  change: Parameters<CheckStore["update"]>[2],
): ReturnType<CheckStore["update"]> {
  const { definition, locationIds, schedule, heartbeat, subscriptions, nowMs } = change;
  const row = await engine.transaction(async (trx) => {
    // The group first: its own change locks it before its checks, too.
    const group = await groupOf(engine, trx, accountId, definition);
    const before = await engine
      .lockRows(
        trx
          .selectFrom("checks")
          .select(["id", "type", ...scheduledColumns])
          .where("account_id", "=", accountId)
          .where("uuid", "=", uuid),
      )
      .executeTakeFirst();
    if (!before) return undefined;
    engine.memory.forget("offsets");
    const own = ownRunSettings(before.type, definition, locationIds);
    const columns = onSchedule(before, { ...columnsOf(definition, schedule), ...groupColumns(group, own) });
    await leaveSchedules(engine, trx, [{ before, after: columns }], nowMs);
    const updated = await trx
      .updateTable("checks")
      .set((eb) => ({ updated_at: nowMs, revision: eb("revision", "+", 1), ...columns }))
      .where("id", "=", before.id)
      .returningAll()
      .executeTakeFirst();
    if (updated) await writeReferences(engine, trx, updated.id, definition.tags, namedLocations(group, own));
    if (updated && heartbeat) {
      await updateHeartbeat(engine, trx, updated.id, { ...heartbeat, activated: updated.activated === 1 }, nowMs);
    }
    if (updated && subscriptions) await writeCheckSubscriptions(engine, trx, updated, subscriptions);
    if (updated) await wakeAlerts(engine, trx, { checkId: updated.id });
    return updated;
  });
  if (row) signals.send({ kind: "schedule" });
  return row && checkOf(row);
}

/** How many checks of a frequency have each offset. */
function offsetsOf({ memory, reads }: Engine, frequency: number): Promise<Map<number, number>> {
  return memory.recall("offsets", String(frequency), async () => {
    const counted = reads.selectFrom("checks").select((eb) => ["frequency_offset", eb.fn.countAll<number>().as("checks")]);
    const rows = await counted.where("frequency", "=", frequency).groupBy("frequency_offset").orderBy("frequency_offset").execute();
    return new Map(rows.map((row) => [row.frequency_offset, Number(row.checks)]));
  });
}

/** The next check of a joint transaction gets another one. */
function countOffset({ memory }: Engine, { frequency, frequencyOffset }: CheckDefinition): void {
  const counts = memory.known<Map<number, number>>("offsets", String(frequency));
  if (typeof frequencyOffset === "number") counts?.set(frequencyOffset, (counts.get(frequencyOffset) ?? 0) + 1);
}

/** The group that a definition names. @throws {AppError} invalid_input when the account has no such group */
async function groupOf(engine: Engine, trx: Trx, accountId: number, definition: CheckDefinition): Promise<CheckGroupRow | undefined> {
  const id = definition["groupId"];
  if (typeof id !== "number") return undefined;
  const group = await lockGroup(engine, trx, accountId, id);
  if (group) return group;
  throw new AppError("invalid_input", `"groupId" names no check group of this account; received ${id}`);
}

function columnsOf(definition: CheckDefinition, schedule: CheckSchedule) {
  return {
    definition: JSON.stringify(definition),
    search_name: definition.name.toLowerCase(),
    search_url: urlOf(definition).toLowerCase(),
    frequency: definition.frequency,
    frequency_offset: definition.frequencyOffset,
    period_ms: schedule.periodMs,
    phase_ms: schedule.phaseMs,
    next_due: schedule.nextDueMs,
  };
}

/** `request.url` of the types that have one. */
function urlOf(definition: CheckDefinition): string {
  const request = definition["request"];
  const url = typeof request === "object" && request !== null && "url" in request ? request.url : "";
  return typeof url === "string" ? url : "";
}

async function writeReferences(
  engine: Engine,
  trx: Trx,
  checkId: number,
  tags: readonly string[],
  locationIds: readonly number[],
): Promise<void> {
  await engine.send(trx, trx.deleteFrom("check_locations").where("check_id", "=", checkId));
  await engine.send(trx, trx.deleteFrom("check_tags").where("check_id", "=", checkId));
  await insertReferences(engine, trx, checkId, tags, locationIds);
}

async function insertReferences(
  engine: Engine,
  trx: Trx,
  checkId: number,
  tags: readonly string[],
  locationIds: readonly number[],
): Promise<void> {
  await engine.insertMany(
    trx,
    "check_locations",
    { check_id: "int8", location_id: "int8" },
    locationIds.map((id) => [checkId, id]),
  );
  await engine.insertMany(
    trx,
    "check_tags",
    { check_id: "int8", tag: "text" },
    [...new Set(tags)].toSorted().map((tag) => [checkId, tag]),
  );
}

/** Results may be millions: `prune` deletes them later, and until then nothing leads to them. @returns its sessions that had not ended */
export async function removeCheck(
  engine: Engine,
  trx: Trx,
  accountId: number,
  uuid: string,
  nowMs: number,
): Promise<SessionEnds | undefined> {
  const found = trx.selectFrom("checks").select("id").where("account_id", "=", accountId).where("uuid", "=", uuid);
  const check = await found.executeTakeFirst();
  if (!check) return undefined;
  // In the order of `ingest`, which looks last whether the check is there; and again, for what came meanwhile.
  const before = await deleteWork(engine, trx, check.id);
  for (const table of ["alert_outbox", "alert_states"] as const)
    await engine.send(trx, engine.lockRows(trx.selectFrom(table).select("check_id").where("check_id", "=", check.id)));
  const removed = await trx.deleteFrom("checks").where("id", "=", check.id).executeTakeFirst();
  if (Number(removed.numDeletedRows) === 0) return undefined;
  engine.memory.forget("offsets");
  const sessions = [...new Set([...before, ...(await deleteWork(engine, trx, check.id))].map(sessionOfJob))];
  await engine.send(trx, trx.insertInto("removed_checks").values({ check_id: check.id }));
  const triggers = trx.deleteFrom("documents").where("account_id", "=", accountId).where("kind", "=", "trigger");
  await engine.send(trx, triggers.where("name", "=", uuid));
  return { ended: sessions, dueAt: await advanceGroupRunsOf(engine, trx, sessions, nowMs) };
}

/** Jobs of a check, and what their results add to. @returns the numbers of the jobs */
async function deleteWork(engine: Engine, trx: Trx, checkId: number): Promise<readonly number[]> {
  const jobs = trx.selectFrom("jobs").select("no").where("check_id", "=", checkId).orderBy("no");
  const nos = (await engine.lockRows(jobs).execute()).map(({ no }) => no);
  if (nos.length > 0) await engine.send(trx, trx.deleteFrom("jobs").where(engine.isAny("no", nos)));
  await engine.send(trx, trx.deleteFrom("error_groups").where("check_id", "=", checkId));
  await engine.send(trx, trx.deleteFrom("check_statuses").where("check_id", "=", checkId));
  return nos;
}
