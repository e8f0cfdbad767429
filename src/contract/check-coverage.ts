import { z } from "zod";
import { windowQuery } from "./analytics-window.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Uuid, UuidPathId } from "./primitives.ts";

const counts = {
  due: z.int().describe("the sum of the three others"),
  run: z.int().describe("runs that ended and say something of the target; triggered ones, too"),
  missed: z.int().describe("runs that no agent made"),
  unknown: z.int().describe("slots in gaps: nothing is known of the target then"),
};

/** How much of what was due was seen. Ours. */
export const CheckCoverage = z
  .object({
    checkId: Uuid,
    from: Instant,
    to: Instant,
    ...counts,
    locations: z
      .array(z.object({ location: z.string(), ...counts }))
      .describe("slots that one of several locations would have run in turn count only for the whole"),
  })
  .meta({ id: "CheckCoverage" });
export type CheckCoverage = z.infer<typeof CheckCoverage>;

export const getCoverageOfCheck = {
  tag: "Analytics",
  method: "GET",
  access: "read",
  rateLimit: "analytics",
  successStatus: 200,
  id: "getCoverageOfCheck",
  path: "/v1/checks/{id}/coverage",
  summary: "Count what was due of a check, and what became of it",
  description: `Beside up and down there is unknown: slots that never became a run, or whose run no agent made. They count in no availability; this tells how
many there were. Missed runs are counted as long as single results are kept.`,
  params: z.object({ id: UuidPathId }),
  query: z.object(windowQuery),
  output: CheckCoverage,
  example: { params: { id: exampleIds.check }, query: { quickRange: "last7Days" } },
} as const satisfies Operation;

export const checkCoverageOperations = [getCoverageOfCheck] as const;
