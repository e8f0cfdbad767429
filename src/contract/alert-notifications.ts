import { z } from "zod";
import { AlertChannelType } from "./alert-channels.ts";
import { alertListQuery } from "./check-alerts.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { CheckTypeName, Instant, QueryBoolean, queryList, Uuid } from "./primitives.ts";

export const NotificationStatus = z.enum(["IN_PROGRESS", "SUCCESS", "FAILURE", "RATE_LIMITED"]);
export type NotificationStatus = z.infer<typeof NotificationStatus>;

/** What one channel was told of one alert, or of a location. */
export const AlertNotification = z
  .object({
    id: Uuid,
    type: AlertChannelType,
    status: NotificationStatus,
    alertConfig: z.record(z.string(), z.unknown()).describe("the channel's config then; secrets read as asterisks"),
    notificationResult: z.string().nullable().describe("what the channel's service answered, or why it could not"),
    timestamp: Instant.nullable().describe("when it was sent"),
    checkType: CheckTypeName.optional().describe("this and other members of a check are absent where a location was told of"),
    checkId: Uuid.optional(),
    checkAlertId: Uuid.optional(),
    alertChannelId: z.number().describe("the channel may be gone"),
    checkResultId: z.string().optional(),
    locationNotice: z
      .object({ type: z.enum(["AGENTS_SILENT", "AGENTS_BACK", "NO_DATA", "DATA_AGAIN"]), runLocation: z.string() })
      .optional()
      .describe("ours: what was told of a location from which no data comes"),
  })
  .meta({ id: "AlertNotification" });
export type AlertNotification = z.infer<typeof AlertNotification>;

export const listAlertNotifications = {
  id: "listAlertNotifications",
  method: "GET",
  path: "/v1/alert-notifications",
  tag: "Alert notifications",
  summary: "List what was sent to alert channels",
  description:
    "The newest first. Notifications go with the check that they tell of, not with the channel. Of locations without agents and checks without data there is one for each message.",
  example: { query: { alertChannelId: exampleIds.alertChannel, hasFailures: true, limit: 20 } },
  access: "read",
  rateLimit: "alert-notifications",
  query: z.object({
    ...alertListQuery,
    alertChannelId: z.coerce.number().int().min(1).optional().meta({ type: "integer" }),
    hasFailures: QueryBoolean.optional().describe("true: those that did not arrive (FAILURE, RATE_LIMITED); false: the others"),
    checkAlertId: queryList(z.string().max(100))
      .pipe(z.array(z.string()).min(1).max(100))
      .optional()
      .describe("ours: what was sent of these alerts"),
  }),
  output: z.array(AlertNotification),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const alertNotificationOperations = [listAlertNotifications] as const;
