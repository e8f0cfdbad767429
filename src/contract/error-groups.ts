import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Limit, Page, Uuid, UuidPathId } from "./primitives.ts";

/** Failures of one check for one reason (spec 2.14). */
export const ErrorGroup = z
  .object({
    id: Uuid,
    checkId: Uuid,
    errorHash: z.string().describe("SHA-256 of `cleanedErrorMessage`, hexadecimal"),
    rawErrorMessage: z.string().nullable().describe("as the latest result of the group tells it"),
    cleanedErrorMessage: z.string().describe("without what differs from run to run: ids, times, addresses, numbers, excerpts"),
    firstSeen: Instant.describe("start of the first run that failed so"),
    lastSeen: Instant.describe("start of the latest run that failed so"),
    archivedUntilNextEvent: z.boolean().describe("whether it is archived"),
    rootCauseAnalyses: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe("those that are completed, the latest first, where one group is read; empty in lists and changes"),
  })
  .meta({ id: "ErrorGroup" });
export type ErrorGroup = z.infer<typeof ErrorGroup>;

export const ErrorGroupPatch = z
  .object({
    archivedUntilNextEvent: z.boolean().optional().describe("true archives the group until a run fails so again; false takes it back"),
    archiveForEver: z.boolean().optional().describe("true archives it whatever fails; false takes it back"),
  })
  .meta({ id: "ErrorGroupPatch" });
export type ErrorGroupPatch = z.output<typeof ErrorGroupPatch>;

const common = { tag: "Error groups", rateLimit: "standard" } as const;
const list = { ...common, method: "GET", access: "read", query: z.object({ limit: Limit, page: Page }), successStatus: 200 } as const;
const byId = { ...common, params: z.object({ id: UuidPathId }), output: ErrorGroup, successStatus: 200 } as const;

const kept =
  "Only final results that failed count; retried attempts, cancelled runs and what an agent's own side spoiled do not. " +
  "A group goes when its last result is older than results are kept. A check has at most 1,000: past that the one not seen for the longest time goes.";

export const listErrorGroups = {
  ...list,
  id: "listErrorGroups",
  path: "/v1/error-groups",
  summary: "List the error groups of all checks, last seen first",
  description: kept,
  example: { query: { limit: 20 } },
  output: z.array(ErrorGroup),
  paged: true,
} as const satisfies Operation;

export const listErrorGroupsOfCheck = {
  ...list,
  id: "listErrorGroupsOfCheck",
  path: "/v1/error-groups/checks/{checkId}",
  summary: "List the error groups of a check, last seen first",
  description: kept,
  example: { params: { checkId: exampleIds.check } },
  params: z.object({ checkId: UuidPathId }),
  output: z.array(ErrorGroup),
  paged: true,
} as const satisfies Operation;

export const getErrorGroup = {
  ...byId,
  id: "getErrorGroup",
  method: "GET",
  path: "/v1/error-groups/{id}",
  summary: "Read an error group",
  example: { params: { id: exampleIds.errorGroup } },
  access: "read",
} as const satisfies Operation;

export const updateErrorGroup = {
  ...byId,
  id: "updateErrorGroup",
  method: "PATCH",
  path: "/v1/error-groups/{id}",
  summary: "Archive an error group or take it back",
  description: "What is omitted stays. A result that is uploaded late does not end an archive that began after its run.",
  example: { params: { id: exampleIds.errorGroup }, body: { archivedUntilNextEvent: true } },
  access: "write",
  body: ErrorGroupPatch,
} as const satisfies Operation;

export const errorGroupOperations = [listErrorGroups, listErrorGroupsOfCheck, getErrorGroup, updateErrorGroup] as const;
