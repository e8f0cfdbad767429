import { z } from "zod";
import { DataCenterLocation } from "../locations.ts";
import { RuntimeId } from "../runtime-catalog.ts";
import { secretField } from "../secret-fields.ts";
import { checkCreateFields, checkReadFields, checkUpdateFields, frequencies } from "./check.ts";
import { bodiesOf } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";
import { ignored, ignoredScripts, ignoredScriptsUpdate, ignoredTimes, ignoredTimesUpdate } from "./ignored.ts";

export const timeUnits = ["seconds", "minutes", "hours", "days"] as const;
export type TimeUnit = (typeof timeUnits)[number];

const unitMs: Readonly<Record<TimeUnit, number>> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
const yearMs = 365 * unitMs.days;

/** @param unit of the amount @returns milliseconds */
export function millisecondsOf(amount: number, unit: TimeUnit): number {
  return Math.round(amount * unitMs[unit]);
}

/** Bounded with its unit, below. */
const Amount = z
  .number()
  .min(0)
  .max(yearMs / 1_000);

const timing = {
  period: Amount.describe("how often a ping is expected: with its unit 30 seconds to 365 days"),
  periodUnit: z.enum(timeUnits),
  grace: Amount.describe("how much later it may come before an alert: with its unit 0 to 365 days"),
  graceUnit: z.enum(timeUnits),
};

/** Long enough not to be guessed, and safe in a URL. */
const PingToken = z.string().regex(/^[\w-]{16,100}$/, "must be 16 to 100 letters, digits, hyphens and underscores");

/** When pings of a heartbeat are expected (behaviour 2.4). Whoever knows the token can ping. */
export const HeartbeatRequest = z
  .object({
    ...timing,
    pingToken: secretField(
      "readable by writers",
      z
        .union([PingToken, z.literal("")])
        .nullable()
        .optional()
        .describe("part of the ping URL; made on creation and kept on changes when absent, null or empty"),
    ),
  })
  .refine(({ period, periodUnit }) => period < 0 || fits(millisecondsOf(period, periodUnit), 30_000), {
    path: ["period"],
    message: "and periodUnit together must be 30 seconds to 365 days",
  })
  .refine(({ grace, graceUnit }) => grace < 0 || fits(millisecondsOf(grace, graceUnit), 0), {
    path: ["grace"],
    message: "and graceUnit together must be 0 seconds to 365 days",
  })
  .meta({ id: "HeartbeatRequest" });
export type HeartbeatRequest = z.output<typeof HeartbeatRequest>;

/** What is negative was told before. */
function fits(ms: number, leastMs: number): boolean {
  return ms >= leastMs && ms <= yearMs;
}

/** The same in answers. */
export const Heartbeat = z
  .object({ ...timing, pingToken: z.string().nullable(), pingUrl: z.string().describe("where pings go: GET, POST or HEAD") })
  .meta({ id: "Heartbeat" });
export type Heartbeat = z.output<typeof Heartbeat>;

/** The fields of every check that mean something for a heartbeat: it runs nowhere and is never retried. */
function meaningful<Fields extends Record<Unused, unknown>>(fields: Fields): Omit<Fields, Unused> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !unused.includes(name as Unused))) as Omit<Fields, Unused>;
}

const unused = [
  "doubleCheck",
  "shouldFail",
  "runtimeId",
  "locations",
  "privateLocations",
  "retryStrategy",
  "frequency",
  "frequencyOffset",
] as const;
type Unused = (typeof unused)[number];

const unusedFields = {
  doubleCheck: z.boolean(),
  shouldFail: z.boolean(),
  locations: z.array(DataCenterLocation).nullable(),
  runtimeId: RuntimeId.nullable(),
  frequency: z.literal(frequencies),
};
const ignoredAlways = { frequencyOffset: ignored(z.int().min(1)), request: ignored(z.looseObject({}).nullable()) };
const ignoredOnCreate = {
  ...ignoredScripts,
  ...ignoredTimes,
  ...ignoredAlways,
  doubleCheck: ignored(unusedFields.doubleCheck.default(true)),
  shouldFail: ignored(unusedFields.shouldFail.default(false)),
  locations: ignored(unusedFields.locations.default([])),
  runtimeId: ignored(unusedFields.runtimeId.default(null)),
  frequency: ignored(unusedFields.frequency.default(10)),
};
const ignoredOnUpdate = {
  ...ignoredScriptsUpdate,
  ...ignoredTimesUpdate,
  ...ignoredAlways,
  ...Object.fromEntries(Object.entries(unusedFields).map(([name, schema]) => [name, ignored(schema)])),
};

/** The schemas of heartbeats (behaviour 2.4). */
export const heartbeatCheck = bodiesOf("HEARTBEAT", {
  id: "HeartbeatCheck",
  title: "heartbeat",
  // What is only accepted is dropped by its schema, so the types need not know it.
  create: { ...(ignoredOnCreate as Record<never, never>), ...meaningful(checkCreateFields), heartbeat: HeartbeatRequest },
  update: { ...(ignoredOnUpdate as Record<never, never>), ...meaningful(checkUpdateFields), heartbeat: HeartbeatRequest },
  read: {
    ...meaningful(checkReadFields),
    locations: checkReadFields.locations.describe("always empty"),
    privateLocations: checkReadFields.privateLocations.describe("always empty"),
    heartbeat: Heartbeat,
  },
});

export const heartbeatTraits = {
  ...probeTraits,
  results: "pings",
  request: null,
  duration: null,
  shownTime: null,
  summary: [],
} as const satisfies CheckTraits;
