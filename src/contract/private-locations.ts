import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Limit, Page, QueryBoolean, QueryTime, Uuid, UuidPathId } from "./primitives.ts";
import { ProjectBindings } from "./project-bindings.ts";
import { secretField } from "./secret-fields.ts";

/** A private location's own identifier: no data center code, at most 30 letters, digits and hyphens (reference). */
export const SlugName = z
  .string()
  .regex(
    /^((?!((us(-gov)?|ap|ca|cn|eu|sa|af|me)-(central|(north|south)?(east|west)?)-\d+))[a-zA-Z0-9-]{1,30})$/,
    "must have 1 to 30 letters, digits and hyphens, and must not begin like a data center location (eu-west-1)",
  );

/** A key of a private location. The raw key is shown once, at creation (behaviour 1). */
export const PrivateLocationKey = z
  .object({
    id: Uuid,
    rawKey: z.string().optional().describe("only in the answer to its creation"),
    maskedKey: z.string(),
    created_at: Instant,
    updated_at: Instant.nullable(),
  })
  .meta({ id: "PrivateLocationKey" });
export type PrivateLocationKey = z.infer<typeof PrivateLocationKey>;

export const NewPrivateLocationKey = PrivateLocationKey.required({ rawKey: true }).meta({ id: "NewPrivateLocationKey" });
export type NewPrivateLocationKey = z.infer<typeof NewPrivateLocationKey>;

const stored = {
  id: Uuid,
  name: z.string(),
  slugName: z.string(),
  icon: z.string(),
  created_at: Instant,
  updated_at: Instant.nullable(),
  keys: z.array(PrivateLocationKey),
  proxyUrl: z.string().nullable(),
  hostLimit: z
    .int()
    .nullable()
    .describe("how many hosts its keys admit agents from by themselves; any further one waits for somebody to admit it. null: all"),
};

/** A private location as creation and update answer it. */
export const StoredPrivateLocation = z.object(stored).meta({ id: "StoredPrivateLocation" });
export type StoredPrivateLocation = z.infer<typeof StoredPrivateLocation>;

const RunningAgents = z.object({
  version: z.string(),
  isOutdated: z.boolean(),
  count: z.int(),
  agents: z.array(z.object({ id: z.string(), lastSeenAt: Instant })),
});

/** A private location with what is known of its agents. */
export const PrivateLocation = z
  .object({
    ...stored,
    lastSeen: Instant.nullable().describe("when an agent was last heard of"),
    agentCount: z.int().nullable(),
    minAgentVersion: z.string().nullable().describe("the lowest version that runs"),
    runningAgents: z.array(RunningAgents).optional().describe("agents by version; in the list only with versions=true"),
    projectBindings: ProjectBindings.optional(),
  })
  .meta({ id: "PrivateLocation" });
export type PrivateLocation = z.infer<typeof PrivateLocation>;

const name = z.string().min(1).max(255);
const icon = z.string().max(100).describe("name of the picture that pages show");
const proxyUrl = secretField(
  "sealed",
  z
    .string()
    .max(2048)
    .nullable()
    .optional()
    .describe(
      "proxy for the checks of this location; may hold {{VARIABLES}}. A password is never read back: asterisks in its place keep it",
    ),
);

const hostLimit = z
  .int()
  .min(0)
  .max(100)
  .nullable()
  .optional()
  .describe(
    "how many hosts its keys admit agents from by themselves, those that came first; any further one waits for somebody to admit it. null: all",
  );

export const PrivateLocationCreate = z
  .object({ name, slugName: SlugName, icon: icon.default("location"), proxyUrl, hostLimit })
  .meta({ id: "PrivateLocationCreate" });
export type PrivateLocationCreate = z.output<typeof PrivateLocationCreate>;

export const PrivateLocationUpdate = z
  .object({ name, icon: icon.default("location"), proxyUrl, hostLimit })
  .meta({ id: "PrivateLocationUpdate" });
export type PrivateLocationUpdate = z.output<typeof PrivateLocationUpdate>;

/** The queue of a location over time; the three arrays run in parallel. */
export const PrivateLocationMetrics = z
  .object({
    timestamps: z.array(Instant),
    queueSize: z.array(z.int()),
    oldestScheduledCheckRun: z.array(z.number()).describe("seconds"),
  })
  .meta({ id: "PrivateLocationMetrics" });
export type PrivateLocationMetrics = z.infer<typeof PrivateLocationMetrics>;

/** An error that agents of a location have had themselves: no failure of a check. */
export const AgentErrorEvent = z
  .object({
    id: z.string(),
    message: z.string(),
    stack: z.string(),
    agentVersion: z.string(),
    platform: z.string(),
    runtimeVersion: z.string().describe("version of Node.js"),
    agentId: z.string().describe("the agent that reported it last"),
    firstSeen: Instant,
    lastSeen: Instant,
    count: z.int().describe("how often it was reported"),
  })
  .meta({ id: "AgentErrorEvent" });
export type AgentErrorEvent = z.infer<typeof AgentErrorEvent>;

const MetricsTime = QueryTime.describe("unix timestamp (seconds or milliseconds), ISO day (UTC) or instant");

const common = { tag: "Private locations", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ id: UuidPathId }) } as const;

export const listPrivateLocations = {
  ...common,
  id: "listPrivateLocations",
  method: "GET",
  path: "/v1/private-locations",
  summary: "List private locations",
  example: { query: { versions: true } },
  access: "read",
  query: z.object({ versions: QueryBoolean.default(false).describe("with the running agents, by version") }),
  output: z.array(PrivateLocation),
  successStatus: 200,
} as const satisfies Operation;

export const createPrivateLocation = {
  ...common,
  id: "createPrivateLocation",
  method: "POST",
  path: "/v1/private-locations",
  summary: "Create a private location with its first key",
  description:
    "`slugName` is what checks name and results carry; it never changes. The raw key is in this answer only: it starts the location's agents.",
  example: { body: { name: "Berlin office", slugName: exampleIds.privateLocationSlug, icon: "location" } },
  access: "write",
  body: PrivateLocationCreate,
  output: StoredPrivateLocation,
  successStatus: 201,
  errors: [409],
} as const satisfies Operation;

export const getPrivateLocation = {
  ...byId,
  id: "getPrivateLocation",
  method: "GET",
  path: "/v1/private-locations/{id}",
  summary: "Read a private location",
  example: { params: { id: exampleIds.privateLocation } },
  access: "read",
  output: PrivateLocation,
  successStatus: 200,
} as const satisfies Operation;

export const updatePrivateLocation = {
  ...byId,
  id: "updatePrivateLocation",
  method: "PUT",
  path: "/v1/private-locations/{id}",
  summary: "Change a private location; its slug name stays",
  description:
    "Replaces the whole location: a proxy that is left out is gone, an icon has its default. Only the host limit, which other clients do not know, stays when it is omitted.",
  example: { params: { id: exampleIds.privateLocation }, body: { name: "Berlin, Mitte", proxyUrl: "http://proxy.example.com:3128" } },
  access: "write",
  body: PrivateLocationUpdate,
  output: StoredPrivateLocation,
  successStatus: 200,
} as const satisfies Operation;

export const deletePrivateLocation = {
  ...byId,
  id: "deletePrivateLocation",
  method: "DELETE",
  path: "/v1/private-locations/{id}",
  summary: "Remove a private location that no check uses",
  description: "Its keys and the sessions of its agents end with it; results keep its slug name. 409 while a check names it.",
  example: { params: { id: exampleIds.privateLocation } },
  access: "write",
  successStatus: 204,
  errors: [409],
} as const satisfies Operation;

export const createPrivateLocationKey = {
  ...byId,
  id: "createPrivateLocationKey",
  method: "POST",
  path: "/v1/private-locations/{id}/keys",
  summary: "Issue a key; a location has at most two",
  description:
    "Two, so that a key can be replaced without a gap: issue the second one, restart the agents with it, revoke the first. 409 for a third.",
  example: { params: { id: exampleIds.privateLocation } },
  access: "write",
  output: NewPrivateLocationKey,
  successStatus: 201,
  errors: [409],
} as const satisfies Operation;

export const deletePrivateLocationKey = {
  ...common,
  id: "deletePrivateLocationKey",
  method: "DELETE",
  path: "/v1/private-locations/{id}/keys/{keyId}",
  summary: "Revoke a key",
  description: "Agents that opened their session with it lose it within 5 seconds; their jobs go to other agents.",
  example: { params: { id: exampleIds.privateLocation, keyId: exampleIds.privateLocationKey } },
  access: "write",
  params: z.object({ id: UuidPathId, keyId: UuidPathId }),
  successStatus: 204,
} as const satisfies Operation;

export const getPrivateLocationMetrics = {
  ...byId,
  id: "getPrivateLocationMetrics",
  method: "GET",
  path: "/v1/private-locations/{id}/metrics",
  summary: "Read how the location's queue grew and shrank",
  description: "One sample a minute; the three arrays run in parallel. `oldestScheduledCheckRun` is in seconds.",
  example: { params: { id: exampleIds.privateLocation }, query: { from: "2026-01-01", to: "2026-01-31T12:00:00Z" } },
  access: "read",
  rateLimit: "location-metrics",
  query: z.object({ from: MetricsTime, to: MetricsTime }),
  output: PrivateLocationMetrics,
  successStatus: 200,
} as const satisfies Operation;

export const listPrivateLocationErrorEvents = {
  ...byId,
  id: "listPrivateLocationErrorEvents",
  method: "GET",
  path: "/v1/private-locations/{id}/error-events",
  summary: "List errors that the location's agents reported of themselves",
  description:
    "The one seen last first; the same error of the same version is told once, with how often it came. Kept for ERROR_EVENTS_KEEP_DAYS, at most 500 of a location. Agents started with EXTERNAL_OBSERVABILITY=off report none.",
  example: { params: { id: exampleIds.privateLocation }, query: { limit: 20 } },
  access: "read",
  query: z.object({ limit: Limit, page: Page }),
  output: z.array(AgentErrorEvent),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const privateLocationOperations = [
  listPrivateLocations,
  createPrivateLocation,
  getPrivateLocation,
  updatePrivateLocation,
  deletePrivateLocation,
  createPrivateLocationKey,
  deletePrivateLocationKey,
  getPrivateLocationMetrics,
  listPrivateLocationErrorEvents,
] as const;
