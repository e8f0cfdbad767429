import { z } from "zod";
import { cursorListOf, cursorQuery } from "../cursor-list.ts";
import { exampleIds } from "../example-ids.ts";
import type { Operation } from "../operation.ts";
import { Instant, Uuid, UuidPathId } from "../primitives.ts";
import { readOnly } from "../read-only.ts";
import { StatusPageService } from "./services.ts";

export const StatusPageIncidentStatus = z.enum(["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"]);
export type StatusPageIncidentStatus = z.infer<typeof StatusPageIncidentStatus>;
export const IncidentSeverity = z.enum(["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]);

/** The most updates that an incident has, and the most services that it strikes. */
export const maxIncidentUpdates = 500;
const maxServices = 250;

export const StatusPageIncidentUpdate = z
  .object({
    description: z.string(),
    status: StatusPageIncidentStatus.optional(),
    publicIncidentUpdateDate: Instant.optional(),
    notifySubscribers: z.boolean().default(false),
    id: Uuid,
    created_at: Instant,
  })
  .meta({ id: "StatusPageIncidentUpdate" });
export type StatusPageIncidentUpdate = z.infer<typeof StatusPageIncidentUpdate>;

export const StatusPageIncidentUpdateWrite = z
  .object({
    description: z.string().min(1).max(10_000),
    status: StatusPageIncidentStatus.optional().describe("omitted: the status that the incident has"),
    publicIncidentUpdateDate: z.iso
      .datetime({ offset: true })
      .max(64)
      .optional()
      .describe("when it happened, as pages tell it; now when omitted. The update with the latest date tells the incident's status"),
    notifySubscribers: z.boolean().default(false),
    id: readOnly(z.string()),
    created_at: readOnly(z.iso.date()),
  })
  .meta({ id: "StatusPageIncidentUpdateWrite" });
export type StatusPageIncidentUpdateWrite = z.output<typeof StatusPageIncidentUpdateWrite>;

export const StatusPageIncident = z
  .object({
    name: z.string(),
    severity: IncidentSeverity,
    id: Uuid,
    services: z.array(StatusPageService),
    incidentUpdates: z.array(StatusPageIncidentUpdate).describe("the latest first"),
    lastUpdateStatus: StatusPageIncidentStatus.describe("INVESTIGATING while there is no update"),
    duration: z.int().nullable().describe("milliseconds from the first update to the one that resolved it; null while it is open"),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "StatusPageIncident" });
export type StatusPageIncident = z.infer<typeof StatusPageIncident>;

const writable = {
  name: z.string().min(1).max(255),
  severity: IncidentSeverity,
  services: z
    .array(
      z.object({
        id: Uuid,
        name: z.string().max(255).describe("as the service was read; not looked at"),
        accountId: z.string().max(255).describe("as the service was read; not looked at"),
        created_at: readOnly(z.iso.date()),
        updated_at: readOnly(z.iso.date().nullable()),
      }),
    )
    .min(1)
    .max(maxServices)
    .describe("the services that it strikes, by id"),
  id: readOnly(z.string()),
  created_at: readOnly(z.iso.date()),
  updated_at: readOnly(z.iso.date()),
  lastUpdateStatus: readOnly(StatusPageIncidentStatus),
  duration: readOnly(z.int().nullable()),
};

export const StatusPageIncidentCreate = z
  .object({ ...writable, incidentUpdates: z.array(StatusPageIncidentUpdateWrite).max(100) })
  .meta({ id: "StatusPageIncidentCreate" });
export type StatusPageIncidentCreate = z.output<typeof StatusPageIncidentCreate>;

export const StatusPageIncidentReplacement = z.object(writable).meta({ id: "StatusPageIncidentReplacement" });

const common = { tag: "Status pages", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ incidentId: UuidPathId }) } as const;
const ofUpdate = { ...common, params: z.object({ incidentId: UuidPathId, incidentUpdateId: UuidPathId }) } as const;
const params = { incidentId: exampleIds.statusPageIncident };
const updateParams = { ...params, incidentUpdateId: exampleIds.statusPageIncidentUpdate };
const exampleService = { id: exampleIds.statusPageService, name: "Checkout", accountId: exampleIds.account };
const exampleUpdate = { description: "A fix is on its way.", status: "MONITORING", notifySubscribers: true };

export const listStatusPageIncidents = {
  ...common,
  id: "listStatusPageIncidents",
  method: "GET",
  path: "/v1/status-pages/incidents",
  summary: "List incidents of status pages",
  description: "The newest first, open or resolved.",
  example: { query: { limit: 50 } },
  access: "read",
  query: z.object(cursorQuery),
  output: cursorListOf(StatusPageIncident).meta({ id: "StatusPageIncidentList" }),
  successStatus: 200,
} as const satisfies Operation;

export const createStatusPageIncident = {
  ...common,
  id: "createStatusPageIncident",
  method: "POST",
  path: "/v1/status-pages/incidents",
  summary: "Create a status page incident",
  description: "Every page that shows one of its services shows it. It is open until its latest update says RESOLVED.",
  example: {
    body: {
      name: "Checkout is slow",
      severity: "MEDIUM",
      services: [exampleService],
      incidentUpdates: [{ description: "Orders take up to a minute.", status: "INVESTIGATING", notifySubscribers: true }],
    },
  },
  access: "write",
  body: StatusPageIncidentCreate,
  output: StatusPageIncident,
  successStatus: 201,
} as const satisfies Operation;

export const getStatusPageIncident = {
  ...byId,
  id: "getStatusPageIncident",
  method: "GET",
  path: "/v1/status-pages/incidents/{incidentId}",
  summary: "Read a status page incident",
  example: { params },
  access: "read",
  output: StatusPageIncident,
  successStatus: 200,
} as const satisfies Operation;

export const updateStatusPageIncident = {
  ...byId,
  id: "updateStatusPageIncident",
  method: "PUT",
  path: "/v1/status-pages/incidents/{incidentId}",
  summary: "Replace name, severity and services of an incident",
  description: "Its updates stay, and with them its status.",
  example: { params, body: { name: "Checkout fails", severity: "CRITICAL", services: [exampleService] } },
  access: "write",
  body: StatusPageIncidentReplacement,
  output: StatusPageIncident,
  successStatus: 200,
} as const satisfies Operation;

export const patchStatusPageIncident = {
  ...byId,
  id: "patchStatusPageIncident",
  method: "PATCH",
  path: "/v1/status-pages/incidents/{incidentId}",
  summary: "Change name, severity or services of an incident",
  description: "What is omitted stays; its updates stay, too.",
  example: { params, body: { severity: "CRITICAL" } },
  access: "write",
  body: z.object({ name: writable.name, severity: writable.severity, services: writable.services }).partial(),
  output: StatusPageIncident,
  successStatus: 200,
} as const satisfies Operation;

export const deleteStatusPageIncident = {
  ...byId,
  id: "deleteStatusPageIncident",
  method: "DELETE",
  path: "/v1/status-pages/incidents/{incidentId}",
  summary: "Delete a status page incident with its updates",
  example: { params },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const listStatusPageIncidentUpdates = {
  ...byId,
  id: "listStatusPageIncidentUpdates",
  method: "GET",
  path: "/v1/status-pages/incidents/{incidentId}/incident-updates",
  summary: "List the updates of an incident",
  description: "The latest first.",
  example: { params },
  access: "read",
  output: z.array(StatusPageIncidentUpdate),
  successStatus: 200,
} as const satisfies Operation;

export const createStatusPageIncidentUpdate = {
  ...byId,
  id: "createStatusPageIncidentUpdate",
  method: "POST",
  path: "/v1/status-pages/incidents/{incidentId}/incident-updates",
  summary: "Add an update to an incident",
  description: `Its status becomes the incident's when no other update has a later date. An incident has at most ${maxIncidentUpdates} updates.`,
  example: { params, body: exampleUpdate },
  access: "write",
  body: StatusPageIncidentUpdateWrite,
  output: StatusPageIncidentUpdate,
  successStatus: 200,
  errors: [409],
} as const satisfies Operation;

export const getStatusPageIncidentUpdate = {
  ...ofUpdate,
  id: "getStatusPageIncidentUpdate",
  method: "GET",
  path: "/v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}",
  summary: "Read an update of an incident",
  example: { params: updateParams },
  access: "read",
  output: StatusPageIncidentUpdate,
  successStatus: 200,
} as const satisfies Operation;

export const updateStatusPageIncidentUpdate = {
  ...ofUpdate,
  id: "updateStatusPageIncidentUpdate",
  method: "PUT",
  path: "/v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}",
  summary: "Replace an update of an incident",
  description: "Status and date keep their values where they are left out.",
  example: { params: updateParams, body: { ...exampleUpdate, description: "A fix is out." } },
  access: "write",
  body: StatusPageIncidentUpdateWrite,
  output: StatusPageIncidentUpdate,
  successStatus: 200,
} as const satisfies Operation;

export const deleteStatusPageIncidentUpdate = {
  ...ofUpdate,
  id: "deleteStatusPageIncidentUpdate",
  method: "DELETE",
  path: "/v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}",
  summary: "Delete an update of an incident",
  description: "The incident's status is then that of the latest update left.",
  example: { params: updateParams },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const statusPageIncidentOperations = [
  listStatusPageIncidents,
  createStatusPageIncident,
  getStatusPageIncident,
  updateStatusPageIncident,
  patchStatusPageIncident,
  deleteStatusPageIncident,
  listStatusPageIncidentUpdates,
  createStatusPageIncidentUpdate,
  getStatusPageIncidentUpdate,
  updateStatusPageIncidentUpdate,
  deleteStatusPageIncidentUpdate,
] as const;
