import { type AlertNotification, listAlertNotifications } from "#contract/alert-notifications.ts";
import { type CheckAlert, type CheckAlertType, listAlertsOfCheck, listCheckAlerts } from "#contract/check-alerts.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { type Handler, handler } from "../http/handler.ts";
import { alertIdOf, alertUuid, errorGroupUuid, notificationUuid, resultUuidOf } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import type {
  AlertFilter,
  AlertNotificationStore,
  CheckAlertRow,
  CheckAlertStore,
  CheckStore,
  NotificationRow,
} from "../storage/storage.ts";
import { findCheck } from "./find-check.ts";

export interface CheckAlertDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly checkAlerts: Pick<CheckAlertStore, "list">;
  readonly alertNotifications: Pick<AlertNotificationStore, "list">;
}

/** Alerts, and what was sent of them. */
export function checkAlertHandlers({ checks, checkAlerts, alertNotifications }: CheckAlertDeps): readonly Handler[] {
  return [
    handler(listCheckAlerts, async ({ query }, { caller }) => {
      const { items, total } = await checkAlerts.list(caller.account.id, { ...filterOf(query), ...ofTypes(query) });
      return { items: items.map(alertView), total };
    }),
    handler(listAlertsOfCheck, async ({ params, query }, { caller }) => {
      const check = await findCheck(checks, caller.account.id, params.checkId);
      const { items, total } = await checkAlerts.list(caller.account.id, { ...filterOf(query), ...ofTypes(query), checkId: check.id });
      return { items: items.map(alertView), total };
    }),
    handler(listAlertNotifications, async ({ query }, { caller }) => {
      // Nothing has the number 0.
      const { alertChannelId, hasFailures, checkAlertId } = query;
      const { items, total } = await alertNotifications.list(caller.account.id, {
        ...filterOf(query),
        ...(alertChannelId !== undefined && { channelId: alertChannelId }),
        ...(hasFailures !== undefined && { failed: hasFailures }),
        ...(checkAlertId !== undefined && { alertIds: checkAlertId.map((id) => alertIdOf(id) ?? 0) }),
      });
      return { items: items.map(notificationView), total };
    }),
  ];
}

interface ListQuery {
  readonly page: number;
  readonly limit: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

function filterOf({ page, limit, from, to }: ListQuery): AlertFilter {
  if (from !== undefined && to !== undefined && from > to)
    throw invalidInput([{ path: "from", message: `must not be after "to"; received ${instant(from)} and ${instant(to)}` }]);
  return { page, limit, ...(from !== undefined && { fromMs: from }), ...(to !== undefined && { toMs: to }) };
}

function ofTypes({ alertType }: { readonly alertType?: readonly CheckAlertType[] | undefined }) {
  return alertType !== undefined && { types: alertType };
}

function alertView(row: CheckAlertRow): CheckAlert {
  const { name, alertType, checkType, runLocation, responseTime, error, statusCode } = row;
  return {
    id: alertUuid(row),
    name,
    checkId: row.checkUuid,
    alertType,
    checkType,
    runLocation,
    responseTime,
    error,
    statusCode,
    created_at: instant(row.createdAtMs),
    startedAt: instant(row.startedAtMs),
    checkResultId: row.result === null ? null : resultUuidOf(row.result),
    errorGroupId: row.errorGroup === null ? null : errorGroupUuid(row.errorGroup),
    failingSince: row.failingSinceMs === null ? null : instant(row.failingSinceMs),
    failedRuns: row.failedRuns,
    reminder: row.reminder,
  };
}

function notificationView(row: NotificationRow): AlertNotification {
  return {
    id: notificationUuid(row),
    type: row.channelType,
    status: row.status,
    alertConfig: row.config,
    notificationResult: row.result,
    timestamp: instant(row.sentAtMs),
    alertChannelId: row.channelId,
    ...aboutView(row.about),
  };
}

function aboutView(about: NotificationRow["about"]): Partial<AlertNotification> {
  if ("kind" in about && about.kind === "CHANNEL_GAVE_UP") return { channelNotice: { type: about.kind, alertChannelId: about.channel.id } };
  if ("kind" in about) return { locationNotice: { type: about.kind, runLocation: about.location.code } };
  const { checkType, checkUuid, alertType, checkResultId } = about;
  return { checkType, alertType, checkId: checkUuid, checkAlertId: alertUuid(about), checkResultId };
}
