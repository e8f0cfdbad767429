import type { z } from "zod";
import { AccountUpdate } from "#contract/accounts.ts";
import { AlertChannelWrite } from "#contract/alert-channels.ts";
import { CheckGroupCreate, CheckGroupCreateV2 } from "#contract/check-groups.ts";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { Client } from "#contract/client.ts";
import { ClientCertificateCreate } from "#contract/client-certificates.ts";
import { DashboardCreate } from "#contract/dashboards.ts";
import { MaintenanceWindowCreate } from "#contract/maintenance-windows.ts";
import { CheckTypeName } from "#contract/primitives.ts";
import { PrivateLocationCreate } from "#contract/private-locations.ts";
import { SnippetCreate } from "#contract/snippets.ts";
import { StatusPageWrite } from "#contract/status-pages/pages.ts";
import { createStatusPageService } from "#contract/status-pages/services.ts";
import { EnvironmentVariableCreate, secretMask } from "#contract/variables.ts";
import { type Body, isBody } from "./paths.ts";

/** A field that holds the id of an object of another section. In a file the object's key stands there. */
export interface Reference {
  readonly path: string;
  readonly section: string;
}

/** Something that a file can hold. Each entry of its section is the body of the operation that creates it. */
export interface Kind {
  /** Name of its list in a file. */
  readonly section: string;
  readonly title: string;
  /** Of the body of a creation; undefined when no form fits the body. */
  readonly schemaOf: (body: Body) => z.ZodObject | undefined;
  /** What people call an object by: it finds the object that an entry means, and other entries refer to it. */
  readonly keyOf: (body: Body) => string;
  readonly references: readonly Reference[];
  /** Parts that belong to other objects or to this installation alone. */
  readonly leftOut?: readonly string[];
  /** Fields that stay as they are where an entry does not name them. */
  readonly keptWhenOmitted?: readonly string[];
  /** Fields that a file tells also where they have their defaults: they say what the others mean. */
  readonly alwaysTold?: readonly string[];
  /** Secret fields of which only a new object is told. */
  readonly notCompared?: readonly string[];
  /** A body as an answer tells it, made that of a creation: what cannot be read stands as asterisks. */
  readonly asBody?: (read: Body) => Body;
  /** A body as a file tells it, where that is shorter. */
  readonly asText?: (body: Body) => Body;
  /** All of the account, the oldest first; each has its `id` (or what stands for one) under `idField`. */
  readonly list: (client: Client) => Promise<readonly Body[]>;
  readonly idField: string;
  readonly create: ((client: Client, body: Body, options: { readonly autoAssignAlerts: boolean }) => Promise<Body>) | null;
  /** Null where an object cannot be changed: it is made anew. */
  readonly update: ((client: Client, id: never, body: Body) => Promise<unknown>) | null;
  readonly remove: ((client: Client, id: never) => Promise<unknown>) | null;
}

/** Declares a kind whose id is a number or a text, as its operations take it. */
function kind<Id extends string | number>(
  parts: Omit<Kind, "update" | "remove" | "idField" | "references"> & {
    readonly idField?: string;
    readonly references?: readonly Reference[];
    readonly update: ((client: Client, id: Id, body: Body) => Promise<unknown>) | null;
    readonly remove: ((client: Client, id: Id) => Promise<unknown>) | null;
  },
): Kind {
  return { idField: "id", references: [], ...parts };
}

/** Every entry was parsed with the schema of the operation before it is sent, which the compiler cannot follow. */
const sent = (body: Body): never => body as never;

const name = (body: Body): string => String(body["name"]);
const channelReference = { path: "alertChannelSubscriptions[].alertChannelId", section: "alertChannels" };
const snippetReferences = [
  { path: "setupSnippetId", section: "snippets" },
  { path: "tearDownSnippetId", section: "snippets" },
];

async function allPages(list: (page: number) => Promise<{ readonly items: readonly unknown[]; readonly total: number }>): Promise<Body[]> {
  const all: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await list(page);
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all as Body[];
  }
}

async function allEntries(
  list: (nextId: string | undefined) => Promise<{ readonly entries: readonly unknown[]; readonly nextId: string | null }>,
): Promise<Body[]> {
  const all: unknown[] = [];
  let nextId: string | undefined;
  do {
    const answer = await list(nextId);
    all.push(...answer.entries);
    nextId = answer.nextId ?? undefined;
  } while (nextId !== undefined);
  return all as Body[];
}

const limit = 100;

/** Every kind, each after those that it refers to. */
export const kinds: readonly Kind[] = [
  kind<string>({
    section: "account",
    title: "account",
    schemaOf: () => AccountUpdate,
    keyOf: () => "account",
    list: async (client) => [{ ...(await client.getOwnAccount()) }],
    create: null,
    update: (client, _id, body) => client.updateOwnAccount({ body: sent(body) }),
    remove: null,
  }),
  kind<string>({
    section: "privateLocations",
    title: "private location",
    schemaOf: () => PrivateLocationCreate,
    keyOf: (body) => String(body["slugName"]),
    list: (client) => client.listPrivateLocations(),
    create: (client, body) => client.createPrivateLocation({ body: sent(body) }),
    update: (client, id, body) => client.updatePrivateLocation({ params: { id }, body: sent(body) }),
    remove: (client, id) => client.deletePrivateLocation({ params: { id } }),
  }),
  kind<number>({
    section: "snippets",
    title: "snippet",
    schemaOf: () => SnippetCreate,
    keyOf: name,
    list: (client) => allPages((page) => client.listSnippets({ query: { limit, page } })),
    create: (client, body) => client.createSnippet({ body: sent(body) }),
    update: (client, id, body) => client.updateSnippet({ params: { id }, body: sent(body) }),
    remove: (client, id) => client.deleteSnippet({ params: { id } }),
  }),
  kind<string>({
    section: "variables",
    title: "environment variable",
    schemaOf: () => EnvironmentVariableCreate,
    keyOf: (body) => String(body["key"]),
    idField: "key",
    asBody: (read) => ({ ...read, value: read["value"] ?? secretMask }),
    list: (client) => allPages((page) => client.listVariables({ query: { limit, page } })),
    create: (client, body) => client.createVariable({ body: sent(body) }),
    update: (client, key, body) => client.updateVariable({ params: { key }, body: sent(body) }),
    remove: (client, key) => client.deleteVariable({ params: { key } }),
  }),
  kind<string>({
    section: "clientCertificates",
    title: "client certificate",
    schemaOf: () => ClientCertificateCreate,
    keyOf: (body) => String(body["host"]),
    notCompared: ["key", "passphrase"],
    asBody: (read) => ({ ...read, key: secretMask }),
    list: (client) => client.listClientCertificates(),
    create: (client, body) => client.createClientCertificate({ body: sent(body) }),
    update: null,
    remove: (client, id) => client.deleteClientCertificate({ params: { id } }),
  }),
  kind<number>({
    section: "alertChannels",
    title: "alert channel",
    schemaOf: (body) => AlertChannelWrite.options.find((form) => form.shape.type.value === body["type"]),
    keyOf: channelKey,
    leftOut: ["subscriptions"],
    list: (client) => allPages((page) => client.listAlertChannels({ query: { limit, page } })),
    create: (client, body) => client.createAlertChannel({ body: sent(body) }),
    update: (client, id, body) => client.updateAlertChannel({ params: { id }, body: sent(body) }),
    remove: (client, id) => client.deleteAlertChannel({ params: { id } }),
  }),
  kind<string>({
    section: "statusPageServices",
    title: "service",
    schemaOf: () => createStatusPageService.body,
    keyOf: name,
    list: (client) => allEntries((nextId) => client.listStatusPageServices({ query: { limit, ...(nextId !== undefined && { nextId }) } })),
    create: (client, body) => client.createStatusPageService({ body: sent(body) }),
    update: (client, serviceId, body) => client.updateStatusPageService({ params: { serviceId }, body: sent(body) }),
    remove: (client, serviceId) => client.deleteStatusPageService({ params: { serviceId } }),
  }),
  kind<number>({
    section: "checkGroups",
    title: "check group",
    schemaOf: (body) => (enforcesAll(body) ? CheckGroupCreate : CheckGroupCreateV2),
    keyOf: name,
    references: [channelReference, ...snippetReferences],
    keptWhenOmitted: ["alertChannelSubscriptions"],
    alwaysTold: ["useGlobalAlertSettings", "alertSettings", "runParallel"],
    list: (client) => allPages((page) => client.listCheckGroups({ query: { limit, page } })),
    create: (client, body, query) =>
      enforcesAll(body) ? client.createCheckGroupV1({ query, body: sent(body) }) : client.createCheckGroupV2({ query, body: sent(body) }),
    update: (client, id, body) =>
      enforcesAll(body)
        ? client.updateCheckGroupV1({ params: { id }, body: sent(body) })
        : client.updateCheckGroupV2({ params: { id }, body: sent(body) }),
    remove: (client, id) => client.deleteCheckGroup({ params: { id } }),
  }),
  kind<string>({
    section: "checks",
    title: "check",
    schemaOf: ({ checkType = "API" }) =>
      Object.hasOwn(storedCheckTypes, String(checkType)) ? storedCheckTypes[checkType as keyof typeof storedCheckTypes].create : undefined,
    keyOf: name,
    references: [
      { path: "groupId", section: "checkGroups" },
      channelReference,
      ...snippetReferences,
      { path: "triggerIncident.serviceId", section: "statusPageServices" },
      { path: "request.sslClientCertificateId", section: "clientCertificates" },
    ],
    leftOut: ["heartbeat.pingToken", "heartbeat.pingUrl"],
    keptWhenOmitted: ["alertChannelSubscriptions", "frequencyOffset"],
    alwaysTold: ["checkType"],
    asText: withoutAliases,
    list: (client) => allPages((page) => client.listChecksV1({ query: { limit, page } })),
    create: (client, body, query) => client.createCheck({ query, body: sent({ checkType: "API", ...body }) }),
    update: (client, id, body) => client.updateCheck({ params: { id }, body: sent({ checkType: "API", ...body }) }),
    remove: (client, id) => client.deleteCheck({ params: { id } }),
  }),
  kind<string>({
    section: "dashboards",
    title: "dashboard",
    schemaOf: () => DashboardCreate,
    keyOf: ({ customUrl, customDomain, header }) => firstText([customUrl, customDomain, header]) ?? "dashboard",
    idField: "dashboardId",
    leftOut: ["keys"],
    list: (client) => allPages((page) => client.listDashboards({ query: { limit, page } })),
    create: (client, body) => client.createDashboard({ body: sent(body) }),
    update: (client, dashboardId, body) => client.updateDashboard({ params: { dashboardId }, body: sent(body) }),
    remove: (client, dashboardId) => client.deleteDashboard({ params: { dashboardId } }),
  }),
  kind<string>({
    section: "statusPages",
    title: "status page",
    schemaOf: () => StatusPageWrite,
    keyOf: (body) => String(body["url"]),
    references: [{ path: "cards[].services[].id", section: "statusPageServices" }],
    leftOut: ["cards[].id"],
    list: (client) => allEntries((nextId) => client.listStatusPages({ query: { limit, ...(nextId !== undefined && { nextId }) } })),
    create: (client, body) => client.createStatusPage({ body: sent(body) }),
    update: (client, statusPageId, body) => client.updateStatusPage({ params: { statusPageId }, body: sent(body) }),
    remove: (client, statusPageId) => client.deleteStatusPage({ params: { statusPageId } }),
  }),
  kind<number>({
    section: "maintenanceWindows",
    title: "maintenance window",
    schemaOf: () => MaintenanceWindowCreate,
    keyOf: name,
    references: [
      { path: "statusPageVisibility.statusPageIds[]", section: "statusPages" },
      { path: "statusPageVisibility.serviceIds[]", section: "statusPageServices" },
    ],
    list: (client) => allPages((page) => client.listMaintenanceWindows({ query: { limit, page } })),
    create: (client, body) => client.createMaintenanceWindow({ body: sent(body) }),
    update: (client, id, body) => client.updateMaintenanceWindow({ params: { id }, body: sent(body) }),
    remove: (client, id) => client.deleteMaintenanceWindow({ params: { id } }),
  }),
];

/** v1 enforces what it is given; a group that leaves something to its checks is written by v2 (behaviour 2.6). */
function enforcesAll({ useGlobalAlertSettings, alertSettings, runParallel }: Body): boolean {
  return [useGlobalAlertSettings, alertSettings, runParallel].every((setting) => setting !== null && setting !== undefined);
}

/** A request may be read with two names for one thing (behaviour 2.4). */
function withoutAliases(check: Body): Body {
  const { request } = check;
  const type = CheckTypeName.safeParse(check["checkType"]);
  if (!isBody(request) || !type.success) return check;
  const { aliases } = traitsOf(type.data);
  return { ...check, request: Object.fromEntries(Object.entries(request).filter(([field]) => !aliases.includes(field))) };
}

/** Where a channel sends to, in a few words. */
function channelKey({ type, config }: Body): string {
  const { name: named, address, number, serviceName, channel, slackChannels } = (config ?? {}) as Body;
  const to = firstText([named, address, number, serviceName, channel, Array.isArray(slackChannels) ? slackChannels.join(" ") : null]);
  return to === undefined ? String(type) : `${String(type)} ${to}`;
}

function firstText(candidates: readonly unknown[]): string | undefined {
  return candidates.find((one): one is string => typeof one === "string" && one !== "");
}
