import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { CheckTypeName, Instant, Limit, Page, QueryTime, queryList, Uuid, UuidPathId } from "./primitives.ts";

/** What a check's change of state means to those who follow it (behaviour 2.7). */
export const CheckAlertType = z.enum([
  "NO_ALERT",
  "ALERT_FAILURE",
  "ALERT_FAILURE_REMAIN",
  "ALERT_FAILURE_DEGRADED",
  "ALERT_RECOVERY",
  "ALERT_DEGRADED",
  "ALERT_DEGRADED_REMAIN",
  "ALERT_DEGRADED_FAILURE",
  "ALERT_DEGRADED_RECOVERY",
  "ALERT_SSL",
]);
export type CheckAlertType = z.infer<typeof CheckAlertType>;

export const CheckAlert = z
  .object({
    id: Uuid,
    name: z.string().describe("name of the check then"),
    checkId: Uuid,
    alertType: CheckAlertType,
    checkType: CheckTypeName,
    runLocation: z.string().describe("data center location or slug name of a private location"),
    responseTime: z.number().describe("milliseconds"),
    error: z.string().nullable(),
    statusCode: z.string().nullable(),
    created_at: Instant,
    startedAt: Instant.describe("start of the run that caused it"),
    checkResultId: Uuid.nullable().describe("the run's result; null for a heartbeat. This and what follows is ours"),
    errorGroupId: Uuid.nullable().describe("the failure's error group, where the run failed for a reason that has one"),
    failingSince: Instant.nullable().describe("start of the run with which the check stopped passing"),
    failedRuns: z.int().describe("runs that did not pass since all locations passed"),
    reminder: z.int().describe("1 for the first reminder, and so on; 0: it is none"),
  })
  .meta({ id: "CheckAlert" });
export type CheckAlert = z.infer<typeof CheckAlert>;

/** Pages of what happened in a time. */
export const alertListQuery = {
  limit: Limit,
  page: Page,
  from: QueryTime.optional().describe("at or after; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant"),
  to: QueryTime.optional().describe("before; as `from`"),
};

const list = {
  tag: "Check alerts",
  rateLimit: "standard",
  method: "GET",
  description: "The newest first.",
  access: "read",
  query: z.object({
    ...alertListQuery,
    alertType: queryList(CheckAlertType).pipe(z.array(CheckAlertType).min(1)).optional().describe("ours: alerts of these types alone"),
  }),
  output: z.array(CheckAlert),
  successStatus: 200,
  paged: true,
} as const;

export const listCheckAlerts = {
  ...list,
  id: "listCheckAlerts",
  path: "/v1/check-alerts",
  summary: "List the alerts of all checks",
  example: { query: { from: "2026-05-01", to: "2026-06-01", limit: 20 } },
} as const satisfies Operation;

export const listAlertsOfCheck = {
  ...list,
  id: "listAlertsOfCheck",
  path: "/v1/check-alerts/{checkId}",
  summary: "List the alerts of one check",
  params: z.object({ checkId: UuidPathId }),
  example: { params: { checkId: exampleIds.check }, query: { limit: 20 } },
} as const satisfies Operation;

export const checkAlertOperations = [listCheckAlerts, listAlertsOfCheck] as const;
