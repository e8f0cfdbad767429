import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, QueryBoolean, Uuid, UuidPathId } from "./primitives.ts";

/*
 * Incidents of dashboards, the first version of incidents. Those of status pages are another resource (`status-pages/incidents.ts`).
 */

export const IncidentStatus = z.enum(["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED", "MAINTENANCE"]);
export type IncidentStatus = z.infer<typeof IncidentStatus>;

const SentInstant = z.iso
  .datetime({ offset: true, abort: true })
  .max(64, { abort: true })
  .overwrite((given) => new Date(given).toISOString())
  .nullable();

const description = z.string().min(1).max(10_000);

/** An update as creation takes it. */
export const IncidentUpdateInput = z.object({ status: IncidentStatus, description }).meta({ id: "IncidentUpdateInput" });
export type IncidentUpdateInput = z.infer<typeof IncidentUpdateInput>;

export const IncidentUpdate = z
  .object({
    status: IncidentStatus,
    description: z.string(),
    id: Uuid,
    created_at: Instant,
    updated_at: Instant.nullable(),
  })
  .meta({ id: "IncidentUpdate" });
export type IncidentUpdate = z.infer<typeof IncidentUpdate>;

export const CreatedIncidentUpdate = IncidentUpdate.extend({ incidentId: Uuid }).meta({ id: "CreatedIncidentUpdate" });

const writable = {
  name: z.string().min(1).max(255),
  // The reference both requires it and states a default; so do we.
  impact: z.enum(["MAINTENANCE", "MAJOR", "MINOR"]).meta({ default: "MINOR" }),
  startedAt: SentInstant.optional().describe("when it began; the time of its creation when omitted or null"),
  stoppedAt: SentInstant.optional().describe("when it ended; an update that resolves the incident sets it where nothing else did"),
};

export const IncidentCreate = z
  .object({
    ...writable,
    dashboardId: z.int().describe("the `id` of the dashboard that shows it"),
    incidentUpdates: z.array(IncidentUpdateInput).min(1).max(100).describe("oldest first"),
  })
  .meta({ id: "IncidentCreate" });
export type IncidentCreate = z.output<typeof IncidentCreate>;

export const IncidentReplacement = z.object(writable).meta({ id: "IncidentReplacement" });
export type IncidentReplacement = z.output<typeof IncidentReplacement>;

const stored = {
  name: z.string(),
  impact: z.enum(["MAINTENANCE", "MAJOR", "MINOR"]),
  startedAt: Instant.nullable(),
  stoppedAt: Instant.nullable(),
  dashboardId: z.int(),
  id: Uuid,
  created_at: Instant,
  updated_at: Instant.nullable(),
};

/** An incident of a dashboard. */
export const Incident = z
  .object({ ...stored, incidentUpdates: z.array(IncidentUpdate).min(1).describe("newest first") })
  .meta({ id: "Incident" });
export type Incident = z.infer<typeof Incident>;

/** What a change answers. */
export const ChangedIncident = z
  .object({ ...stored, incidentUpdates: z.string().nullable().describe("always null: reading the incident tells its updates") })
  .meta({ id: "ChangedIncident" });

const common = { tag: "Incidents", rateLimit: "standard", access: "write" } as const;
const byId = { ...common, params: z.object({ id: UuidPathId }) } as const;
const exampleUpdate = { status: "IDENTIFIED", description: "The payment provider refuses our certificate." };

export const createIncident = {
  ...common,
  id: "createIncident",
  method: "POST",
  path: "/v1/incidents",
  summary: "Create an incident of a dashboard",
  description: "With at least one update. The answer shows all of them, the newest first.",
  example: {
    body: {
      name: "Payments fail",
      impact: "MAJOR",
      dashboardId: exampleIds.dashboardNumber,
      incidentUpdates: [{ status: "INVESTIGATING", description: "Some payments fail." }],
    },
  },
  body: IncidentCreate,
  output: Incident,
  successStatus: 200,
} as const satisfies Operation;

export const getIncident = {
  ...byId,
  id: "getIncident",
  method: "GET",
  path: "/v1/incidents/{id}",
  summary: "Read an incident of a dashboard",
  example: { params: { id: exampleIds.incident }, query: { includeAllIncidentUpdates: true } },
  access: "read",
  query: z.object({
    includeAllIncidentUpdates: QueryBoolean.default(false).describe("all updates, the newest first; otherwise the newest one"),
  }),
  output: Incident,
  successStatus: 200,
} as const satisfies Operation;

export const updateIncident = {
  ...byId,
  id: "updateIncident",
  method: "PUT",
  path: "/v1/incidents/{id}",
  summary: "Replace an incident of a dashboard; its updates stay",
  example: {
    params: { id: exampleIds.incident },
    body: { name: "Card payments fail", impact: "MAJOR", startedAt: "2026-05-04T09:30:00.000Z" },
  },
  query: z.object({ probe: QueryBoolean.optional().describe("true: nothing is stored, and the answer is what would be") }),
  body: IncidentReplacement,
  output: ChangedIncident,
  successStatus: 200,
} as const satisfies Operation;

export const deleteIncident = {
  ...byId,
  id: "deleteIncident",
  method: "DELETE",
  path: "/v1/incidents/{id}",
  summary: "Delete an incident of a dashboard with its updates",
  example: { params: { id: exampleIds.incident } },
  successStatus: 204,
} as const satisfies Operation;

const updateParams = z.object({ incidentId: UuidPathId, id: UuidPathId });

export const createIncidentUpdate = {
  ...common,
  id: "createIncidentUpdate",
  method: "POST",
  path: "/v1/incidents/{incidentId}/updates",
  summary: "Add an update to an incident of a dashboard",
  description: "RESOLVED sets the incident's stoppedAt where nothing else did; a later update with another status takes it away again.",
  example: { params: { incidentId: exampleIds.incident }, body: exampleUpdate },
  params: z.object({ incidentId: UuidPathId }),
  body: IncidentUpdateInput,
  output: CreatedIncidentUpdate,
  successStatus: 201,
  errors: [409],
} as const satisfies Operation;

export const changeIncidentUpdate = {
  ...common,
  id: "changeIncidentUpdate",
  method: "PUT",
  path: "/v1/incidents/{incidentId}/updates/{id}",
  summary: "Change the text of an update; its status stays",
  example: {
    params: { incidentId: exampleIds.incident, id: exampleIds.incidentUpdate },
    body: { description: "The payment provider refuses our certificate; we renew it." },
  },
  params: updateParams,
  body: z.object({ description }).meta({ id: "IncidentUpdateText" }),
  output: IncidentUpdate,
  successStatus: 200,
} as const satisfies Operation;

export const deleteIncidentUpdate = {
  ...common,
  id: "deleteIncidentUpdate",
  method: "DELETE",
  path: "/v1/incidents/{incidentId}/updates/{id}",
  summary: "Delete an update of an incident that has others",
  example: { params: { incidentId: exampleIds.incident, id: exampleIds.incidentUpdate } },
  params: updateParams,
  successStatus: 204,
  errors: [409],
} as const satisfies Operation;

export const incidentOperations = [
  createIncident,
  getIncident,
  updateIncident,
  deleteIncident,
  createIncidentUpdate,
  changeIncidentUpdate,
  deleteIncidentUpdate,
] as const;
