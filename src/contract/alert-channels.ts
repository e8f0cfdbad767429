import { z } from "zod";
import {
  CallConfig,
  EmailConfig,
  OpsgenieConfig,
  PagerdutyConfig,
  SlackAppConfig,
  SlackConfig,
  SmsConfig,
  WebhookConfig,
} from "./alert-channel-configs.ts";
import { namesOne } from "./check-or-group.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Limit, NumberPathId, Page, Uuid } from "./primitives.ts";
import { ProjectBindings } from "./project-bindings.ts";
import { readOnly } from "./read-only.ts";

export const AlertChannelType = z.enum(["EMAIL", "SLACK", "SLACK_APP", "WEBHOOK", "SMS", "PAGERDUTY", "OPSGENIE", "CALL"]);
export type AlertChannelType = z.infer<typeof AlertChannelType>;

/** What a channel tells of: a check or a group. */
export const ChannelSubscription = z
  .object({
    id: z.number(),
    checkId: z.string().nullable(),
    groupId: z.number().nullable(),
    activated: z.boolean(),
  })
  .meta({ id: "ChannelSubscription" });
export type ChannelSubscription = z.infer<typeof ChannelSubscription>;

/** The same as a body names it; exactly one of checkId and groupId, which the resource sees to. */
export const ChannelSubscriptionInput = z
  .object({
    id: readOnly(z.number().nullable()),
    checkId: z.string().max(100).nullish().describe("a check of the account; without it groupId must be given"),
    groupId: z.int().nullish().describe("a check group of the account; without it checkId must be given"),
    activated: z.boolean(),
  })
  .meta({ id: "ChannelSubscriptionInput", ...namesOne() });
export type ChannelSubscriptionInput = z.output<typeof ChannelSubscriptionInput>;

/** Also of channels of earlier releases. */
export const defaultRetryHours = 24;

const settings = {
  sendRecovery: z.boolean().describe("tell of recoveries"),
  sendFailure: z.boolean().describe("tell of failures"),
  sendDegraded: z.boolean().describe("tell of degradations"),
  sslExpiry: z.boolean().describe("tell of certificates that expire"),
  sslExpiryThreshold: z.int().min(1).max(30).describe("days before a certificate expires"),
  retryHours: z
    .int()
    .min(0)
    .max(72)
    .describe("ours: hours for which a message is tried again with growing pauses, until it is given up; 0: one attempt"),
  autoSubscribe: z.boolean().describe("subscribe the channel to every check and group that is created later"),
};

const written = {
  subscriptions: z.array(ChannelSubscriptionInput).max(20_000).optional().describe("replaces all; when omitted they stay as they are"),
  sendRecovery: settings.sendRecovery.default(true),
  sendFailure: settings.sendFailure.default(true),
  sendDegraded: settings.sendDegraded.default(true),
  sslExpiry: settings.sslExpiry.default(false),
  sslExpiryThreshold: settings.sslExpiryThreshold.default(30),
  retryHours: settings.retryHours.default(defaultRetryHours),
  autoSubscribe: settings.autoSubscribe.default(false),
};

/** The body of a creation or a replacement; its type decides its config (behaviour 2.7). */
export const AlertChannelWrite = z
  .discriminatedUnion("type", [
    z.object({ ...written, type: z.literal("EMAIL"), config: EmailConfig }),
    z.object({ ...written, type: z.literal("SLACK"), config: SlackConfig }),
    z.object({ ...written, type: z.literal("SLACK_APP"), config: SlackAppConfig }),
    z.object({ ...written, type: z.literal("WEBHOOK"), config: WebhookConfig }),
    z.object({ ...written, type: z.literal("SMS"), config: SmsConfig }),
    z.object({ ...written, type: z.literal("PAGERDUTY"), config: PagerdutyConfig }),
    z.object({ ...written, type: z.literal("OPSGENIE"), config: OpsgenieConfig }),
    z.object({ ...written, type: z.literal("CALL"), config: CallConfig }),
  ])
  .meta({ id: "AlertChannelWrite" });
export type AlertChannelWrite = z.output<typeof AlertChannelWrite>;

const stored = {
  id: z.number(),
  type: AlertChannelType,
  config: z
    .union([WebhookConfig, OpsgenieConfig, PagerdutyConfig, SlackAppConfig, SlackConfig, SmsConfig, CallConfig, EmailConfig])
    .describe("as its type has it; secrets read as asterisks"),
  subscriptions: z.array(ChannelSubscription).describe("the oldest first"),
  ...settings,
  created_at: Instant,
  updated_at: Instant.nullable(),
};

/** A channel as creation and replacement answer it. */
export const AlertChannel = z.object(stored).meta({ id: "AlertChannel" });
export type AlertChannel = z.infer<typeof AlertChannel>;

export const ReadAlertChannel = z.object({ ...stored, projectBindings: ProjectBindings }).meta({ id: "ReadAlertChannel" });
export type ReadAlertChannel = z.infer<typeof ReadAlertChannel>;

const common = { tag: "Alert channels", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ id: NumberPathId }) } as const;
const secrets =
  "Secrets (serviceKey, apiKey, webhookSecret, locked headers and parameters) are stored sealed and read as asterisks; asterisks sent back keep them.";
const example = {
  type: "WEBHOOK",
  config: {
    name: "Chat",
    url: "https://chat.example.com/hooks/on-call",
    method: "POST",
    template: '{"text": "{{ALERT_TITLE}}"}',
    webhookSecret: "d5f0a2b641c94f7e",
    headers: [{ key: "content-type", value: "application/json" }],
  },
  subscriptions: [{ checkId: exampleIds.check, activated: true }],
  sendDegraded: false,
};

export const listAlertChannels = {
  ...common,
  id: "listAlertChannels",
  method: "GET",
  path: "/v1/alert-channels",
  summary: "List alert channels with their subscriptions",
  description: "The oldest first.",
  example: { query: { limit: 10, page: 1 } },
  access: "read",
  query: z.object({ limit: Limit, page: Page }),
  output: z.array(ReadAlertChannel),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const createAlertChannel = {
  ...common,
  id: "createAlertChannel",
  method: "POST",
  path: "/v1/alert-channels",
  summary: "Create an alert channel",
  description: `An account has at most 1,000 alert channels. Checks that exist already are subscribed only where \`subscriptions\` names them. ${secrets}`,
  example: { body: example },
  access: "write",
  body: AlertChannelWrite,
  output: AlertChannel,
  successStatus: 201,
} as const satisfies Operation;

export const getAlertChannel = {
  ...byId,
  id: "getAlertChannel",
  method: "GET",
  path: "/v1/alert-channels/{id}",
  summary: "Read an alert channel",
  description: secrets,
  example: { params: { id: exampleIds.alertChannel } },
  access: "read",
  output: ReadAlertChannel,
  successStatus: 200,
} as const satisfies Operation;

export const updateAlertChannel = {
  ...byId,
  id: "updateAlertChannel",
  method: "PUT",
  path: "/v1/alert-channels/{id}",
  summary: "Replace an alert channel",
  description: `What is omitted gets its default; omitted subscriptions stay, since checks and groups write them too. ${secrets}`,
  example: { params: { id: exampleIds.alertChannel }, body: example },
  access: "write",
  body: AlertChannelWrite,
  output: AlertChannel,
  successStatus: 200,
} as const satisfies Operation;

export const subscribeAlertChannel = {
  ...byId,
  id: "subscribeAlertChannel",
  method: "PUT",
  path: "/v1/alert-channels/{id}/subscriptions",
  summary: "Subscribe an alert channel to one check or group",
  description: "Changes the subscription where there is one; the channel's others stay. Not activated, it is kept and tells nothing.",
  example: { params: { id: exampleIds.alertChannel }, body: { checkId: exampleIds.check, activated: true } },
  access: "write",
  body: ChannelSubscriptionInput.omit({ id: true }).meta({ id: "ChannelSubscriptionWrite", ...namesOne() }),
  output: ChannelSubscription,
  successStatus: 200,
} as const satisfies Operation;

/** What came of a message that was sent to try a channel. */
export const AlertChannelTest = z
  .object({
    status: z.enum(["SUCCESS", "FAILURE"]),
    notificationResult: z.string().describe("what the channel's service answered, or why it could not"),
    deliveryId: Uuid.describe("as the service got it"),
  })
  .meta({ id: "AlertChannelTest" });
export type AlertChannelTest = z.infer<typeof AlertChannelTest>;

export const testAlertChannel = {
  ...byId,
  id: "testAlertChannel",
  method: "POST",
  path: "/v1/alert-channels/{id}/test",
  summary: "Send a sample to an alert channel",
  description:
    "One message that says that it is a sample, sent at once as an alert would be, whatever the channel's switches say. Nothing is repeated, and nothing is added to the list of notifications, which tells of checks.",
  example: { params: { id: exampleIds.alertChannel } },
  access: "write",
  output: AlertChannelTest,
  successStatus: 200,
} as const satisfies Operation;

export const sendGivenUpAgain = {
  ...byId,
  id: "sendGivenUpAgain",
  method: "POST",
  path: "/v1/alert-channels/{id}/send-again",
  summary: "Send again what an alert channel gave up",
  description:
    "All of it, at most 10,000 alerts, as if they were new: ten or more become one message. What is given up again comes back to the list.",
  example: { params: { id: exampleIds.alertChannel } },
  access: "write",
  output: z.object({ alerts: z.int().describe("how many are sent again") }).meta({ id: "SentAgain" }),
  successStatus: 200,
} as const satisfies Operation;

export const deleteAlertChannel = {
  ...byId,
  id: "deleteAlertChannel",
  method: "DELETE",
  path: "/v1/alert-channels/{id}",
  summary: "Delete an alert channel with its subscriptions",
  description: "Notifications that it sent stay in their list.",
  example: { params: { id: exampleIds.alertChannel } },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const alertChannelOperations = [
  listAlertChannels,
  createAlertChannel,
  getAlertChannel,
  updateAlertChannel,
  subscribeAlertChannel,
  testAlertChannel,
  sendGivenUpAgain,
  deleteAlertChannel,
] as const;
