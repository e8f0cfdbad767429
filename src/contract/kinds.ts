import { getOwnAccount, updateOwnAccount } from "./accounts.ts";
import { createAlertChannel, deleteAlertChannel, getAlertChannel, listAlertChannels, updateAlertChannel } from "./alert-channels.ts";
import { createCheckGroupV2, deleteCheckGroup, getCheckGroup, listCheckGroups, updateCheckGroupV2 } from "./check-groups.ts";
import { createCheck, deleteCheck, getCheckV1, listChecksV1, updateCheck } from "./checks/operations.ts";
import { createClientCertificate, deleteClientCertificate, getClientCertificate, listClientCertificates } from "./client-certificates.ts";
import { createDashboard, deleteDashboard, getDashboard, listDashboards, updateDashboard } from "./dashboards.ts";
import { createIncident, deleteIncident, getIncident, updateIncident } from "./incidents.ts";
import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  getMaintenanceWindow,
  listMaintenanceWindows,
  updateMaintenanceWindow,
} from "./maintenance-windows.ts";
import type { Operation } from "./operation.ts";
import type { operations } from "./operations.ts";
import {
  createPrivateLocation,
  deletePrivateLocation,
  getPrivateLocation,
  listPrivateLocations,
  updatePrivateLocation,
} from "./private-locations.ts";
import { createSnippet, deleteSnippet, getSnippet, listSnippets, updateSnippet } from "./snippets.ts";
import {
  createStatusPageIncident,
  deleteStatusPageIncident,
  getStatusPageIncident,
  listStatusPageIncidents,
  updateStatusPageIncident,
} from "./status-pages/incidents.ts";
import { createStatusPage, deleteStatusPage, getStatusPage, listStatusPages, updateStatusPage } from "./status-pages/pages.ts";
import {
  createStatusPageService,
  deleteStatusPageService,
  getStatusPageService,
  listStatusPageServices,
  updateStatusPageService,
} from "./status-pages/services.ts";
import { createVariable, deleteVariable, getVariable, listVariables, updateVariable } from "./variables.ts";

/** A field of a body that names an object of another kind. `cards[].services[].id` is every id of every service of every card. */
export interface Reference {
  readonly path: string;
  readonly kind: string;
}

/** In the list of operations: one that is not there has no route. */
type Listed = Operation & { readonly id: (typeof operations)[number]["id"] };

/** Something that an account configures over REST. */
export interface KindInContract {
  /** What people call one, in a sentence. */
  readonly title: string;
  /** The field of an answer that says which one. The last parameter of a path, whatever its name, says the same. */
  readonly idField: "id" | "key" | "dashboardId";
  readonly idType: "number" | "uuid" | "name";
  readonly operations: { readonly [What in "list" | "create" | "find" | "update" | "remove"]?: Listed };
  readonly references: readonly Reference[];
}

const services = "status-page-service" as const;
const snippetReferences = [
  { path: "setupSnippetId", kind: "snippet" },
  { path: "tearDownSnippetId", kind: "snippet" },
] as const;
const channelReference = { path: "alertChannelSubscriptions[].alertChannelId", kind: "alert-channel" } as const;

/**
 * Every kind, each after those that it refers to. REST handlers, pages of the console and configuration as code read this table; what each
 * of them adds is a table with the same keys, so that a kind that is missing there does not compile.
 */
export const kinds = {
  account: {
    title: "account",
    idField: "id",
    idType: "uuid",
    operations: { find: getOwnAccount, update: updateOwnAccount },
    references: [],
  },
  "private-location": {
    title: "private location",
    idField: "id",
    idType: "uuid",
    operations: {
      list: listPrivateLocations,
      create: createPrivateLocation,
      find: getPrivateLocation,
      update: updatePrivateLocation,
      remove: deletePrivateLocation,
    },
    references: [],
  },
  snippet: {
    title: "snippet",
    idField: "id",
    idType: "number",
    operations: { list: listSnippets, create: createSnippet, find: getSnippet, update: updateSnippet, remove: deleteSnippet },
    references: [],
  },
  variable: {
    title: "environment variable",
    idField: "key",
    idType: "name",
    operations: { list: listVariables, create: createVariable, find: getVariable, update: updateVariable, remove: deleteVariable },
    references: [],
  },
  "client-certificate": {
    title: "client certificate",
    idField: "id",
    idType: "uuid",
    operations: {
      list: listClientCertificates,
      create: createClientCertificate,
      find: getClientCertificate,
      remove: deleteClientCertificate,
    },
    references: [],
  },
  "alert-channel": {
    title: "alert channel",
    idField: "id",
    idType: "number",
    operations: {
      list: listAlertChannels,
      create: createAlertChannel,
      find: getAlertChannel,
      update: updateAlertChannel,
      remove: deleteAlertChannel,
    },
    references: [],
  },
  [services]: {
    title: "service",
    idField: "id",
    idType: "uuid",
    operations: {
      list: listStatusPageServices,
      create: createStatusPageService,
      find: getStatusPageService,
      update: updateStatusPageService,
      remove: deleteStatusPageService,
    },
    references: [],
  },
  "check-group": {
    title: "check group",
    idField: "id",
    idType: "number",
    operations: {
      list: listCheckGroups,
      create: createCheckGroupV2,
      find: getCheckGroup,
      update: updateCheckGroupV2,
      remove: deleteCheckGroup,
    },
    references: [channelReference, ...snippetReferences],
  },
  check: {
    title: "check",
    idField: "id",
    idType: "uuid",
    operations: { list: listChecksV1, create: createCheck, find: getCheckV1, update: updateCheck, remove: deleteCheck },
    references: [
      { path: "groupId", kind: "check-group" },
      channelReference,
      ...snippetReferences,
      { path: "triggerIncident.serviceId", kind: services },
      { path: "request.sslClientCertificateId", kind: "client-certificate" },
    ],
  },
  dashboard: {
    title: "dashboard",
    idField: "dashboardId",
    idType: "name",
    operations: { list: listDashboards, create: createDashboard, find: getDashboard, update: updateDashboard, remove: deleteDashboard },
    references: [],
  },
  incident: {
    title: "incident",
    idField: "id",
    idType: "uuid",
    operations: { create: createIncident, find: getIncident, update: updateIncident, remove: deleteIncident },
    references: [{ path: "dashboardId", kind: "dashboard" }],
  },
  "status-page": {
    title: "status page",
    idField: "id",
    idType: "uuid",
    operations: {
      list: listStatusPages,
      create: createStatusPage,
      find: getStatusPage,
      update: updateStatusPage,
      remove: deleteStatusPage,
    },
    references: [{ path: "cards[].services[].id", kind: services }],
  },
  "status-page-incident": {
    title: "incident",
    idField: "id",
    idType: "uuid",
    operations: {
      list: listStatusPageIncidents,
      create: createStatusPageIncident,
      find: getStatusPageIncident,
      update: updateStatusPageIncident,
      remove: deleteStatusPageIncident,
    },
    references: [{ path: "services[].id", kind: services }],
  },
  "maintenance-window": {
    title: "maintenance window",
    idField: "id",
    idType: "number",
    operations: {
      list: listMaintenanceWindows,
      create: createMaintenanceWindow,
      find: getMaintenanceWindow,
      update: updateMaintenanceWindow,
      remove: deleteMaintenanceWindow,
    },
    references: [
      { path: "statusPageVisibility.statusPageIds[]", kind: "status-page" },
      { path: "statusPageVisibility.serviceIds[]", kind: services },
    ],
  },
  // Parts of others, with operations of their own.
  maintenance: { title: "maintenance", idField: "id", idType: "uuid", operations: {}, references: [] },
  "status-page-subscription": { title: "subscription", idField: "id", idType: "uuid", operations: {}, references: [] },
  "deployment-trigger": { title: "deployment trigger", idField: "id", idType: "number", operations: {}, references: [] },
  trigger: { title: "trigger", idField: "id", idType: "number", operations: {}, references: [] },
} as const satisfies Readonly<Record<string, KindInContract>>;

export type KindName = keyof typeof kinds;

/** The operation of a kind that does `what`; never where it has none. */
export type KindOperation<K extends KindName, What extends keyof KindInContract["operations"]> =
  (typeof kinds)[K]["operations"] extends Readonly<Record<What, infer O extends Operation>> ? O : never;

/** A kind as those read it who serve all of them. What it refers to are kinds, or this does not compile. */
export interface AnyKind extends KindInContract {
  readonly references: readonly (Reference & { readonly kind: KindName })[];
}

export function kindNamed(name: KindName): AnyKind {
  return kinds[name];
}

/** The parameter of a path that names the object: the last one. Undefined where the path ends otherwise. */
export function objectParameter({ path }: Pick<Operation, "path">): string | undefined {
  return /\{(\w+)\}$/.exec(path)?.[1];
}
