import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Limit, NumberPathId, Page, QueryTime } from "./primitives.ts";
import { ProjectBindings } from "./project-bindings.ts";

/** A day, a local time or an instant; what a user sends comes back exactly so (behaviour 1). */
export const MaintenanceTime = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true }).max(64)]);

const severity = z.enum(["MINOR", "MEDIUM", "MAJOR", "CRITICAL"]);
const flag = z.boolean();
const on = flag.default(true);
const off = flag.default(false);
const ids = z.array(z.string().min(1).max(100)).max(500);

/** How status pages show a window. */
const VisibilityInput = z.object({
  enabled: off.describe("status pages show its maintenances"),
  severity: severity.nullish(),
  affectAllServices: off,
  notifyOnStart: off,
  notifyOnEnd: off,
  suppressAutoIncidents: off.describe("checks that fail meanwhile open no incident"),
  reminderMinutesBefore: z.array(z.int().min(60).max(10_080)).max(3).default([]).describe("minutes before its start"),
  autoStart: on.describe("a maintenance is in progress from its start on; false: once an update says so"),
  autoEnd: on.describe("a maintenance is completed at its end; false: once an update says so"),
  showAffectedServices: on,
  statusPageIds: ids.default([]),
  serviceIds: ids.default([]),
});

const Visibility = z
  .object({
    enabled: flag,
    severity: severity.nullable(),
    affectAllServices: flag,
    suppressAutoIncidents: flag,
    notifyOnStart: flag,
    notifyOnEnd: flag,
    reminderMinutesBefore: z.array(z.int()),
    autoStart: flag,
    autoEnd: flag,
    showAffectedServices: flag,
    statusPageIds: z.array(z.string()),
    serviceIds: z.array(z.string()),
  })
  .meta({ id: "MaintenanceVisibility" });
export type MaintenanceVisibility = z.infer<typeof Visibility>;

const RepeatUnit = z.enum(["DAY", "WEEK", "MONTH"]);
const tags = z.array(z.string().min(1).max(255)).max(500).default([]);
const times = {
  name: z.string().min(1).max(200),
  startsAt: MaintenanceTime.describe("a day or a time without offset counts in `timezone`"),
  endsAt: MaintenanceTime.describe("not included; a day means its beginning"),
};
const replaced = {
  tags: tags.describe("scheduled runs of checks that carry one of them pause; triggered ones go on"),
  repeatInterval: z.int().min(1).max(365).nullable().default(null).describe("it repeats every so many repeatUnits; null: never"),
  repeatUnit: RepeatUnit.or(z.literal("")).nullish().describe("DAY, WEEK or MONTH; without effect where repeatInterval is null"),
  repeatEndsAt: MaintenanceTime.nullish().describe("no repetition starts later; a day is included"),
  timezone: z.string().max(64).nullish().describe("IANA name; repetitions keep their local time in it; null: UTC"),
  pauseAllChecks: off.describe("scheduled runs of all checks pause"),
  silenceAlertsTags: tags.describe("checks that carry one of them run, and alert nobody"),
  silenceAllAlerts: off.describe("no check alerts anybody"),
  description: z.string().max(2000).nullable().default(null),
  statusPageVisibility: VisibilityInput.prefault({}),
};

/** The reference requires repeatUnit of everybody; clients that leave it out mean no repetition, and are not refused. */
export const MaintenanceWindowCreate = z
  .object({ ...times, ...replaced })
  .meta({ id: "MaintenanceWindowCreate", required: ["name", "startsAt", "endsAt", "repeatUnit"] });
export type MaintenanceWindowCreate = z.output<typeof MaintenanceWindowCreate>;

export const MaintenanceWindowReplacement = z
  .object({ ...z.object(times).partial().shape, ...replaced })
  .meta({ id: "MaintenanceWindowReplacement" });

export const MaintenanceWindow = z
  .object({
    id: z.number(),
    name: z.string(),
    tags: z.array(z.string()),
    startsAt: z.string(),
    endsAt: z.string(),
    repeatInterval: z.number().nullable(),
    repeatUnit: RepeatUnit.nullable(),
    repeatEndsAt: z.string().nullable(),
    timezone: z.string().nullable(),
    description: z.string().nullable(),
    statusPageVisibility: Visibility,
    pauseAllChecks: flag,
    silenceAlertsTags: z.array(z.string()),
    silenceAllAlerts: flag,
    created_at: Instant,
    updated_at: Instant.nullable(),
    projectBindings: ProjectBindings,
  })
  .meta({ id: "MaintenanceWindow" });
export type MaintenanceWindow = z.infer<typeof MaintenanceWindow>;

const edge = QueryTime.optional();
/** One of the four at least; all that are given count. */
const Comparison = z.union([
  z.object({ gt: QueryTime, gte: edge, lt: edge, lte: edge }),
  z.object({ gt: edge, gte: QueryTime, lt: edge, lte: edge }),
  z.object({ gt: edge, gte: edge, lt: QueryTime, lte: edge }),
  z.object({ gt: edge, gte: edge, lt: edge, lte: QueryTime }),
]);
export type TimeComparison = z.output<typeof Comparison>;

const common = { tag: "Maintenance windows", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ id: NumberPathId }) } as const;
const example = {
  name: "Database updates",
  tags: ["database"],
  startsAt: "2026-05-03T02:00:00+02:00",
  endsAt: "2026-05-03T04:00:00+02:00",
  repeatInterval: 1,
  repeatUnit: "MONTH",
  timezone: "Europe/Berlin",
  silenceAlertsTags: ["shop"],
};

export const listMaintenanceWindows = {
  ...common,
  id: "listMaintenanceWindows",
  method: "GET",
  path: "/v1/maintenance-windows",
  summary: "List maintenance windows",
  description: "The oldest first. A filter is written startsAt[gte]=2026-05-01 and sees a window's own times, not its repetitions.",
  example: { query: { "startsAt[gte]": "2026-01-01", limit: 20 } },
  access: "read",
  query: z.object({
    limit: Limit,
    page: Page,
    startsAt: Comparison.optional().describe("windows that start then: startsAt[gt], [gte], [lt] or [lte]"),
    endsAt: Comparison.optional().describe("windows that end then"),
  }),
  output: z.array(MaintenanceWindow),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const createMaintenanceWindow = {
  ...common,
  id: "createMaintenanceWindow",
  method: "POST",
  path: "/v1/maintenance-windows",
  summary: "Create a maintenance window",
  description:
    "Repetitions keep their local time over changes of DST. On the 31st it happens on the last day of shorter months. What happens in which occurrence is told by its maintenances.",
  example: { body: example },
  access: "write",
  body: MaintenanceWindowCreate,
  output: MaintenanceWindow,
  successStatus: 201,
} as const satisfies Operation;

export const getMaintenanceWindow = {
  ...byId,
  id: "getMaintenanceWindow",
  method: "GET",
  path: "/v1/maintenance-windows/{id}",
  summary: "Read a maintenance window",
  example: { params: { id: exampleIds.maintenanceWindow } },
  access: "read",
  output: MaintenanceWindow,
  successStatus: 200,
} as const satisfies Operation;

export const updateMaintenanceWindow = {
  ...byId,
  id: "updateMaintenanceWindow",
  method: "PUT",
  path: "/v1/maintenance-windows/{id}",
  summary: "Replace a maintenance window",
  description:
    "Name, startsAt and endsAt stay when omitted; everything else gets its default. New times of a window that repeats plan its maintenances anew: those that began stay, and changes to later ones are gone.",
  example: { params: { id: exampleIds.maintenanceWindow }, body: example },
  access: "write",
  body: MaintenanceWindowReplacement,
  output: MaintenanceWindow,
  successStatus: 200,
} as const satisfies Operation;

export const deleteMaintenanceWindow = {
  ...byId,
  id: "deleteMaintenanceWindow",
  method: "DELETE",
  path: "/v1/maintenance-windows/{id}",
  summary: "Delete a maintenance window with its maintenances",
  example: { params: { id: exampleIds.maintenanceWindow } },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const maintenanceWindowOperations = [
  listMaintenanceWindows,
  createMaintenanceWindow,
  getMaintenanceWindow,
  updateMaintenanceWindow,
  deleteMaintenanceWindow,
] as const;
