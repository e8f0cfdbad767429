import type { Selectable } from "kysely";
import { effectiveRun, type OwnRunSettings, ownRunSettings } from "#domain/effective-check.ts";
import type { CheckGroupRow } from "../check-group-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import type { CheckDefinition } from "../storage.ts";
import { groupOf, groupsOfAccount } from "./check-group-rows.ts";

/** Checks that are held in memory at a time, each with its scripts. */
const batchSize = 100;
const fields = ["setupSnippetId", "tearDownSnippetId"] as const;
const changedColumns = { id: "int8", definition: "text", own_settings: "text", script_runtime: "text", revision: "int8" } as const;

type Row = Pick<Selectable<Tables["checks"]>, "type" | "group_id" | "location_ids" | keyof typeof changedColumns>;

/**
 * Takes a snippet that goes out of the groups and checks of its account that name it: they run without it, and can be written as they are read.
 * What each check needs to run is worked out anew, some at a time.
 */
export async function forgetSnippet(engine: Engine, trx: Trx, accountId: number, snippetId: number): Promise<void> {
  engine.memory.forget("check-groups");
  // All of them, before their checks as everywhere: none changes while its checks are worked out.
  const locked = await engine.lockRows(groupsOfAccount(trx, accountId).selectAll().orderBy("id")).execute();
  const groups = new Map<number, CheckGroupRow>();
  const changed: CheckGroupRow[] = [];
  for (const before of locked.map(groupOf)) {
    const settings = without(before.settings, snippetId);
    const group = settings === undefined ? before : { ...before, settings };
    groups.set(group.id, group);
    if (settings !== undefined) changed.push(group);
  }
  const definitions = changed.map(({ id, settings, locationIds }) => [id, JSON.stringify({ ...settings, locationIds })]);
  await engine.updateMany(trx, "documents", 1, { id: "int8", definition: "text" }, definitions);
  const ofGroups = changed.map(({ id }) => id);
  for (let after = 0; ; ) {
    const rows: readonly Row[] = await engine
      .lockRows(
        trx
          .selectFrom("checks")
          .select(["id", "type", "definition", "group_id", "own_settings", "location_ids", "script_runtime", "revision"])
          .where("account_id", "=", accountId)
          .where("id", ">", after)
          .where((eb) =>
            eb.or([
              // The keys of a text's quotes are escaped, so they look like no key; numbers that only begin so are left out below.
              ...fields.map((field) => eb("definition", "like", `%"${field}":${snippetId}%`)),
              ...(ofGroups.length > 0 ? [engine.isAny("group_id", ofGroups)] : []),
            ]),
          )
          .orderBy("id")
          .limit(batchSize),
      )
      .execute();
    await engine.updateMany(
      trx,
      "checks",
      1,
      changedColumns,
      rows.map((row) => changedRow(row, snippetId, groups)),
    );
    if (rows.length < batchSize) return;
    after = rows.at(-1)?.id ?? after;
  }
}

function changedRow(row: Row, snippetId: number, groups: ReadonlyMap<number, CheckGroupRow>) {
  const before = JSON.parse(row.definition) as CheckDefinition;
  const definition = without(before, snippetId) ?? before;
  const group = row.group_id === null ? undefined : groups.get(row.group_id);
  const stored = row.own_settings === null ? undefined : (JSON.parse(row.own_settings) as OwnRunSettings);
  const { locationIds } = stored ?? { locationIds: JSON.parse(row.location_ids) as readonly number[] };
  const own = ownRunSettings(row.type, definition, locationIds);
  const run = effectiveRun(group === undefined ? null : { ...group.settings, locationIds: group.locationIds }, own);
  const ownSettings = stored === undefined ? null : JSON.stringify(own);
  return [row.id, definition === before ? row.definition : JSON.stringify(definition), ownSettings, run.scriptRuntime, row.revision + 1];
}

/** Undefined: the snippet is not named. */
function without<T extends object>(settings: T, snippetId: number): T | undefined {
  const named = fields.filter((field) => Reflect.get(settings, field) === snippetId);
  return named.length === 0 ? undefined : { ...settings, ...Object.fromEntries(named.map((field) => [field, null])) };
}
