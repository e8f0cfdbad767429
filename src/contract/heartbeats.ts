import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, PathId, QueryTime, Uuid } from "./primitives.ts";

/** What an event tells: an alert, or when in the period a ping came (`domain/heartbeat`). */
export const HeartbeatState = z.enum(["FAILING", "EARLY", "RECEIVED", "GRACE", "LATE"]);

/** A ping or an alert (reference, HeartbeatsV1Event). */
export const HeartbeatEvent = z
  .object({
    id: Uuid,
    state: HeartbeatState.describe(
      "FAILING: nothing came by period and grace. Pings: EARLY in the first half of the period, RECEIVED in time, GRACE after the period, LATE after an alert",
    ),
    timestamp: Instant,
    source: z.string().nullable().describe("Origin of the ping, or its Referer; null where it had none"),
    userAgent: z.string().nullable(),
  })
  .meta({ id: "HeartbeatEvent" });
export type HeartbeatEvent = z.infer<typeof HeartbeatEvent>;

/** The share of a window's events that are no alert, beside the window of the same length before it. */
export const HeartbeatAvailability = z
  .object({
    successRatio: z.object({
      currentPeriod: z.number().describe("percent, 0 to 100"),
      previousPeriod: z.number().optional().describe("percent; absent where that window had no event"),
    }),
    totalEntitiesCurrentPeriod: z.number().int().describe("events of the window"),
  })
  .meta({ id: "HeartbeatAvailability" });
export type HeartbeatAvailability = z.infer<typeof HeartbeatAvailability>;

const stats = z
  .object({ last24Hours: HeartbeatAvailability.nullable(), last7Days: HeartbeatAvailability.nullable() })
  .describe("null where there was no event")
  .meta({ id: "HeartbeatStats" });

/** The only element of the answer's list (reference). */
export const HeartbeatEvents = z
  .object({ events: z.array(HeartbeatEvent).describe("newest first"), stats })
  .meta({ id: "HeartbeatEvents" });
export type HeartbeatEvents = z.infer<typeof HeartbeatEvents>;

const window = {
  startTime: QueryTime.optional().describe("unix timestamp (seconds or milliseconds), ISO day (UTC) or instant, included"),
  endTime: QueryTime.optional().describe(
    "unix timestamp (seconds or milliseconds), ISO day (UTC) or instant, not included; now when absent",
  ),
};

const common = {
  tag: "Heartbeats",
  method: "GET",
  access: "read",
  rateLimit: "standard",
  successStatus: 200,
} as const;
const checkId = PathId.meta({ format: "uuid" });
const params = { checkId: exampleIds.heartbeat };

export const listHeartbeatEvents = {
  ...common,
  id: "listHeartbeatEvents",
  path: "/v1/checks/heartbeats/{checkId}/events",
  summary: "List the latest events of a heartbeat, with its availability",
  description: "A list with one element. Without `startTime` all events that are kept count, the newest of them are shown.",
  example: { params, query: { limit: 5 } },
  params: z.object({ checkId }),
  query: z.object({ ...window, limit: z.coerce.number().int().min(1).max(10).default(10).describe("events shown") }),
  output: z.array(HeartbeatEvents),
} as const satisfies Operation;

export const getHeartbeatEvent = {
  ...common,
  id: "getHeartbeatEvent",
  path: "/v1/checks/heartbeats/{checkId}/events/{id}",
  summary: "Read an event of a heartbeat",
  example: { params: { ...params, id: exampleIds.heartbeatEvent } },
  params: z.object({ checkId, id: PathId }),
  output: z.object({ event: HeartbeatEvent, stats }),
} as const satisfies Operation;

export const getHeartbeatAvailability = {
  ...common,
  id: "getHeartbeatAvailability",
  path: "/v1/checks/heartbeats/{checkId}/availability",
  summary: "Read how many of a heartbeat's events are no alert",
  description:
    "Of the 24 hours before `endTime` when `startTime` is absent. null where the window has no event: nothing is known of a heartbeat that nobody pinged.",
  example: { params },
  params: z.object({ checkId }),
  query: z.object(window),
  output: HeartbeatAvailability.nullable(),
} as const satisfies Operation;

export const heartbeatOperations = [listHeartbeatEvents, getHeartbeatEvent, getHeartbeatAvailability] as const;
