import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Uuid, UuidPathId } from "./primitives.ts";

/** How a check stands after its latest results (reference, CheckStatus). */
export const CheckStatus = z
  .object({
    name: z.string(),
    checkId: Uuid,
    hasFailures: z.boolean(),
    hasErrors: z.boolean(),
    isDegraded: z.boolean(),
    longestRun: z.number().nullable().describe("milliseconds"),
    shortestRun: z.number().nullable().describe("milliseconds"),
    lastRunLocation: z.string().nullable(),
    lastCheckRunId: z.string().nullable(),
    sslDaysRemaining: z.number().nullable(),
    created_at: Instant,
    updated_at: Instant.nullable(),
  })
  .meta({ id: "CheckStatus" });
export type CheckStatus = z.infer<typeof CheckStatus>;

const common = { tag: "Check statuses", method: "GET", access: "read", rateLimit: "standard", successStatus: 200 } as const;

export const listCheckStatuses = {
  ...common,
  id: "listCheckStatuses",
  path: "/v1/check-statuses",
  summary: "List the status of every check",
  description:
    "One entry for each check that ever ended a run, from its latest results at all of its locations, and for each heartbeat that was pinged since it was activated: `hasFailures` while it stays away; what tells of runs is null.",
  example: {},
  output: z.array(CheckStatus),
} as const satisfies Operation;

export const getCheckStatus = {
  ...common,
  id: "getCheckStatus",
  path: "/v1/check-statuses/{checkId}",
  summary: "Read the status of a check",
  description: "404 also for a check that never ended a run.",
  example: { params: { checkId: exampleIds.check } },
  params: z.object({ checkId: UuidPathId }),
  output: CheckStatus,
} as const satisfies Operation;

export const checkStatusOperations = [listCheckStatuses, getCheckStatus] as const;
