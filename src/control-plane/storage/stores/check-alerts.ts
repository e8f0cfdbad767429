import { type Selectable, sql } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { ToldNotice } from "#domain/alerting/digest-message.ts";
import type { CheckAlertTable } from "../alert-tables.ts";
import type { AlertFilter, AlertNotificationStore, CheckAlertRow, CheckAlertStore, NotificationRow } from "../alerting-stores.ts";
import type { Engine } from "../engine.ts";
import { deleteAlerts, deleteEpisodes, deleteNotices, forgetCertificates } from "./alerting/alert-retention.ts";

/** A certificate is told of by a run each day at least. A check that is off for some days must not begin anew. */
const leastCertificateMs = 30 * 86_400_000;

export function checkAlertStore(engine: Engine): CheckAlertStore {
  const { reads } = engine;
  return {
    async prune(keepMs, nowMs, limit) {
      const alerts = await deleteAlerts(engine, nowMs - keepMs, limit);
      const notices = await deleteNotices(engine, nowMs - keepMs, limit);
      const certificates = await forgetCertificates(engine, nowMs - Math.max(keepMs, leastCertificateMs), limit);
      const episodes = await deleteEpisodes(engine, nowMs - keepMs, limit);
      return Math.max(alerts, notices, certificates, episodes) === limit;
    },
    async list(accountId, { checkId, types, fromMs, toMs, ...page }) {
      let alerts = reads.selectFrom("check_alerts").where("check_alerts.account_id", "=", accountId);
      if (checkId !== undefined) alerts = alerts.where("check_id", "=", checkId);
      if (types !== undefined) alerts = alerts.where("alert_type", "in", types);
      if (fromMs !== undefined) alerts = alerts.where("check_alerts.created_at", ">=", fromMs);
      if (toMs !== undefined) alerts = alerts.where("check_alerts.created_at", "<", toMs);
      // Rows are read once they are chosen: those of earlier pages are skipped in the index.
      const chosen = alerts
        .select("check_alerts.id")
        .orderBy("check_alerts.created_at", "desc")
        .orderBy("check_alerts.id", "desc")
        .limit(page.limit)
        .offset(skipped(page));
      const [{ total }, rows] = await Promise.all([
        alerts.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
        reads
          .selectFrom("check_alerts")
          .innerJoin("checks", "checks.id", "check_alerts.check_id")
          .selectAll("check_alerts")
          .select("checks.uuid as check_uuid")
          .where("check_alerts.id", "in", chosen)
          .orderBy("check_alerts.created_at", "desc")
          .orderBy("check_alerts.id", "desc")
          .execute(),
      ]);
      const items = rows.map(alertOf);
      return { items, total: Number(total) };
    },
  };
}

/** An alert as it is stored, with the uuid of its check. */
export function alertOf(row: Selectable<CheckAlertTable> & { readonly check_uuid: string }): CheckAlertRow {
  return {
    id: row.id,
    checkUuid: row.check_uuid,
    name: row.name,
    alertType: row.alert_type,
    checkType: row.check_type,
    runLocation: row.run_location,
    responseTime: row.response_time,
    error: row.error,
    statusCode: row.status_code,
    startedAtMs: row.started_at,
    createdAtMs: row.created_at,
    result: row.result_id === null || row.result_run_at === null ? null : { id: row.result_id, runAtMs: row.result_run_at },
    errorGroup: row.error_group,
    failingSinceMs: row.failing_since,
    failedRuns: row.failed_runs,
    reminder: row.reminder,
  };
}

/** What did not arrive. */
const failures = ["FAILURE", "RATE_LIMITED"] as const;

export function alertNotificationStore({ reads }: Engine): AlertNotificationStore {
  return {
    async list(accountId, { channelId, failed, alertIds, fromMs, toMs, ...page }) {
      // Without statistics SQLite takes the account to be the narrower condition, unless that one is an expression.
      const account =
        alertIds === undefined ? sql.ref("alert_notifications.account_id") : sql`+${sql.ref("alert_notifications.account_id")}`;
      let sent = reads.selectFrom("alert_notifications").where(account, "=", accountId);
      if (channelId !== undefined) sent = sent.where("channel_id", "=", channelId);
      if (failed !== undefined) sent = sent.where("status", failed ? "in" : "not in", failures);
      if (alertIds !== undefined) sent = sent.where("check_alert_id", "in", alertIds);
      if (fromMs !== undefined) sent = sent.where("sent_at", ">=", fromMs);
      if (toMs !== undefined) sent = sent.where("sent_at", "<", toMs);
      const chosen = sent
        .select("alert_notifications.id")
        .orderBy("sent_at", "desc")
        .orderBy("alert_notifications.id", "desc")
        .limit(page.limit)
        .offset(skipped(page));
      const [{ total }, rows] = await Promise.all([
        sent.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
        reads
          .selectFrom("alert_notifications")
          .leftJoin("check_alerts", "check_alerts.id", "alert_notifications.check_alert_id")
          .leftJoin("checks", "checks.id", "check_alerts.check_id")
          .selectAll("alert_notifications")
          .select([
            "checks.uuid as check_uuid",
            "check_alerts.check_type",
            "check_alerts.alert_type",
            "check_alerts.created_at as alert_created_at",
          ])
          .where("alert_notifications.id", "in", chosen)
          .orderBy("sent_at", "desc")
          .orderBy("alert_notifications.id", "desc")
          .execute(),
      ]);
      const items = rows.map((row) => ({
        id: row.id,
        about: aboutOf(row),
        channelId: row.channel_id,
        channelType: row.channel_type,
        status: row.status,
        config: JSON.parse(row.config) as Readonly<Record<string, unknown>>,
        result: row.result,
        sentAtMs: row.sent_at,
      }));
      return { items, total: Number(total) };
    },
  };
}

interface Told {
  readonly notice: string | null;
  readonly check_alert_id: number | null;
  readonly alert_created_at: number | null;
  readonly check_uuid: string | null;
  readonly check_type: CheckTypeName | null;
  readonly alert_type: CheckAlertRow["alertType"] | null;
  readonly check_result: string;
}

function aboutOf(row: Told): NotificationRow["about"] {
  const { check_alert_id: id, alert_created_at: createdAtMs, check_uuid: checkUuid, check_type: checkType, alert_type: alertType } = row;
  if (row.notice !== null) return JSON.parse(row.notice) as ToldNotice; // as `silences.ts` wrote it
  if (id === null || createdAtMs === null || checkUuid === null || checkType === null || alertType === null)
    throw new Error("a notification without its alert");
  return { id, createdAtMs, checkUuid, checkType, alertType, checkResultId: row.check_result };
}

function skipped({ page, limit }: Pick<AlertFilter, "page" | "limit">): number {
  return (page - 1) * limit;
}
