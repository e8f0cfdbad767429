import { z } from "zod";
import { withDefaults } from "../with-defaults.ts";

const reminders = {
  amount: z.literal([0, 1, 2, 3, 4, 5, 100_000]).describe("how many; 100000 goes on until recovery"),
  interval: z.literal([1, 2, 3, 4, 5, 10, 15, 30]).describe("minutes"),
};
const parallelRunFailureThreshold = {
  enabled: z.boolean(),
  percentage: z.literal([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]).describe("share of failing locations that alerts"),
};
const escalationType = z.enum(["RUN_BASED", "TIME_BASED"]);

/** These two have no default inside: an empty object comes back empty, and counts as 1 run and 5 minutes (behaviour 2.7). */
const escalations = {
  runBasedEscalation: z
    .object({ failedRunThreshold: z.literal([1, 2, 3, 4, 5]).optional().describe("failed runs in a row, 1 when omitted") })
    .optional(),
  timeBasedEscalation: z
    .object({ minutesFailingThreshold: z.literal([5, 10, 15, 30]).optional().describe("minutes, 5 when omitted") })
    .optional(),
};
/** Ours: the contract has no such field. Whom else a failure must be seen by before it is told (`domain/alerting`). */
const confirmation = z
  .enum(["NONE", "SECOND_AGENT", "SECOND_LOCATION"])
  .optional()
  .describe("who else must see a failure before it is told, NONE when omitted; without effect where there is nobody else");
const sslCertificates = z.object({ enabled: z.boolean().optional(), alertThreshold: z.int().optional().describe("days") }).optional();

/** When and how often alerts go out (spec 2.4, behaviour 2.7). Stored whole: the unused escalation round-trips too. */
export const AlertSettings = z
  .object({
    escalationType: escalationType.default("RUN_BASED"),
    ...escalations,
    reminders: z.object(withDefaults(reminders, { amount: 0, interval: 5 })).optional(),
    parallelRunFailureThreshold: z.object(withDefaults(parallelRunFailureThreshold, { enabled: false, percentage: 10 })).optional(),
    confirmation,
    sslCertificates,
  })
  .meta({ id: "AlertSettings" });
export type AlertSettings = z.output<typeof AlertSettings>;

/** Alert settings in a partial update: what is omitted, at any depth, keeps its value. */
export const AlertSettingsUpdate = z
  .object({
    escalationType: escalationType.optional(),
    ...escalations,
    reminders: z.object(reminders).partial().optional(),
    parallelRunFailureThreshold: z.object(parallelRunFailureThreshold).partial().optional(),
    confirmation,
    sslCertificates,
  })
  .meta({ id: "AlertSettingsUpdate" });
export type AlertSettingsUpdate = z.output<typeof AlertSettingsUpdate>;

export const defaultAlertSettings: AlertSettings = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
};
