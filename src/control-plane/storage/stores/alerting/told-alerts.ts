import type { Kysely } from "kysely";
import type { ToldAlert } from "../../alert-delivery-store.ts";
import type { CheckAlertTable } from "../../alert-tables.ts";
import type { Engine } from "../../engine.ts";
import type { Tables } from "../../schema.ts";
import { alertOf } from "../check-alerts.ts";

/** Alerts with what a message says of them, by their numbers; the oldest first. */
export async function toldAlerts(engine: Engine, db: Kysely<Tables>, alertIds: readonly number[]): Promise<readonly ToldAlert[]> {
  const rows = await db
    .selectFrom("check_alerts")
    .innerJoin("checks", "checks.id", "check_alerts.check_id")
    .leftJoin("documents", "documents.id", "checks.group_id")
    .leftJoin("alert_episodes", (join) =>
      join
        .onRef("alert_episodes.check_id", "=", "check_alerts.check_id")
        .on("alert_episodes.closed_at", "is", null)
        .onRef("alert_episodes.id", "<=", "check_alerts.id")
        .on("check_alerts.alert_type", "!=", "ALERT_SSL"),
    )
    .selectAll("check_alerts")
    .select([
      "checks.uuid as check_uuid",
      "checks.definition",
      "documents.definition as group_definition",
      "alert_episodes.id as episode_id",
    ])
    .where(engine.isAny("check_alerts.id", alertIds))
    .orderBy("check_alerts.id")
    .execute();
  const nameOf = await locationNames(engine, db, rows);
  const errors = await sameErrors(engine, db, [...new Set(rows.flatMap((row) => row.error_group ?? []))]);
  return rows.map((row) => {
    const check = JSON.parse(row.definition) as CheckTexts;
    const group = row.group_definition === null ? null : (JSON.parse(row.group_definition) as GroupTexts);
    return {
      ...alertOf(row),
      statusText: row.status_text,
      failedStep: row.failed_step,
      hasScreenshot: row.has_screenshot === 1,
      certificate: certificateOf(row),
      description: check.description ?? null,
      tags: [...new Set([...check.tags, ...(group?.tags ?? [])])],
      groupName: group?.name ?? null,
      openEpisodeId: row.episode_id,
      locationName: nameOf(row),
      sameError: errors.get(row.error_group ?? 0) ?? null,
    };
  });
}

function certificateOf({ certificate_domain: domain, certificate_days: days }: Pick<CheckAlertTable, `certificate_${"domain" | "days"}`>) {
  return domain === null || days === null ? null : { domain, daysRemaining: days };
}

/** Written by the resource of checks. */
interface CheckTexts {
  readonly description?: string | null;
  readonly tags: readonly string[];
}

/** Written by the resource of groups. */
interface GroupTexts {
  readonly name: string;
  readonly tags?: readonly string[];
}

/** An account's own locations and those that all have: others may use the same code. */
export async function locationNames(engine: Engine, db: Kysely<Tables>, alerts: readonly Located[]): Promise<(alert: Located) => string> {
  const codes = [...new Set(alerts.map((alert) => alert.run_location))];
  const rows = await db.selectFrom("locations").select(["code", "name", "account_id"]).where(engine.isAny("code", codes)).execute();
  return ({ account_id, run_location }) => {
    const found = rows.find((row) => row.code === run_location && (row.account_id === null || row.account_id === account_id));
    return found?.name ?? run_location;
  };
}

type Located = Pick<CheckAlertTable, "account_id" | "run_location">;

async function sameErrors(engine: Engine, db: Kysely<Tables>, groups: readonly number[]) {
  if (groups.length === 0) return new Map<number, NonNullable<ToldAlert["sameError"]>>();
  const rows = await db
    .selectFrom("error_groups")
    .innerJoin("check_alerts", "check_alerts.error_group", "error_groups.id")
    .select((eb) => ["error_groups.id", "error_groups.first_seen", eb.fn.countAll<number>().as("alerts")])
    .where(engine.isAny("error_groups.id", groups))
    .whereRef("check_alerts.check_id", "=", "error_groups.check_id")
    .groupBy(["error_groups.id", "error_groups.first_seen"])
    .execute();
  return new Map(rows.map(({ id, first_seen, alerts }) => [id, { alerts: Number(alerts), firstSeenMs: first_seen }]));
}
