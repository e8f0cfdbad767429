import { z } from "zod";
import { ErrorGroupPatch } from "./error-groups.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Limit, Page, Uuid, UuidPathId } from "./primitives.ts";

/** Failures of runs of test sessions for one reason, whichever check they were of. */
export const TestSessionErrorGroup = z
  .object({
    id: Uuid,
    projectId: Uuid.nullable().optional().describe("the project of code whose test session it was"),
    environments: z.array(z.string()).nullable().describe("of the test sessions that told one"),
    errorHash: z.string().describe("SHA-256 of `cleanedErrorMessage`, hexadecimal"),
    rawErrorMessage: z.string().nullable().describe("as the latest result of the group tells it"),
    cleanedErrorMessage: z.string(),
    firstSeen: Instant,
    lastSeen: Instant,
    archivedUntilNextEvent: z.boolean().describe("whether it is archived"),
    pwtMetadata: z
      .array(
        z
          .object({
            projectName: z.string(),
            specId: z.string().max(500).optional(),
            testFile: z.string(),
            testTitle: z.string(),
            suitePath: z.array(z.string()),
          })
          .meta({ id: "TestSessionErrorGroupPlaywrightMetadata" }),
      )
      .nullable()
      .describe("always null"),
    rootCauseAnalyses: z
      .array(
        z
          .object({
            id: Uuid.optional(),
            created_at: Instant.optional(),
            analysis: z.unknown().optional(),
            provider: z.string().nullable().optional(),
            model: z.string().nullable().optional(),
            durationMs: z.number().nullable().optional(),
            userContext: z.unknown().optional(),
          })
          .meta({ id: "TestSessionErrorGroupRootCauseAnalysis" }),
      )
      .optional()
      .describe("those that are completed, the latest first"),
  })
  .meta({ id: "TestSessionErrorGroup" });
export type TestSessionErrorGroup = z.infer<typeof TestSessionErrorGroup>;

const common = { tag: "Test sessions", rateLimit: "standard", successStatus: 200 } as const;
const byId = { ...common, params: z.object({ id: UuidPathId }), output: TestSessionErrorGroup } as const;
const group = { id: exampleIds.testSessionErrorGroup } as const;
const about =
  "Last seen first. A failure is there seconds after its test session has ended. Groups go when nothing failed so for as long as results are kept.";

export const listTestSessionErrorGroups = {
  ...common,
  id: "listTestSessionErrorGroups",
  method: "GET",
  path: "/v1/test-session-error-groups",
  summary: "List error groups of test sessions",
  description: about,
  access: "read",
  query: z.object({ limit: Limit, page: Page }),
  output: z.array(TestSessionErrorGroup),
  paged: true,
  example: { query: { limit: 20 } },
} as const satisfies Operation;

export const listTestSessionErrorGroupsOfProject = {
  ...common,
  id: "listTestSessionErrorGroupsOfProject",
  method: "GET",
  path: "/v1/test-session-error-groups/projects/{projectId}",
  summary: "List error groups of the test sessions of a project of code",
  description: about,
  access: "read",
  params: z.object({ projectId: Uuid }),
  output: z.array(TestSessionErrorGroup),
  example: { params: { projectId: exampleIds.projectUuid } },
} as const satisfies Operation;

export const getTestSessionErrorGroup = {
  ...byId,
  id: "getTestSessionErrorGroup",
  method: "GET",
  path: "/v1/test-session-error-groups/{id}",
  summary: "Read an error group of test sessions",
  access: "read",
  example: { params: group },
} as const satisfies Operation;

export const updateTestSessionErrorGroup = {
  ...byId,
  id: "updateTestSessionErrorGroup",
  method: "PATCH",
  path: "/v1/test-session-error-groups/{id}",
  summary: "Archive an error group of test sessions or take it back",
  description: "What is omitted stays.",
  access: "write",
  body: ErrorGroupPatch,
  example: { params: group, body: { archivedUntilNextEvent: true } },
} as const satisfies Operation;

export const testSessionErrorGroupOperations = [
  listTestSessionErrorGroups,
  listTestSessionErrorGroupsOfProject,
  getTestSessionErrorGroup,
  updateTestSessionErrorGroup,
] as const;
