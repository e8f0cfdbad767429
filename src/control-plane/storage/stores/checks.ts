import { scriptRuntime } from "#domain/script-runtime.ts";
import type { Engine } from "../engine.ts";
import { sessionOfJob } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import type { CheckDefinition, CheckSchedule, CheckStore } from "../storage.ts";
import { listChecks } from "./check-list.ts";
import { checkOf } from "./check-rows.ts";
import { statuses, statusOf } from "./check-statuses.ts";

export function checkStore(engine: Engine, signals: Signals): CheckStore {
  const { reads } = engine;
  return {
    async create({ uuid, accountId, type, definition, locationIds, schedule, nowMs }) {
      const row = await engine.transaction(async (trx) => {
        const values = {
          uuid,
          account_id: accountId,
          type,
          round_robin: 0,
          created_at: nowMs,
          ...columnsOf(definition, locationIds, schedule),
        };
        const created = await trx.insertInto("checks").values(values).returningAll().executeTakeFirstOrThrow();
        await writeReferences(engine, trx, created.id, definition.tags, locationIds);
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
    async activated(accountId) {
      return (
        await reads.selectFrom("checks").selectAll().where("account_id", "=", accountId).where("activated", "=", 1).orderBy("id").execute()
      ).map(checkOf);
    },
    async offsets(frequency) {
      const rows = await reads.selectFrom("checks").select("frequency_offset").where("frequency", "=", frequency).orderBy("id").execute();
      return rows.map((row) => row.frequency_offset);
    },
    async remove(accountId, uuid) {
      const ended = await engine.transaction((trx) => removeCheck(trx, accountId, uuid));
      if (ended) signals.send({ kind: "ended", numbers: ended });
      return ended !== undefined;
    },
    statuses: (accountId) => statuses(reads, accountId),
    status: (accountId, uuid) => statusOf(reads, accountId, uuid),
  };
}

async function updateCheck(
  engine: Engine,
  signals: Signals,
  accountId: number,
  uuid: string,
  change: Parameters<CheckStore["update"]>[2],
): ReturnType<CheckStore["update"]> {
  const { definition, locationIds, schedule, nowMs } = change;
  const row = await engine.transaction(async (trx) => {
    const updated = await trx
      .updateTable("checks")
      .set({ updated_at: nowMs, ...columnsOf(definition, locationIds, schedule) })
      .where("account_id", "=", accountId)
      .where("uuid", "=", uuid)
      .returningAll()
      .executeTakeFirst();
    if (updated) await writeReferences(engine, trx, updated.id, definition.tags, locationIds);
    return updated;
  });
  if (row) signals.send({ kind: "schedule" });
  return row && checkOf(row);
}

function columnsOf(definition: CheckDefinition, locationIds: readonly number[], schedule: CheckSchedule) {
  return {
    definition: JSON.stringify(definition),
    search_name: definition.name.toLowerCase(),
    search_url: urlOf(definition).toLowerCase(),
    activated: Number(definition.activated),
    frequency: definition.frequency,
    frequency_offset: definition.frequencyOffset,
    run_parallel: Number(definition.runParallel),
    location_ids: JSON.stringify(locationIds),
    period_ms: schedule.periodMs,
    phase_ms: schedule.phaseMs,
    next_due: definition.activated ? schedule.nextDueMs : null,
    script_runtime: scriptRuntime(definition),
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
  await trx.deleteFrom("check_locations").where("check_id", "=", checkId).execute();
  await trx.deleteFrom("check_tags").where("check_id", "=", checkId).execute();
  const locations = [...new Set(locationIds)].toSorted((a, b) => a - b);
  await engine.insertMany(
    trx,
    "check_locations",
    { check_id: "int8", location_id: "int8" },
    locations.map((id) => [checkId, id]),
  );
  await engine.insertMany(
    trx,
    "check_tags",
    { check_id: "int8", tag: "text" },
    [...new Set(tags)].toSorted().map((tag) => [checkId, tag]),
  );
}

/** Results may be millions: `prune` deletes them later, and until then nothing leads to them. @returns its sessions that had not ended */
async function removeCheck(trx: Trx, accountId: number, uuid: string): Promise<readonly number[] | undefined> {
  const check = await trx
    .deleteFrom("checks")
    .where("account_id", "=", accountId)
    .where("uuid", "=", uuid)
    .returning("id")
    .executeTakeFirst();
  if (!check) return undefined;
  const jobs = await trx.deleteFrom("jobs").where("check_id", "=", check.id).returning("no").execute();
  const sessions = [...new Set(jobs.map((job) => sessionOfJob(job.no)))];
  await trx.deleteFrom("check_statuses").where("check_id", "=", check.id).execute();
  await trx.insertInto("removed_checks").values({ check_id: check.id }).execute();
  return sessions;
}
