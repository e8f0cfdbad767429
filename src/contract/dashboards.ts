import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { CustomDomain, orEmpty, Subdomain, WebAddress } from "./page-address.ts";
import { Instant, Limit, Page, PathId, Uuid, UuidPathId } from "./primitives.ts";
import { ProjectBindings } from "./project-bindings.ts";
import { readOnly } from "./read-only.ts";
import { withDefaults } from "./with-defaults.ts";

/** What a dashboard can be told, without defaults (spec 2.15). */
const writable = {
  header: z.string().max(500).nullable().describe("text at the top"),
  description: z.string().max(2000).nullable().describe("text below the header"),
  customUrl: orEmpty(Subdomain).describe("subdomain under the service's own domain; one dashboard of the installation can have it"),
  customDomain: orEmpty(CustomDomain).describe("host name of yours; one page of the installation can have it"),
  logo: orEmpty(WebAddress).describe("http or https address of an image"),
  favicon: orEmpty(WebAddress).describe("http or https address of an image"),
  link: orEmpty(WebAddress).describe("http or https address that the logo opens"),
  width: z.enum(["FULL", "960PX"]).describe("full screen or centered"),
  refreshRate: z.literal([60, 300, 600]).describe("seconds"),
  paginate: z.boolean(),
  paginationRate: z.literal([30, 60, 300]).describe("seconds"),
  sortByStatus: z.boolean().describe("failing checks first"),
  checksPerPage: z.number().int().min(1).max(20).nullable(),
  useTagsAndOperator: z.boolean().nullable().describe("checks that carry all of the tags; otherwise any of them"),
  hideTags: z.boolean(),
  enableIncidents: z.boolean(),
  expandChecks: z.boolean(),
  tags: z.array(z.string().max(255)).max(100).describe("tags of the checks that are shown; none shows all"),
  showHeader: z.boolean().describe("show header and description"),
  showCheckRunLinks: z.boolean(),
  showGroupNames: z.boolean(),
  customCSS: z.string().max(100_000).nullable(),
  isPrivate: z.boolean().describe("only who has a key sees it"),
  showP95: z.boolean(),
  showP99: z.boolean(),
};

const defaults = {
  description: null,
  customUrl: null,
  customDomain: null,
  logo: null,
  favicon: null,
  link: null,
  width: "FULL",
  refreshRate: 60,
  paginate: true,
  paginationRate: 60,
  sortByStatus: false,
  checksPerPage: 15,
  useTagsAndOperator: false,
  hideTags: false,
  enableIncidents: false,
  expandChecks: false,
  tags: [] as string[],
  showHeader: true,
  showCheckRunLinks: false,
  showGroupNames: true,
  customCSS: "",
  isPrivate: false,
  showP95: true,
  showP99: true,
} as const;

/** An access key of a private dashboard. The raw key is shown once, when it is made (behaviour 1). */
export const DashboardKey = z
  .object({
    id: Uuid,
    rawKey: z.string().optional().describe("only in the answer that makes it"),
    maskedKey: z.string(),
    created_at: Instant,
    updated_at: Instant.nullable().optional(),
  })
  .meta({ id: "DashboardKey" });
export type DashboardKey = z.infer<typeof DashboardKey>;

export const NewDashboardKey = DashboardKey.required({ rawKey: true }).meta({ id: "NewDashboardKey" });

const sentKeys = z.array(
  z.object({ id: Uuid, rawKey: z.string(), maskedKey: z.string(), created_at: Instant, updated_at: Instant.nullable().optional() }),
);

const body = { ...withDefaults(writable, defaults), keys: readOnly(sentKeys.default([])) };

/** The body of a creation. */
export const DashboardCreate = z.object(body).meta({ id: "DashboardCreate" });
export type DashboardCreate = z.output<typeof DashboardCreate>;

/** The body that replaces a dashboard: what is left out returns to its default. */
export const DashboardUpdate = z.object({ ...body, header: writable.header.default(null) }).meta({ id: "DashboardUpdate" });
export type DashboardUpdate = z.output<typeof DashboardUpdate>;

/** A dashboard as reads and writes answer it (spec 2.15). */
export const Dashboard = z
  .object({
    ...writable,
    keys: z.array(DashboardKey).describe("access keys of a private dashboard"),
    id: z.int(),
    dashboardId: z.string().describe("8 hexadecimal digits; what paths name it by"),
    created_at: Instant,
  })
  .meta({ id: "Dashboard" });
export type Dashboard = z.infer<typeof Dashboard>;

export const DashboardListItem = Dashboard.extend({ projectBindings: ProjectBindings.optional() }).meta({ id: "DashboardListItem" });

/** Stored in lower case. */
const DashboardId = PathId.toLowerCase();

const common = { tag: "Dashboards", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ dashboardId: DashboardId }) } as const;
const exampleBody = { header: "Shop", customUrl: "shop-status", tags: ["shop"], refreshRate: 300, isPrivate: true };

export const listDashboards = {
  ...common,
  id: "listDashboards",
  method: "GET",
  path: "/v1/dashboards",
  summary: "List dashboards",
  description: "The oldest first.",
  example: { query: { limit: 20, page: 1 } },
  access: "read",
  query: z.object({ limit: Limit, page: Page }),
  output: z.array(DashboardListItem),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const createDashboard = {
  ...common,
  id: "createDashboard",
  method: "POST",
  path: "/v1/dashboards",
  summary: "Create a dashboard",
  description:
    "A private one begins with one access key, whose rawKey only this answer shows. A customUrl or customDomain that another page has is " +
    "a 409 whose message names the field.",
  example: { body: exampleBody },
  access: "write",
  body: DashboardCreate,
  output: Dashboard,
  successStatus: 201,
  errors: [409],
} as const satisfies Operation;

export const getDashboard = {
  ...byId,
  id: "getDashboard",
  method: "GET",
  path: "/v1/dashboards/{dashboardId}",
  summary: "Read a dashboard",
  description: "With `type`, the path holds that name of the dashboard instead of its dashboardId, in any case.",
  example: { params: { dashboardId: exampleIds.dashboard } },
  access: "read",
  rateLimit: "dashboards",
  query: z.object({ type: z.enum(["customUrl", "customDomain"]).optional().describe("what the path names the dashboard by") }),
  params: z.object({ dashboardId: z.string().min(1).max(253).toLowerCase() }),
  output: Dashboard,
  successStatus: 200,
} as const satisfies Operation;

export const updateDashboard = {
  ...byId,
  id: "updateDashboard",
  method: "PUT",
  path: "/v1/dashboards/{dashboardId}",
  summary: "Replace a dashboard",
  description:
    "What is left out returns to its default; the dashboardId and the access keys stay. One that becomes private and has no key gets one, " +
    "whose rawKey only this answer shows.",
  example: {
    params: { dashboardId: exampleIds.dashboard },
    body: { ...exampleBody, customUrl: "shop-uptime", header: "Shop, all regions" },
  },
  access: "write",
  body: DashboardUpdate,
  output: Dashboard,
  successStatus: 200,
  errors: [409],
} as const satisfies Operation;

export const deleteDashboard = {
  ...byId,
  id: "deleteDashboard",
  method: "DELETE",
  path: "/v1/dashboards/{dashboardId}",
  summary: "Delete a dashboard with its incidents",
  description: "Its customUrl and customDomain are free again.",
  example: { params: { dashboardId: exampleIds.dashboard } },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const createDashboardKey = {
  ...byId,
  id: "createDashboardKey",
  method: "POST",
  path: "/v1/dashboards/{dashboardId}/keys",
  summary: "Issue an access key; a dashboard has at most two",
  description:
    "Two, so that a key can be replaced without a gap: issue the second, hand it out, revoke the first. The rawKey is shown only here.",
  example: { params: { dashboardId: exampleIds.dashboard } },
  access: "write",
  output: NewDashboardKey,
  successStatus: 201,
  errors: [409],
} as const satisfies Operation;

export const deleteDashboardKey = {
  ...common,
  id: "deleteDashboardKey",
  method: "DELETE",
  path: "/v1/dashboards/{dashboardId}/keys/{keyId}",
  summary: "Revoke an access key",
  description: "A private dashboard without a key is seen by nobody until a key is issued.",
  example: { params: { dashboardId: exampleIds.dashboard, keyId: exampleIds.dashboardKey } },
  access: "write",
  params: z.object({ dashboardId: DashboardId, keyId: UuidPathId }),
  successStatus: 204,
} as const satisfies Operation;

export const dashboardOperations = [
  listDashboards,
  createDashboard,
  getDashboard,
  updateDashboard,
  deleteDashboard,
  createDashboardKey,
  deleteDashboardKey,
] as const;
