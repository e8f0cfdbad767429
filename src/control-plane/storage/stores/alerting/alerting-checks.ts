import type { SelectQueryBuilder } from "kysely";
import type { TriggerIncident } from "#contract/checks/check.ts";
import { isPinged } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { alertRules } from "#domain/alerting/alert-rules.ts";
import type { CheckAlerting } from "#domain/alerting/alert-state.ts";
import { checkedHost } from "#domain/alerting/episode-causes.ts";
import { effectiveAlerts } from "#domain/effective-check.ts";
import type { Effect } from "#domain/maintenance-effects.ts";
import type { Engine } from "../../engine.ts";
import type { Tables, Trx } from "../../schema.ts";
import type { CheckDefinition } from "../../storage.ts";
import { groupsById } from "../check-group-rows.ts";
import { maintenanceEffects } from "../maintenance-effects.ts";

/** A heartbeat is heard of nowhere. */
export const nowhere = 0;

/** A check as far as its alerts are concerned, with what its group and its account make of it. */
export interface AlertingCheck {
  readonly id: number;
  readonly accountId: number;
  readonly type: CheckTypeName;
  readonly name: string;
  /** That its request names; null: none, or a template. */
  readonly host: string | null;
  readonly alerting: Omit<CheckAlerting, "silencedUntilMs">;
  /** Its own and its group's. */
  readonly tags: readonly string[];
  /** What silences it for a time: maintenance windows of its account, and whoever muted it for a while. */
  readonly silences: readonly Effect[];
  /** The incident that it opens; null: none. */
  readonly triggerIncident: TriggerIncident | null;
}

/** From when to when windows are looked for. */
export interface AlertingTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Checks by their ids. They cannot be deleted until the transaction ends, and those whose deletion is under way are left out. */
export async function alertingChecks(
  engine: Engine,
  trx: Trx,
  ids: readonly number[],
  time: AlertingTime,
): Promise<ReadonlyMap<number, AlertingCheck>> {
  const rows = await engine
    .keepRows(
      trx
        .selectFrom("checks")
        .select(["id", "account_id", "type", "definition", "activated", "run_parallel", "location_ids", "group_id", "muted_until_ms"])
        .select((eb) => openEpisode(eb.selectFrom("alert_episodes").select("remind_from")).as("remind_from"))
        .where(engine.isAny("id", ids))
        .orderBy("id"),
    )
    .execute();
  const groups = new Map((await groupsById(trx, engine, numbered(rows.map((row) => row.group_id)))).map((group) => [group.id, group]));
  const accountIds = numbered(rows.map((row) => row.account_id));
  const accounts = await accountSettings(engine, trx, accountIds);
  const silences = await maintenanceEffects(engine, trx, "silences", accountIds, time);
  const aheadMs = engine.clock.waitMs(time.toMs) - time.toMs;
  return new Map(
    rows.map((row) => {
      const own = JSON.parse(row.definition) as CheckDefinition;
      const group = groups.get(row.group_id ?? 0)?.settings;
      const check = group === undefined ? own : { ...own, ...effectiveAlerts(group, own) };
      const alerting = {
        activated: row.activated === 1,
        muted: check.muted,
        runParallel: row.run_parallel === 1,
        remindFromMs: row.remind_from,
        locationIds: isPinged(row.type) ? [nowhere] : (JSON.parse(row.location_ids) as readonly number[]),
        rules: alertRules(check, accounts.get(row.account_id) ?? {}),
      };
      const known = { id: row.id, accountId: row.account_id, type: row.type, name: own.name, host: checkedHost(own), alerting };
      const untilMs = row.muted_until_ms === null ? null : row.muted_until_ms - aheadMs;
      const windows = {
        tags: [...own.tags, ...(group?.tags ?? [])],
        silences: [...(silences.get(row.account_id) ?? []), ...mutedFor(untilMs)],
      };
      return [row.id, { ...known, ...windows, triggerIncident: triggerIncidentOf(own) }];
    }),
  );
}

/** When it began does not matter: whatever fails before its end is told, if it still does, after it. */
function mutedFor(untilMs: number | null): readonly Effect[] {
  return untilMs === null ? [] : [{ tags: null, spans: [{ startsAtMs: 0, endsAtMs: untilMs }] }];
}

/** One at most. */
function openEpisode<O>(episodes: SelectQueryBuilder<Tables & { checks: Tables["checks"] }, "checks" | "alert_episodes", O>) {
  return episodes.whereRef("alert_episodes.check_id", "=", "checks.id").where("alert_episodes.closed_at", "is", null);
}

/** Written by the resource of checks. */
function triggerIncidentOf({ triggerIncident }: CheckDefinition): TriggerIncident | null {
  return (triggerIncident ?? null) as TriggerIncident | null;
}

function numbered(ids: readonly (number | null)[]): readonly number[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

async function accountSettings(engine: Engine, trx: Trx, ids: readonly number[]) {
  const rows = await trx.selectFrom("accounts").select(["id", "alert_settings"]).where(engine.isAny("id", ids)).execute();
  return new Map(rows.map((row) => [row.id, JSON.parse(row.alert_settings) as Readonly<Record<string, unknown>>]));
}
