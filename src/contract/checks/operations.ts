import { z } from "zod";
import type { Operation } from "../operation.ts";
import { CheckTypeName, Limit, Page, QueryBoolean, queryList, UuidPathId } from "../primitives.ts";
import { type CheckType, checkTypes } from "./index.ts";

const { API, URL, TCP, DNS, ICMP, SSL } = checkTypes;

/** A check as GET answers it; every check type adds one member to each version. */
export const CheckV1 = z.discriminatedUnion("checkType", everyType("readV1"));
export type CheckV1 = z.output<typeof CheckV1>;
export const CheckV2 = z.discriminatedUnion("checkType", everyType("readV2"));
export type CheckV2 = z.output<typeof CheckV2>;
export const CheckV3 = z.discriminatedUnion("checkType", everyType("readV3"));
export type CheckV3 = z.output<typeof CheckV3>;

function everyType<Version extends "readV1" | "readV2" | "readV3">(version: Version) {
  return [
    API.schemas[version],
    URL.schemas[version],
    TCP.schemas[version],
    DNS.schemas[version],
    ICMP.schemas[version],
    SSL.schemas[version],
  ] as const;
}

const applyGroupSettings = QueryBoolean.default(false).describe("show what the check's group makes of it");

/** Filters of the check lists; each narrows further. */
export const CheckListQuery = z.object({
  limit: Limit,
  page: Page,
  tag: queryList(z.string()).optional().describe("checks that carry these tags"),
  checkType: CheckTypeName.optional(),
  search: z.string().optional().describe("part of the name, in any case"),
  status: z.enum(["passing", "failing", "degraded"]).optional(),
  apiCheckUrlFilterPattern: z.string().min(1).optional().describe("part of the URL of an API check or a URL monitor"),
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

/** The operations that create and change checks of one type. */
function writesOf<T extends CheckType>(type: T) {
  const { title, create, update, read: output }: (typeof checkTypes)[T]["schemas"] = checkTypes[type].schemas;
  const path = `/v1/checks/${type.toLowerCase()}` as const;
  const name = `${type[0]}${type.slice(1).toLowerCase()}Check`;
  return {
    create: {
      ...write,
      id: `create${name}`,
      method: "POST",
      path,
      summary: `Create ${article(title)}`,
      body: create,
      output,
      successStatus: 201,
    },
    update: {
      ...write,
      ...byId,
      id: `update${name}`,
      method: "PUT",
      path: `${path}/{id}`,
      summary: `Change ${article(title)}; what is omitted keeps its value`,
      body: update,
      output,
      successStatus: 200,
    },
  } as const satisfies Record<string, Operation>;
}

function article(title: string): string {
  return `${/^(API|ICMP|SSL)/.test(title) ? "an" : "a"} ${title}`;
}

/** A check type without them does not compile. */
export const checkWrites = {
  API: writesOf("API"),
  URL: writesOf("URL"),
  TCP: writesOf("TCP"),
  DNS: writesOf("DNS"),
  ICMP: writesOf("ICMP"),
  SSL: writesOf("SSL"),
} as const satisfies { readonly [T in CheckType]: ReturnType<typeof writesOf<T>> };

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
  ...Object.values(checkWrites).flatMap(({ create, update }) => [create, update]),
  listChecksV1,
  listChecksV2,
  listChecksV3,
  getCheckV1,
  getCheckV2,
  getCheckV3,
  deleteCheck,
] as const;
