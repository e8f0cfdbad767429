import type { CheckTypeName } from "#contract/primitives.ts";
import { alertRules } from "#domain/alerting/alert-rules.ts";
import type { CheckAlerting } from "#domain/alerting/alert-state.ts";
import { effectiveAlerts } from "#domain/effective-check.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { CheckDefinition } from "../../storage.ts";
import { groupsById } from "../check-group-rows.ts";

/** A heartbeat is heard of nowhere. */
export const nowhere = 0;

/** A check as far as its alerts are concerned, with what its group and its account make of it. */
export interface AlertingCheck {
  readonly id: number;
  readonly accountId: number;
  readonly type: CheckTypeName;
  readonly name: string;
  readonly alerting: CheckAlerting;
}

/** Checks by their ids. They cannot be deleted until the transaction ends, and those whose deletion is under way are left out. */
export async function alertingChecks(engine: Engine, trx: Trx, ids: readonly number[]): Promise<ReadonlyMap<number, AlertingCheck>> {
  const rows = await engine
    .keepRows(
      trx
        .selectFrom("checks")
        .select(["id", "account_id", "type", "definition", "activated", "run_parallel", "location_ids", "group_id"])
        .where(engine.isAny("id", ids))
        .orderBy("id"),
    )
    .execute();
  const groups = new Map((await groupsById(trx, engine, numbered(rows.map((row) => row.group_id)))).map((group) => [group.id, group]));
  const accounts = await accountSettings(engine, trx, numbered(rows.map((row) => row.account_id)));
  return new Map(
    rows.map((row) => {
      const own = JSON.parse(row.definition) as CheckDefinition;
      const group = groups.get(row.group_id ?? 0)?.settings;
      const check = group === undefined ? own : { ...own, ...effectiveAlerts(group, own) };
      const alerting: CheckAlerting = {
        activated: row.activated === 1,
        muted: check.muted,
        silencedUntilMs: null,
        runParallel: row.run_parallel === 1,
        locationIds: row.type === "HEARTBEAT" ? [nowhere] : (JSON.parse(row.location_ids) as readonly number[]),
        rules: alertRules(check, accounts.get(row.account_id) ?? {}),
      };
      return [row.id, { id: row.id, accountId: row.account_id, type: row.type, name: own.name, alerting }];
    }),
  );
}

function numbered(ids: readonly (number | null)[]): readonly number[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

async function accountSettings(engine: Engine, trx: Trx, ids: readonly number[]) {
  const rows = await trx.selectFrom("accounts").select(["id", "alert_settings"]).where(engine.isAny("id", ids)).execute();
  return new Map(rows.map((row) => [row.id, JSON.parse(row.alert_settings) as Readonly<Record<string, unknown>>]));
}
