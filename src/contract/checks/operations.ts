import { z } from "zod";
import { exampleIds } from "../example-ids.ts";
import type { Operation } from "../operation.ts";
import { CheckTypeName, Limit, Page, QueryBoolean, queryList, UuidPathId } from "../primitives.ts";
import { checkExamples } from "./examples.ts";
import { storedCheckTypes } from "./stored-types.ts";

/** A check as GET answers it; every check type adds one member to each version. */
export const CheckV1 = z.discriminatedUnion("checkType", everyType("readV1"));
export type CheckV1 = z.output<typeof CheckV1>;
export const CheckV2 = z.discriminatedUnion("checkType", everyType("readV2"));
export type CheckV2 = z.output<typeof CheckV2>;
export const CheckV3 = z.discriminatedUnion("checkType", everyType("readV3"));
export type CheckV3 = z.output<typeof CheckV3>;

function everyType<Form extends keyof (typeof storedCheckTypes)["API"] & ("createOfType" | "update" | `readV${1 | 2 | 3}`)>(form: Form) {
  const { AGENTIC, API, BROWSER, HEARTBEAT, ICMP, MULTI_STEP, TCP, PLAYWRIGHT, TRACEROUTE, URL, DNS, SSL, GRPC } = storedCheckTypes;
  return [
    API[form],
    URL[form],
    TCP[form],
    DNS[form],
    ICMP[form],
    SSL[form],
    BROWSER[form],
    MULTI_STEP[form],
    PLAYWRIGHT[form],
    AGENTIC[form],
    HEARTBEAT[form],
    TRACEROUTE[form],
    GRPC[form],
  ] as const;
}

const applyGroupSettings = QueryBoolean.default(false).describe("show what the check's group makes of it");

/** Filters of the check lists; each narrows further. */
export const CheckListQuery = z.object({
  limit: Limit,
  page: Page,
  tag: queryList(z.string().max(255)).optional().describe("checks that carry these tags"),
  checkType: CheckTypeName.optional(),
  search: z.string().max(255).optional().describe("part of the name, in any case"),
  status: z.enum(["passing", "failing", "degraded"]).optional(),
  apiCheckUrlFilterPattern: z.string().min(1).max(2048).optional().describe("part of the URL of an API check or a URL monitor"),
  applyGroupSettings,
});
export type CheckListQuery = z.output<typeof CheckListQuery>;

const common = { tag: "Checks", rateLimit: "standard" } as const;
const write = {
  ...common,
  access: "write",
  query: z.object({
    autoAssignAlerts: QueryBoolean.default(true).describe(
      "on creation, subscribe the check to all alert channels; in an update false ends subscriptions where the body has no `alertChannelSubscriptions`",
    ),
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

/** The operations that create and change checks of one type. `name` stands in their ids, and so in the names of a client's methods. */
function writesOf<T extends TypedCheckType, const Name extends string, const Path extends string>(type: T, name: Name, path: Path) {
  const { title, create, update, readV1: output }: (typeof storedCheckTypes)[T] = storedCheckTypes[type];
  const { id, body, described } = checkExamples[type];
  return {
    create: {
      ...write,
      id: `create${name}`,
      method: "POST",
      path: `/v1/checks/${path}`,
      summary: `Create ${article(title)}`,
      description: described,
      example: { body },
      body: create,
      output,
      successStatus: 201,
      errors: type === "HEARTBEAT" ? [409] : [], // its own token may be taken
    },
    update: {
      ...write,
      ...byId,
      id: `update${name}`,
      method: "PUT",
      path: `/v1/checks/${path}/{id}`,
      summary: `Change ${article(title)}; what is omitted keeps its value`,
      description: partialUpdate,
      example: { params: { id }, body: { name: body.name, muted: true } },
      body: update,
      output,
      successStatus: 200,
      errors: type === "HEARTBEAT" ? [409] : [],
    },
  } as const satisfies Record<string, Operation>;
}

function article(title: string): string {
  return `${/^(API|ICMP|SSL)/.test(title) ? "an" : "a"} ${title}`;
}

const partialUpdate =
  "What is omitted keeps its value. What is sent replaces, also an object: of `request`, `alertSettings` or `retryStrategy` what is left out inside takes its default; only `heartbeat` keeps it. Null empties: `groupId: null` leaves the group. An offset that a new frequency does not allow is assigned anew. Unknown and read-only fields are ignored, so that what was read can be sent back.";

/** The types that have operations of their own. The others are written through the forms that name the type in the body. */
export const checkWrites = {
  API: writesOf("API", "ApiCheck", "api"),
  URL: writesOf("URL", "UrlCheck", "url"),
  TCP: writesOf("TCP", "TcpCheck", "tcp"),
  DNS: writesOf("DNS", "DnsCheck", "dns"),
  ICMP: writesOf("ICMP", "IcmpCheck", "icmp"),
  SSL: writesOf("SSL", "SslCheck", "ssl"),
  GRPC: writesOf("GRPC", "GrpcCheck", "grpc"),
  TRACEROUTE: writesOf("TRACEROUTE", "TracerouteCheck", "traceroute"),
  PLAYWRIGHT: writesOf("PLAYWRIGHT", "PlaywrightCheck", "playwright"),
  BROWSER: writesOf("BROWSER", "BrowserCheck", "browser"),
  MULTI_STEP: writesOf("MULTI_STEP", "MultistepCheck", "multistep"),
  HEARTBEAT: writesOf("HEARTBEAT", "HeartbeatCheck", "heartbeat"),
} as const;
type TypedCheckType = keyof typeof checkExamples;

export const createCheck = {
  ...write,
  id: "createCheck",
  method: "POST",
  path: "/v1/checks",
  summary: "Create a check of the type that the body names",
  description:
    "For clients that know no operation per type, and the only way to write agentic checks. Where no agent of a location runs a type, each of its runs that is due ends as MISSED with the reason no_agent.",
  example: {
    body: {
      checkType: "AGENTIC",
      name: "Buy a book as a stranger would",
      frequency: 60,
      locations: ["eu-central-1"],
      prompt:
        "Open https://shop.example.com, search for the book Dune and put it into the cart. The cart has to show one book and its price.",
      allowedHosts: ["login.example.com"],
    },
  },
  body: z.discriminatedUnion("checkType", everyType("createOfType")),
  output: CheckV1,
  errors: [409], // a heartbeat's own token may be taken
  successStatus: 201,
} as const satisfies Operation;

export const updateCheck = {
  ...write,
  ...byId,
  id: "updateCheck",
  method: "PUT",
  path: "/v1/checks/{id}",
  summary: "Change a check of any type; what is omitted keeps its value",
  description: `${partialUpdate} The type of a check cannot change: a \`checkType\` in the body must be the check's own.`,
  example: { params: { id: exampleIds.check }, body: { name: checkExamples.API.body.name, muted: true } },
  body: z.looseObject({ checkType: CheckTypeName.optional() }),
  bodyShown: z.union(everyType("update")),
  output: CheckV1,
  errors: [409],
  successStatus: 200,
} as const satisfies Operation;

const listed =
  "Oldest first. Every filter narrows further; a check must carry all the tags. `status` follows the latest result or event, so checks without any are in none of the three.";

export const listChecksV1 = {
  ...list,
  id: "listChecksV1",
  path: "/v1/checks",
  summary: "List checks",
  description: listed,
  example: { query: { checkType: "API", tag: "shop", limit: 20 } },
  output: z.array(CheckV1),
} as const satisfies Operation;

export const listChecksV2 = {
  ...list,
  id: "listChecksV2",
  path: "/v2/checks",
  summary: "List checks, without the fields of code projects",
  description: listed,
  example: { query: { status: "passing", search: "page" } },
  output: z.array(CheckV2),
} as const satisfies Operation;

export const listChecksV3 = {
  ...list,
  id: "listChecksV3",
  path: "/v3/checks",
  summary: "List checks, the intent as typed constraints",
  description: listed,
  example: { query: { page: 1 } },
  output: z.array(CheckV3),
} as const satisfies Operation;

export const getCheckV1 = {
  ...read,
  id: "getCheckV1",
  path: "/v1/checks/{id}",
  summary: "Read a check",
  example: { params: { id: exampleIds.check } },
  output: CheckV1,
} as const satisfies Operation;

export const getCheckV2 = {
  ...read,
  id: "getCheckV2",
  path: "/v2/checks/{id}",
  summary: "Read a check, without the fields of code projects",
  example: { params: { id: exampleIds.check }, query: { applyGroupSettings: true } },
  output: CheckV2,
} as const satisfies Operation;

export const getCheckV3 = {
  ...read,
  id: "getCheckV3",
  path: "/v3/checks/{id}",
  summary: "Read a check, the intent as typed constraints",
  example: { params: { id: exampleIds.browserCheck }, query: { includeDependencies: true } },
  output: CheckV3,
} as const satisfies Operation;

export const deleteCheck = {
  ...byId,
  id: "deleteCheck",
  method: "DELETE",
  path: "/v1/checks/{id}",
  summary: "Delete a check with its results",
  description: "Its sessions that have not ended are cancelled. Results are not found any more at once, and are removed a little later.",
  example: { params: { id: exampleIds.check } },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const checkOperations = [
  ...Object.values(checkWrites).flatMap(({ create, update }) => [create, update]),
  createCheck,
  updateCheck,
  listChecksV1,
  listChecksV2,
  listChecksV3,
  getCheckV1,
  getCheckV2,
  getCheckV3,
  deleteCheck,
] as const;
