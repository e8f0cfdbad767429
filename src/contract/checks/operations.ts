import { z } from "zod";
import type { Operation } from "../operation.ts";
import { CheckTypeName, Limit, Page, QueryBoolean, queryList, UuidPathId } from "../primitives.ts";
import { ApiCheck, ApiCheckCreate, ApiCheckUpdate, ApiCheckV1, ApiCheckV2, ApiCheckV3 } from "./api.ts";

/** A check as GET answers it; every check type adds one member to each version. */
export const CheckV1 = z.discriminatedUnion("checkType", [ApiCheckV1]);
export type CheckV1 = z.output<typeof CheckV1>;
export const CheckV2 = z.discriminatedUnion("checkType", [ApiCheckV2]);
export type CheckV2 = z.output<typeof CheckV2>;
export const CheckV3 = z.discriminatedUnion("checkType", [ApiCheckV3]);
export type CheckV3 = z.output<typeof CheckV3>;

const applyGroupSettings = QueryBoolean.default(false).describe("show what the check's group makes of it");

/** Filters of the check lists; each narrows further. */
export const CheckListQuery = z.object({
  limit: Limit,
  page: Page,
  tag: queryList(z.string()).optional().describe("checks that carry these tags"),
  checkType: CheckTypeName.optional(),
  search: z.string().optional().describe("part of the name, in any case"),
  status: z.enum(["passing", "failing", "degraded"]).optional(),
  apiCheckUrlFilterPattern: z.string().min(1).optional().describe("part of the URL of an API check's request"),
  applyGroupSettings,
});
export type CheckListQuery = z.output<typeof CheckListQuery>;

const common = { tag: "Checks", rateLimit: "standard" } as const;
const write = {
  ...common,
  access: "write",
  query: z.object({
    autoAssignAlerts: QueryBoolean.default(true).describe("on creation, subscribe the check to all alert channels"),
  }),
} as const;
const list = { ...common, method: "GET", access: "read", query: CheckListQuery, successStatus: 200, paged: true } as const;
const byId = { ...common, params: z.object({ id: UuidPathId }) } as const;
const read = {
  ...byId,
  method: "GET",
  access: "read",
  query: z.object({
    includeDependencies: QueryBoolean.optional().describe("of scripted checks: their files"),
    applyGroupSettings,
  }),
  successStatus: 200,
} as const;

export const createApiCheck = {
  ...write,
  id: "createApiCheck",
  method: "POST",
  path: "/v1/checks/api",
  summary: "Create an API check",
  body: ApiCheckCreate,
  output: ApiCheck,
  successStatus: 201,
} as const satisfies Operation;

export const updateApiCheck = {
  ...write,
  ...byId,
  id: "updateApiCheck",
  method: "PUT",
  path: "/v1/checks/api/{id}",
  summary: "Change an API check; what is omitted keeps its value",
  body: ApiCheckUpdate,
  output: ApiCheck,
  successStatus: 200,
} as const satisfies Operation;

export const listChecksV1 = {
  ...list,
  id: "listChecksV1",
  path: "/v1/checks",
  summary: "List checks",
  output: z.array(CheckV1),
} as const satisfies Operation;

export const listChecksV2 = {
  ...list,
  id: "listChecksV2",
  path: "/v2/checks",
  summary: "List checks, without the fields of code projects",
  output: z.array(CheckV2),
} as const satisfies Operation;

export const listChecksV3 = {
  ...list,
  id: "listChecksV3",
  path: "/v3/checks",
  summary: "List checks, the intent as typed constraints",
  output: z.array(CheckV3),
} as const satisfies Operation;

export const getCheckV1 = {
  ...read,
  id: "getCheckV1",
  path: "/v1/checks/{id}",
  summary: "Read a check",
  output: CheckV1,
} as const satisfies Operation;

export const getCheckV2 = {
  ...read,
  id: "getCheckV2",
  path: "/v2/checks/{id}",
  summary: "Read a check, without the fields of code projects",
  output: CheckV2,
} as const satisfies Operation;

export const getCheckV3 = {
  ...read,
  id: "getCheckV3",
  path: "/v3/checks/{id}",
  summary: "Read a check, the intent as typed constraints",
  output: CheckV3,
} as const satisfies Operation;

export const deleteCheck = {
  ...byId,
  id: "deleteCheck",
  method: "DELETE",
  path: "/v1/checks/{id}",
  summary: "Delete a check with its results",
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const checkOperations = [
  createApiCheck,
  updateApiCheck,
  listChecksV1,
  listChecksV2,
  listChecksV3,
  getCheckV1,
  getCheckV2,
  getCheckV3,
  deleteCheck,
] as const;
