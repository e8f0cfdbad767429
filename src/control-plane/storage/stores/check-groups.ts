import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { AppError } from "#domain/app-error.ts";
import type { CheckGroupRow, CheckGroupStore } from "../check-group-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import { writeGroupSubscriptions } from "./alert-subscriptions.ts";
import { wakeAlerts } from "./alerting/wake-alerts.ts";
import { groupKind, groupOf, groupsById, groupsOfAccount } from "./check-group-rows.ts";
import { rewriteChecks } from "./grouped-checks.ts";

export function checkGroupStore(engine: Engine, signals: Signals): CheckGroupStore {
  const { reads } = engine;
  return {
    create: ({ uuid = randomUUID(), accountId, settings, locationIds, subscriptions, nowMs }) =>
      engine.transaction(async (trx) => {
        engine.memory.forget("check-groups");
        const values = {
          uuid,
          account_id: accountId,
          kind: groupKind,
          definition: definitionOf(settings, locationIds),
          is_open: 0,
          created_at: nowMs,
        } as const;
        const row = await trx.insertInto("documents").values(values).returningAll().executeTakeFirstOrThrow();
        await writeLocations(engine, trx, row.id, locationIds);
        await writeGroupSubscriptions(engine, trx, { accountId, id: row.id }, subscriptions);
        return groupOf(row);
      }),
    list: (accountId, filter) => listGroups(reads, accountId, filter),
    byId: (accountId, id) =>
      engine.memory.recall("check-groups", `${accountId}:${id}`, async () => {
        const row = await groupsOfAccount(reads, accountId).selectAll().where("id", "=", id).executeTakeFirst();
        return row && groupOf(row);
      }),
    byIds: (accountId, ids) => groupsById(reads, engine, ids, accountId),
    async update(accountId, id, change, nowMs) {
      const row = await engine.transaction(async (trx) => {
        const before = await lockGroup(engine, trx, accountId, id);
        if (!before) return undefined;
        engine.memory.forget("check-groups");
        const { settings, locationIds, subscriptions } = change(before);
        const values = { definition: definitionOf(settings, locationIds), updated_at: nowMs };
        const after = groupOf(await trx.updateTable("documents").set(values).where("id", "=", id).returningAll().executeTakeFirstOrThrow());
        await engine.send(trx, trx.deleteFrom("group_locations").where("group_id", "=", id));
        await writeLocations(engine, trx, id, locationIds);
        await writeGroupSubscriptions(engine, trx, { accountId, id }, subscriptions);
        await rewriteChecks(engine, trx, after, nowMs);
        await wakeAlerts(engine, trx, { groupId: id });
        return after;
      });
      if (row) signals.send({ kind: "schedule" });
      return row;
    },
    remove: (accountId, id) => engine.transaction((trx) => removeGroup(engine, trx, accountId, id)),
    async checks(accountId, id, { page, limit }) {
      const all = checksOf(reads, accountId, id);
      const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
      const items = await all
        .select(["uuid", "type"])
        .orderBy("id")
        .limit(limit)
        .offset((page - 1) * limit)
        .execute();
      return { items, total };
    },
    check: (accountId, id, checkUuid) =>
      checksOf(reads, accountId, id).select(["uuid", "type"]).where("uuid", "=", checkUuid).executeTakeFirst(),
  };
}

/** The group, locked until the transaction ends: what is worked out from it stays true. */
export async function lockGroup(engine: Engine, trx: Trx, accountId: number, id: number): Promise<CheckGroupRow | undefined> {
  return engine.memory.recall("check-groups", `locked:${accountId}:${id}`, async () => {
    const row = await engine.lockRows(groupsOfAccount(trx, accountId).selectAll().where("id", "=", id)).executeTakeFirst();
    return row && groupOf(row);
  });
}

/** Few enough that a filter may look into each. */
async function listGroups(
  db: Kysely<Tables>,
  accountId: number,
  { page, limit, tags, names }: Parameters<CheckGroupStore["list"]>[1],
): ReturnType<CheckGroupStore["list"]> {
  const all = groupsOfAccount(db, accountId);
  const first = (page - 1) * limit;
  const inOrder = all.selectAll().orderBy("id");
  if (tags !== undefined || names !== undefined) {
    const matching = (await inOrder.execute())
      .map(groupOf)
      .filter(({ settings }) => tags?.every((tag) => settings.tags.includes(tag)) ?? true)
      .filter(({ settings }) => names?.includes(settings.name) ?? true);
    return { items: matching.slice(first, first + limit), total: matching.length };
  }
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { items: (await inOrder.limit(limit).offset(first).execute()).map(groupOf), total };
}

async function removeGroup(engine: Engine, trx: Trx, accountId: number, id: number): Promise<boolean> {
  const group = await lockGroup(engine, trx, accountId, id);
  if (!group) return false;
  const { count } = await checksOf(trx, accountId, id)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count > 0) throw new AppError("conflict", `The check group ${id} still has ${count} checks; delete them or take them out first`);
  await trx.deleteFrom("documents").where("id", "=", id).execute();
  engine.memory.forget("check-groups");
  return true;
}

function writeLocations(engine: Engine, trx: Trx, groupId: number, locationIds: readonly number[]): Promise<void> {
  const rows = [...new Set(locationIds)].toSorted((a, b) => a - b).map((id) => [groupId, id]);
  return engine.insertMany(trx, "group_locations", { group_id: "int8", location_id: "int8" }, rows);
}

function checksOf(db: Kysely<Tables>, accountId: number, groupId: number) {
  return db.selectFrom("checks").where("group_id", "=", groupId).where("account_id", "=", accountId);
}

function definitionOf(settings: CheckGroupRow["settings"], locationIds: readonly number[]): string {
  return JSON.stringify({ ...settings, locationIds });
}
