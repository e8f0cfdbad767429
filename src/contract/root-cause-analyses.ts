import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, UuidPathId } from "./primitives.ts";

/** Why failures of an error group happen, or a check is not well, once somebody has asked for it. */
export const Analysis = z.object({
  classification: z.string(),
  userImpact: z.string(),
  rootCause: z.string(),
  codeFix: z.string().nullable().optional(),
  evidence: z
    .array(
      z.object({
        artifacts: z.array(z.object({ name: z.string(), type: z.string() })),
        description: z.string(),
      }),
    )
    .nullable()
    .optional(),
  referenceLinks: z
    .array(z.object({ url: z.string(), title: z.string() }))
    .nullable()
    .optional(),
});

const Pending = z.object({ id: z.string(), status: z.literal("PENDING") }).meta({ id: "PendingRootCauseAnalysis" });

export const RootCauseAnalysis = z
  .object({
    id: z.string(),
    checkType: z.string(),
    provider: z.string().describe("what analysed"),
    model: z.string(),
    checkId: z.string().nullable().optional(),
    errorGroupId: z.string().nullable().optional(),
    durationMs: z.number(),
    analysis: Analysis.optional(),
    status: z.literal("COMPLETED"),
    created_at: Instant.optional(),
  })
  .meta({ id: "RootCauseAnalysis" });
export type RootCauseAnalysis = z.infer<typeof RootCauseAnalysis>;

const RequestBody = z
  .object({ userContext: z.string().max(256).nullable().default("").describe("what whoever asks knows of it") })
  .optional()
  .meta({ id: "RootCauseAnalysisRequest" });

const common = { tag: "Error groups", rateLimit: "standard" } as const;
const request = { ...common, method: "POST", access: "run", body: RequestBody, output: Pending, successStatus: 202 } as const;
const asked =
  "Answers at once; read the analysis by its id until it is completed. While one of the group is pending, that one is answered.";

export const analyseErrorGroup = {
  ...request,
  id: "analyseErrorGroup",
  path: "/v1/root-cause-analyses/error-groups/{errorGroupId}",
  summary: "Ask why the failures of an error group happen",
  description: asked,
  params: z.object({ errorGroupId: UuidPathId }),
  example: { params: { errorGroupId: exampleIds.errorGroup }, body: { userContext: "since the deployment at noon" } },
} as const satisfies Operation;

export const analyseTestSessionErrorGroup = {
  ...request,
  id: "analyseTestSessionErrorGroup",
  path: "/v1/root-cause-analyses/test-session-error-groups/{testSessionErrorGroupId}",
  summary: "Ask why the failures of an error group of test sessions happen",
  description: asked,
  params: z.object({ testSessionErrorGroupId: UuidPathId }),
  example: { params: { testSessionErrorGroupId: exampleIds.testSessionErrorGroup } },
} as const satisfies Operation;

export const analyseCheck = {
  ...request,
  id: "analyseCheck",
  path: "/v1/root-cause-analyses/checks/{checkId}",
  summary: "Ask why a check is degraded, or why a heartbeat is not pinged",
  description: `These have no error groups. Of a check the newest degraded run is looked at, or its newest error where no run was degraded; of a heartbeat the newest miss. ${asked}`,
  params: z.object({ checkId: UuidPathId }),
  example: { params: { checkId: exampleIds.check } },
} as const satisfies Operation;

export const getRootCauseAnalysis = {
  ...common,
  id: "getRootCauseAnalysis",
  method: "GET",
  path: "/v1/root-cause-analyses/{id}",
  summary: "Read a root cause analysis",
  description: "202 while it is pending.",
  access: "read",
  params: z.object({ id: UuidPathId }),
  output: z.union([RootCauseAnalysis, Pending]),
  successStatus: 200,
  alternative: { status: 202, description: "it is pending", holds: (answer: { readonly status: string }) => answer.status === "PENDING" },
  example: { params: { id: exampleIds.rootCauseAnalysis } },
} as const satisfies Operation;

export const rootCauseAnalysisOperations = [analyseErrorGroup, analyseTestSessionErrorGroup, analyseCheck, getRootCauseAnalysis] as const;
