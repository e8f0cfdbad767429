import { z } from "zod";
import { AlertChannelType } from "./alert-channels.ts";
import { alertListQuery, CheckAlertType } from "./check-alerts.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { CheckTypeName, Instant, Limit, Page, QueryBoolean, queryList, Uuid } from "./primitives.ts";

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
    alertType: CheckAlertType.optional().describe("ours: what the alert said"),
    alertChannelId: z.number().describe("the channel may be gone"),
    checkResultId: z.string().optional(),
    locationNotice: z
      .object({ type: z.enum(["AGENTS_SILENT", "AGENTS_BACK", "NO_DATA", "DATA_AGAIN"]), runLocation: z.string() })
      .optional()
      .describe("ours: what was told of a location from which no data comes"),
    channelNotice: z
      .object({ type: z.enum(["CHANNEL_GAVE_UP"]), alertChannelId: z.number() })
      .optional()
      .describe("ours: what was told of another channel of a check, which could not be told"),
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

/** An alert of which gave up an alert delivery. */
export const GivenUpAlert = z
  .object({
    id: z.number(),
    alertChannelId: z.number(),
    checkAlertId: Uuid.optional().describe("this and other members of an alert are absent where a location or a channel was to be told of"),
    checkId: Uuid.optional(),
    name: z.string().optional().describe("of the check"),
    alertType: CheckAlertType.optional(),
    triedSince: Instant,
    givenUpAt: Instant,
    attempts: z.int(),
    because: z.string().describe("what the channel's service answered last, or why it could not"),
  })
  .meta({ id: "GivenUpAlert" });
export type GivenUpAlert = z.infer<typeof GivenUpAlert>;

export const listGivenUpAlerts = {
  id: "listGivenUpAlerts",
  method: "GET",
  path: "/v1/alert-notifications/given-up",
  tag: "Alert notifications",
  summary: "List alerts that channels gave up",
  description: "The newest first, until they are sent again or their alerts go.",
  example: { query: { alertChannelId: exampleIds.alertChannel, limit: 20 } },
  access: "read",
  rateLimit: "standard",
  query: z.object({ limit: Limit, page: Page, alertChannelId: z.coerce.number().int().min(1).optional().meta({ type: "integer" }) }),
  output: z.array(GivenUpAlert),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const alertNotificationOperations = [listAlertNotifications, listGivenUpAlerts] as const;
