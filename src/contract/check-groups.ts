import { z } from "zod";
import { AlertSettings, defaultAlertSettings } from "./checks/alert-settings.ts";
import { ApiAssertion, KeyValue } from "./checks/api.ts";
import { AlertChannelSubscription } from "./checks/check.ts";
import { RetryStrategy } from "./checks/retry-strategy.ts";
import { exampleIds } from "./example-ids.ts";
import { DataCenterLocation } from "./locations.ts";
import type { Operation } from "./operation.ts";
import { CheckTypeName, Instant, Limit, NumberPathId, Page, QueryBoolean, queryList, Uuid, UuidPathId } from "./primitives.ts";
import { ProjectBindings } from "./project-bindings.ts";
import { RuntimeId } from "./runtime-catalog.ts";
import { secretField } from "./secret-fields.ts";
import { withDefaults } from "./with-defaults.ts";

/** A variable of a group's checks (spec 2.11). */
export const GroupVariable = z
  .object({
    key: z.string().min(1).max(255),
    value: secretField(
      "sealed, readable by a setting",
      z.string().max(32_768).describe("asterisks when it may not be read; sent back, they keep the value of a secret"),
    ),
    locked: z.boolean().default(false).describe("only keys of role READ_WRITE and higher read the value"),
    secret: z.boolean().default(false).describe("the value is stored sealed, never read back, and scrubbed from results"),
  })
  .meta({ id: "GroupVariable" });
export type GroupVariable = z.output<typeof GroupVariable>;

const entries = z.array(KeyValue).max(100);
/** What API checks of a group get (spec 2.11, behaviour 2.6). No component of its own: its default stands beside it. */
const apiCheckDefaults = z.object({
  url: z.string().max(2048).nullable().default("").describe("reaches the checks as {{GROUP_BASE_URL}} only"),
  headers: entries.default([]).describe("a check's own header of the same name wins"),
  queryParameters: entries.default([]).describe("a check's own parameter of the same name wins"),
  assertions: z.array(ApiAssertion).max(100).default([]).describe("appended to a check's own"),
  basicAuth: z
    .object({
      username: z.string().max(1000).default(""),
      password: secretField("sealed, readable by a setting", z.string().max(1000).default("")),
    })
    .nullish()
    .describe("for checks that have none; both empty: none"),
});
export type ApiCheckDefaults = z.output<typeof apiCheckDefaults>;

const script = z.string().max(262_144).nullable();
const GroupRetryStrategy = z.union([RetryStrategy.nullable(), z.literal("FALLBACK").describe("each check's own")]);

const shared = {
  name: z.string().min(1).max(255),
  activated: z.boolean().describe("false: none of its checks runs"),
  muted: z.boolean().describe("no notifications about its checks"),
  tags: z.array(z.string().min(1).max(255)).max(500).describe("count for its checks where a trigger matches tags"),
  locations: z
    .array(DataCenterLocation)
    .max(100)
    .nullable()
    .describe("with privateLocations: where its checks run, instead of at their own"),
  concurrency: z.number().int().min(1).max(1000).describe("how many of its checks run at a time when it is triggered"),
  browserCheckDefaults: z.string().max(262_144),
  runtimeId: RuntimeId.nullable().describe("for checks that name none"),
  environmentVariables: z.array(GroupVariable).max(100).nullable().describe("a check's own variable of the same key wins"),
  doubleCheck: z.boolean().describe("deprecated: kept and given back, retryStrategy decides"),
  alertChannelSubscriptions: z.array(AlertChannelSubscription.extend({ activated: z.boolean().default(true) })).max(1000),
  setupSnippetId: z.int().nullable().describe("runs before the setup of its API checks; it wins over localSetupScript"),
  tearDownSnippetId: z.int().nullable().describe("runs after the teardown of its API checks; it wins over localTearDownScript"),
  localSetupScript: script.describe("Node.js code, runs before the setup of its API checks"),
  localTearDownScript: script.describe("Node.js code, runs after the teardown of its API checks"),
  privateLocations: z.array(z.string().min(1).max(255)).max(100).nullable().describe("slug names of private locations"),
};

const creation = {
  ...withDefaults(shared, {
    activated: true,
    muted: false,
    tags: [],
    locations: [],
    concurrency: 3,
    browserCheckDefaults: "",
    runtimeId: null,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
  }),
  apiCheckDefaults: apiCheckDefaults.prefault({}),
  environmentVariables: shared.environmentVariables.optional(),
  privateLocations: shared.privateLocations.optional(),
  alertChannelSubscriptions: shared.alertChannelSubscriptions.optional(),
};

/** Body of a creation in v1, which always enforces what it can (behaviour 2.6). */
export const CheckGroupCreate = z
  .object({
    ...creation,
    doubleCheck: shared.doubleCheck.default(true),
    useGlobalAlertSettings: z.boolean().default(true).describe("checks without alert settings of their own follow the account's"),
    alertSettings: z.object(AlertSettings.shape).default(defaultAlertSettings),
    runParallel: z.boolean().default(false),
    retryStrategy: GroupRetryStrategy.optional().describe("null: no retries; omitted: each check's own"),
  })
  .meta({ id: "CheckGroupCreate" });
export type CheckGroupCreate = z.output<typeof CheckGroupCreate>;

/** The same in an update, which replaces; only the name may be left out (spec 4.2). */
export const CheckGroupUpdate = CheckGroupCreate.extend({ name: shared.name.optional() }).meta({ id: "CheckGroupUpdate" });
export type CheckGroupUpdate = z.output<typeof CheckGroupUpdate>;

/** Body of a creation or an update in v2: null leaves it to each check (behaviour 2.6). */
export const CheckGroupCreateV2 = z
  .object({
    ...creation,
    doubleCheck: shared.doubleCheck.default(false),
    useGlobalAlertSettings: z.boolean().nullable().default(null).describe("null: each check's own"),
    alertSettings: AlertSettings.nullable().default(null).describe("null: each check's own"),
    runParallel: z.boolean().nullable().default(null).describe("null: each check's own"),
    retryStrategy: GroupRetryStrategy.default("FALLBACK").describe("null: no retries"),
  })
  .meta({ id: "CheckGroupCreateV2" });
export type CheckGroupCreateV2 = z.output<typeof CheckGroupCreateV2>;

const enforced = {
  useGlobalAlertSettings: z.boolean().nullable().describe("null: each check's own"),
  alertSettings: AlertSettings.nullable().describe("null: each check's own"),
  runParallel: z.boolean().nullable().describe("null: each check's own"),
  retryStrategy: GroupRetryStrategy.describe("null: no retries"),
};

/** What is kept of a group; its subscriptions are kept with those of all others. */
export interface CheckGroupSettings
  extends Omit<CheckGroup, "id" | "created_at" | "updated_at" | "alertChannelSubscriptions" | "environmentVariables"> {
  readonly environmentVariables: readonly StoredGroupVariable[] | null;
}

/** A variable as it is kept: a secret one has its value only sealed. */
export interface StoredGroupVariable extends Omit<GroupVariable, "value"> {
  readonly value: string | null;
  readonly sealed?: string;
}

/** A group as creation and update answer it (spec 2.11). */
export const CheckGroup = z
  .object({ id: z.int(), ...shared, apiCheckDefaults, ...enforced, created_at: Instant, updated_at: Instant.nullable() })
  .meta({ id: "CheckGroup" });
export type CheckGroup = z.output<typeof CheckGroup>;

export const CheckGroupRead = CheckGroup.extend({ projectBindings: ProjectBindings.optional() }).meta({ id: "CheckGroupRead" });
export type CheckGroupRead = z.output<typeof CheckGroupRead>;

/** A check of a group, to be read under `/v1/checks`. */
export const CheckGroupCheck = z.object({ id: Uuid, checkType: CheckTypeName }).meta({ id: "CheckGroupCheck" });
export type CheckGroupCheck = z.output<typeof CheckGroupCheck>;

export const CheckGroupListQuery = z.object({
  limit: Limit,
  page: Page,
  tag: queryList(z.string().max(255)).optional().describe("groups that carry these tags"),
  name: z
    .preprocess((given) => (given === undefined ? given : [given].flat()), z.array(z.string().max(255)).max(100).optional())
    .describe("groups of one of these names"),
});
export type CheckGroupListQuery = z.output<typeof CheckGroupListQuery>;

const common = { tag: "Check groups", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ id: NumberPathId }) } as const;
const write = {
  access: "write",
  query: z.object({
    autoAssignAlerts: QueryBoolean.default(true).describe("subscribe a new group to all channels; false ends unnamed ones"),
  }),
  output: CheckGroup,
} as const;
const exampleBody = {
  name: "Checkout",
  tags: ["checkout"],
  concurrency: 2,
  apiCheckDefaults: { headers: [{ key: "x-team", value: "payments" }] },
};
const creationText =
  "At each start of a run the group's settings join those of its checks. The group's locations, where it has any, replace a check's own; " +
  "headers, parameters, variables, basic auth and the runtime of a check win over the group's; assertions are appended.";
const updateText =
  "Replaces the whole group: what is left out takes its default; only its subscriptions stay, and end where `autoAssignAlerts` is false. A secret that is sent as it was read keeps its value. The checks of the group follow at once. Refused where an activated check would be left without any location.";

export const listCheckGroups = {
  ...common,
  id: "listCheckGroups",
  method: "GET",
  path: "/v1/check-groups",
  summary: "List check groups",
  description: "Oldest first. The values of secret variables read as asterisks.",
  access: "read",
  query: CheckGroupListQuery,
  output: z.array(CheckGroupRead),
  successStatus: 200,
  paged: true,
  example: { query: { limit: 20, tag: ["checkout"] } },
} as const satisfies Operation;

export const createCheckGroupV1 = {
  ...common,
  ...write,
  id: "createCheckGroupV1",
  method: "POST",
  path: "/v1/check-groups",
  summary: "Create a check group that enforces its settings",
  description: creationText,
  body: CheckGroupCreate,
  successStatus: 201,
  example: { body: exampleBody },
} as const satisfies Operation;

export const createCheckGroupV2 = {
  ...common,
  ...write,
  id: "createCheckGroupV2",
  method: "POST",
  path: "/v2/check-groups",
  summary: "Create a check group (settings may be left to its checks)",
  description: creationText,
  body: CheckGroupCreateV2,
  successStatus: 201,
  example: { body: { ...exampleBody, runParallel: true } },
} as const satisfies Operation;

export const getCheckGroup = {
  ...byId,
  id: "getCheckGroup",
  method: "GET",
  path: "/v1/check-groups/{id}",
  summary: "Read a check group",
  description: "The values of secret variables read as asterisks.",
  access: "read",
  output: CheckGroupRead,
  successStatus: 200,
  example: { params: { id: exampleIds.group } },
} as const satisfies Operation;

export const updateCheckGroupV1 = {
  ...byId,
  ...write,
  id: "updateCheckGroupV1",
  method: "PUT",
  path: "/v1/check-groups/{id}",
  summary: "Replace a check group; it enforces its settings then",
  description: `${updateText} A name that is left out stays.`,
  body: CheckGroupUpdate,
  successStatus: 200,
  example: { params: { id: exampleIds.group }, body: exampleBody },
} as const satisfies Operation;

export const updateCheckGroupV2 = {
  ...byId,
  ...write,
  id: "updateCheckGroupV2",
  method: "PUT",
  path: "/v2/check-groups/{id}",
  summary: "Replace a check group (settings may be left to its checks)",
  description: updateText,
  body: CheckGroupCreateV2,
  successStatus: 200,
  example: { params: { id: exampleIds.group }, body: { ...exampleBody, runParallel: true } },
} as const satisfies Operation;

export const deleteCheckGroup = {
  ...byId,
  id: "deleteCheckGroup",
  method: "DELETE",
  path: "/v1/check-groups/{id}",
  summary: "Delete a check group that has no checks",
  access: "write",
  successStatus: 204,
  errors: [409],
  example: { params: { id: exampleIds.group } },
} as const satisfies Operation;

const listOfChecks = {
  ...byId,
  method: "GET",
  description: "Oldest first.",
  access: "read",
  query: z.object({ limit: Limit, page: Page }),
  output: z.array(CheckGroupCheck),
  successStatus: 200,
  paged: true,
  example: { params: { id: exampleIds.group }, query: { limit: 100 } },
} as const;
const oneCheck = {
  ...common,
  method: "GET",
  access: "read",
  params: z.object({ groupId: NumberPathId, checkId: UuidPathId }),
  output: CheckGroupCheck,
  successStatus: 200,
  example: { params: { groupId: exampleIds.group, checkId: exampleIds.check } },
} as const;

export const listGroupChecksV1 = {
  ...listOfChecks,
  id: "listGroupChecksV1",
  path: "/v1/check-groups/{id}/checks",
  summary: "List the checks of a group",
} as const satisfies Operation;

export const listGroupChecksV2 = {
  ...listOfChecks,
  id: "listGroupChecksV2",
  path: "/v2/check-groups/{id}/checks",
  summary: "List the checks of a group",
} as const satisfies Operation;

export const getGroupCheckV1 = {
  ...oneCheck,
  id: "getGroupCheckV1",
  path: "/v1/check-groups/{groupId}/checks/{checkId}",
  summary: "Tell whether a check is in a group, and its type",
} as const satisfies Operation;

export const getGroupCheckV2 = {
  ...oneCheck,
  id: "getGroupCheckV2",
  path: "/v2/check-groups/{groupId}/checks/{checkId}",
  summary: "Tell whether a check is in a group, and its type",
} as const satisfies Operation;

export const checkGroupOperations = [
  listCheckGroups,
  createCheckGroupV1,
  createCheckGroupV2,
  getCheckGroup,
  updateCheckGroupV1,
  updateCheckGroupV2,
  deleteCheckGroup,
  listGroupChecksV1,
  listGroupChecksV2,
  getGroupCheckV1,
  getGroupCheckV2,
] as const;
