import { z } from "zod";
import { WebhookMethod } from "../alert-channel-configs.ts";
import { DataCenterLocation } from "../locations.ts";
import { Instant, Uuid } from "../primitives.ts";
import { ProjectBindings } from "../project-bindings.ts";
import { RuntimeId } from "../runtime-catalog.ts";
import { withDefaults } from "../with-defaults.ts";
import { AlertSettings, AlertSettingsUpdate, defaultAlertSettings } from "./alert-settings.ts";
import { CheckIntent, CheckIntentV3 } from "./intent.ts";
import { RetryStrategy, RetryStrategyUpdate } from "./retry-strategy.ts";

/** Minutes between runs; 0 runs every `frequencyOffset` seconds (spec 2.10). */
export const frequencies = [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const;

/** Spec 2.7. */
export const AlertChannelSubscription = z
  .object({ alertChannelId: z.int(), activated: z.boolean() })
  .meta({ id: "AlertChannelSubscription" });
export type AlertChannelSubscription = z.output<typeof AlertChannelSubscription>;

/** The status page incident that an alerting check opens and resolves (spec 2.6, which knows no severity; behaviour 2.7). */
export const TriggerIncident = z
  .object({
    serviceId: z.guid().min(1),
    severity: z.enum(["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]).default("MINOR"),
    name: z.string().max(255),
    description: z.string().max(10_000),
    notifySubscribers: z.boolean(),
  })
  .meta({ id: "TriggerIncident" });
export type TriggerIncident = z.output<typeof TriggerIncident>;

const KeyValueRead = z.object({ key: z.string(), value: z.string(), locked: z.boolean() });

/** The channels a check is subscribed to, read-only (spec 2.8). */
export const CheckAlertChannels = z
  .object({
    email: z.array(z.object({ address: z.string() })),
    webhook: z.array(
      z.object({
        name: z.string(),
        url: z.string(),
        method: WebhookMethod,
        headers: z.array(KeyValueRead),
        queryParameters: z.array(KeyValueRead),
      }),
    ),
    slack: z.array(z.object({ url: z.string() })),
    sms: z.array(z.object({ number: z.string(), name: z.string() })),
  })
  .meta({ id: "CheckAlertChannels" });
export type CheckAlertChannels = z.output<typeof CheckAlertChannels>;

/** One run goes to all locations at once: as many as a session has jobs (`storage/numbers`). */
const maxLocations = 128;

/** What every check can be told, without defaults (spec 2.10). */
const writable = {
  name: z.string().min(1).max(255),
  activated: z.boolean().describe("whether the check runs; an activated check needs a location of its own or its group's"),
  muted: z.boolean().describe("no notifications"),
  doubleCheck: z.boolean().describe("deprecated: retryStrategy replaces it"),
  shouldFail: z
    .boolean()
    .describe(
      "API, URL: a status of 400 or more passes; TCP: a closed port does; BROWSER, MULTI_STEP: a script that fails does; without effect on other types",
    ),
  locations: z.array(DataCenterLocation).max(maxLocations).nullable(),
  privateLocations: z.array(z.string().min(1).max(255)).max(maxLocations).nullable().describe("slug names of private locations"),
  tags: z.array(z.string().min(1).max(255)).max(500),
  useGlobalAlertSettings: z.boolean().describe("the account's alert settings apply instead of the check's"),
  groupId: z.int().nullable(),
  groupOrder: z.number().min(0).max(1_000_000_000).nullable().describe("order of the runs when the group is triggered"),
  runtimeId: RuntimeId.nullable(),
  alertChannelSubscriptions: z.array(AlertChannelSubscription).max(1000),
  triggerIncident: TriggerIncident.nullable(),
  runParallel: z.boolean().describe("true runs at all locations each time, false at the next one"),
  description: z.string().max(500).nullable(),
  frequency: z.literal(frequencies).describe("minutes between runs; 0 runs every frequencyOffset seconds"),
  /** The rule spans two fields, so the resource checks it; the pure rule is the domain's. */
  frequencyOffset: z
    .int()
    .min(1)
    .describe("assigned when omitted; frequency 0: 10, 20 or 30 (seconds); up to 60: 1..frequency*10; above: 1..ceil(frequency/60)"),
  intent: CheckIntent.nullable(),
  aiAutoRepairEnabled: z.boolean().nullable().describe("kept and given back; nothing acts upon it"),
};

/** Writable fields of a creation. The optional ones stay absent when omitted: the server decides them, or null means something else. */
export const checkCreateFields = {
  ...withDefaults(writable, {
    activated: true,
    muted: false,
    doubleCheck: true,
    shouldFail: false,
    locations: [],
    tags: [],
    useGlobalAlertSettings: true,
    groupId: null,
    groupOrder: null,
    runtimeId: null,
    runParallel: false,
    description: null,
    frequency: 10,
    intent: null,
    aiAutoRepairEnabled: null,
  }),
  alertSettings: AlertSettings.nullable().default(defaultAlertSettings),
  retryStrategy: RetryStrategy.nullable().optional().describe("null: no retries; omitted: doubleCheck decides"),
  frequencyOffset: writable.frequencyOffset.optional(),
  privateLocations: writable.privateLocations.optional(),
  alertChannelSubscriptions: writable.alertChannelSubscriptions.optional(),
  triggerIncident: writable.triggerIncident.optional(),
};

/**
 * Writable fields of an update, to be made `partial()`: what is omitted keeps its value. Everything that is sent replaces: `groupId: null` leaves the group, `[]` clears the locations (behaviour 1).
 */
export const checkUpdateFields = {
  ...writable,
  alertSettings: AlertSettingsUpdate.nullable(),
  retryStrategy: RetryStrategyUpdate.nullable(),
};

/** What every read of a check carries. */
export const checkReadFields = {
  id: Uuid,
  ...writable,
  alertSettings: AlertSettings.nullable(),
  retryStrategy: RetryStrategy.nullable().optional().describe("absent: doubleCheck decides"),
  alertChannels: CheckAlertChannels,
  created_at: Instant,
  updated_at: Instant.nullable(),
};

/** What GET adds in v2 and v3. */
export const readFieldsV2 = { projectBindings: ProjectBindings.optional() };

/** What GET adds in v1: its owner once more. */
export const readFieldsV1 = {
  ...readFieldsV2,
  project: z.object({ id: z.string(), logicalId: z.string(), name: z.string() }).nullable().optional(),
  logicalId: z.string().nullable().optional(),
  member: z.boolean().nullable().optional(),
  pending: z.boolean().nullable().optional(),
};

/** What GET changes in v3. */
export const readFieldsV3 = { ...readFieldsV2, intent: CheckIntentV3.nullable() };
