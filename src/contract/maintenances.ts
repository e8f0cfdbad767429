import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import { MaintenanceTime } from "./maintenance-windows.ts";
import type { Operation } from "./operation.ts";
import { Instant, NumberPathId, Page, Uuid, UuidPathId } from "./primitives.ts";

/*
 * A maintenance is one occurrence of a maintenance window: it can be moved, told about and called off without its window.
 */

export const MaintenanceStatus = z.enum(["SCHEDULED", "IN_PROGRESS", "VERIFYING", "COMPLETED", "CANCELLED"]);
export type MaintenanceStatus = z.infer<typeof MaintenanceStatus>;

const windowId = z.number();

export const MaintenanceUpdate = z
  .object({
    id: Uuid,
    maintenanceWindowId: windowId,
    maintenanceId: Uuid,
    status: MaintenanceStatus,
    description: z.string(),
    notifySubscribers: z.boolean(),
    created_at: Instant,
    previousStatus: MaintenanceStatus.nullable(),
    previousStartsAt: z.string().nullable(),
    previousEndsAt: z.string().nullable(),
    dateAdjustments: z
      .object({ startsAt: z.string().optional(), endsAt: z.string().optional() })
      .nullable()
      .describe("what an early start or end made of the maintenance's times"),
  })
  .meta({ id: "MaintenanceUpdate" });
export type MaintenanceUpdate = z.infer<typeof MaintenanceUpdate>;

export const Maintenance = z
  .object({
    id: Uuid,
    maintenanceWindowId: windowId,
    startsAt: z.string(),
    endsAt: z.string(),
    status: MaintenanceStatus,
    created_at: Instant,
    updated_at: Instant,
    updates: z.array(MaintenanceUpdate).describe("the newest first"),
  })
  .meta({ id: "Maintenance" });
export type Maintenance = z.infer<typeof Maintenance>;

const description = z.string().max(2000);
const NewUpdate = z
  .object({ status: MaintenanceStatus, description, notifySubscribers: z.boolean().default(false) })
  .meta({ id: "MaintenanceUpdateCreate" });

const common = { tag: "Maintenance windows", rateLimit: "standard" } as const;
const one = { ...common, params: z.object({ id: NumberPathId, maintenanceId: UuidPathId }) } as const;
const oneUpdate = { ...common, params: z.object({ id: NumberPathId, maintenanceId: UuidPathId, updateId: UuidPathId }) } as const;
const exampleParams = { id: exampleIds.maintenanceWindow, maintenanceId: exampleIds.maintenance };
const exampleUpdateParams = { ...exampleParams, updateId: exampleIds.maintenanceUpdate };

export const listMaintenances = {
  ...common,
  id: "listMaintenances",
  method: "GET",
  path: "/v1/maintenance-windows/{id}/maintenances",
  summary: "List the maintenances of a window",
  description:
    "First those that go on or come, the next one first: the next 25 and any that was moved. Then those that are over, the latest first: the last 100 and any that was moved or told about.",
  example: { params: { id: exampleIds.maintenanceWindow }, query: { limit: 5 } },
  access: "read",
  params: z.object({ id: NumberPathId }),
  query: z.object({
    page: Page.meta({ minimum: 1 }),
    limit: z.coerce.number().int().min(1).max(50).default(10).describe("entries per answer"),
  }),
  output: z.array(Maintenance),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const getMaintenance = {
  ...one,
  id: "getMaintenance",
  method: "GET",
  path: "/v1/maintenance-windows/{id}/maintenances/{maintenanceId}",
  summary: "Read a maintenance with its updates",
  example: { params: exampleParams },
  access: "read",
  output: Maintenance,
  successStatus: 200,
} as const satisfies Operation;

export const moveMaintenance = {
  ...one,
  id: "moveMaintenance",
  method: "PATCH",
  path: "/v1/maintenance-windows/{id}/maintenances/{maintenanceId}",
  summary: "Move a maintenance to other times; its window stays",
  description: "What is omitted stays. One that an update completed or cancelled is not moved any more.",
  example: { params: exampleParams, body: { endsAt: "2036-05-03T05:00:00+02:00" } },
  access: "write",
  body: z.object({ startsAt: MaintenanceTime.optional(), endsAt: MaintenanceTime.optional() }).meta({ id: "MaintenanceMove" }),
  output: Maintenance,
  successStatus: 200,
  errors: [409],
} as const satisfies Operation;

export const deleteMaintenance = {
  ...one,
  id: "deleteMaintenance",
  method: "DELETE",
  path: "/v1/maintenance-windows/{id}/maintenances/{maintenanceId}",
  summary: "Delete a maintenance: this occurrence of its window does not happen",
  example: { params: exampleParams },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const createMaintenanceUpdate = {
  ...one,
  id: "createMaintenanceUpdate",
  method: "POST",
  path: "/v1/maintenance-windows/{id}/maintenances/{maintenanceId}/updates",
  summary: "Tell how a maintenance goes",
  description:
    "IN_PROGRESS or VERIFYING before its start moves the start to now, COMPLETED before its end the end. A maintenance that is over takes only updates of the same status.",
  example: { params: exampleParams, body: { status: "SCHEDULED", description: "The shop will be read-only.", notifySubscribers: true } },
  access: "write",
  body: NewUpdate,
  output: MaintenanceUpdate,
  successStatus: 201,
  errors: [409],
} as const satisfies Operation;

export const changeMaintenanceUpdate = {
  ...oneUpdate,
  id: "changeMaintenanceUpdate",
  method: "PUT",
  path: "/v1/maintenance-windows/{id}/maintenances/{maintenanceId}/updates/{updateId}",
  summary: "Change what an update tells",
  description: "A new status counts, where the update is the newest one, as if it had been told at first.",
  example: { params: exampleUpdateParams, body: { description: "The shop will be read-only for ten minutes." } },
  access: "write",
  body: z.object({ status: MaintenanceStatus.optional(), description }).meta({ id: "MaintenanceUpdateChange" }),
  output: MaintenanceUpdate,
  successStatus: 200,
  errors: [409],
} as const satisfies Operation;

export const deleteMaintenanceUpdate = {
  ...oneUpdate,
  id: "deleteMaintenanceUpdate",
  method: "DELETE",
  path: "/v1/maintenance-windows/{id}/maintenances/{maintenanceId}/updates/{updateId}",
  summary: "Delete an update of a maintenance",
  description: "With the newest one goes what it did to the maintenance's status and times.",
  example: { params: exampleUpdateParams },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const maintenanceOperations = [
  listMaintenances,
  getMaintenance,
  moveMaintenance,
  deleteMaintenance,
  createMaintenanceUpdate,
  changeMaintenanceUpdate,
  deleteMaintenanceUpdate,
] as const;
