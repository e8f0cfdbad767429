import { z } from "zod";
import { cursorListOf, cursorQuery } from "../cursor-list.ts";
import { exampleIds } from "../example-ids.ts";
import type { Operation } from "../operation.ts";
import { CustomDomain, orEmpty, Subdomain, WebAddress } from "../page-address.ts";
import { Instant, Uuid, UuidPathId } from "../primitives.ts";
import { ProjectBindings } from "../project-bindings.ts";
import { readOnly } from "../read-only.ts";
import { withDefaults } from "../with-defaults.ts";
import { StatusPageIncident } from "./incidents.ts";
import { StatusPageService } from "./services.ts";

const Color = z.string().regex(/^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$/, "must be a color like #0AF or #00AAFF");

const Colors = z
  .object({
    bodyBackgroundColor: Color,
    headerBackgroundColor: Color,
    headerFontColor: Color,
    titleFontColor: Color,
    bodyFontColor: Color,
    bodyFontColorMuted: Color,
    navigationFontColor: Color,
    linkFontColor: Color,
    cardBackgroundColor: Color,
    borderColor: Color,
    primaryButtonBackgroundColor: Color,
    primaryButtonFontColor: Color,
  })
  .meta({ id: "StatusPageColors" });

/** What a status page can be told, without its cards and without defaults. */
const writable = {
  name: z.string().min(1).max(255),
  description: z.string().max(500).nullable(),
  url: Subdomain.describe("subdomain under the service's own domain; one status page of the installation can have it"),
  customDomain: orEmpty(CustomDomain).describe("host name of yours; one page of the installation can have it"),
  themeColors: z.object({ light: Colors, dark: Colors }).nullable(),
  logo: orEmpty(WebAddress).describe("http or https address of an image"),
  logoDark: orEmpty(WebAddress).describe("the image for the dark theme"),
  redirectTo: orEmpty(WebAddress).describe("http or https address that the logo opens"),
  favicon: orEmpty(WebAddress).describe("http or https address of an image"),
  defaultTheme: z.enum(["LIGHT", "DARK", "AUTO"]),
  version: z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER).nullable().describe("kept and given back"),
};

const defaults = {
  description: null,
  customDomain: null,
  themeColors: null,
  logo: null,
  logoDark: null,
  redirectTo: null,
  favicon: null,
  defaultTheme: "AUTO",
  version: null,
} as const;

/** The body of a creation and of a replacement. */
export const StatusPageWrite = z
  .object({
    ...withDefaults(writable, defaults),
    cards: z
      .array(
        z.object({
          id: z.string().max(100).optional().describe("a card that the page has; it keeps its id and its age"),
          statusPageId: readOnly(z.string()),
          name: z.string().min(1).max(255),
          services: z
            .array(z.object({ id: Uuid }))
            .max(250)
            .default([])
            .describe("by id, in the order of the page"),
        }),
      )
      .max(100),
  })
  .meta({ id: "StatusPageWrite" });
export type StatusPageWrite = z.output<typeof StatusPageWrite>;

/** Services that belong together. */
export const StatusPageCard = z
  .object({ id: Uuid, name: z.string(), services: z.array(StatusPageService), created_at: Instant, updated_at: Instant.nullable() })
  .meta({ id: "StatusPageCard" });
export type StatusPageCard = z.infer<typeof StatusPageCard>;

const stored = {
  ...writable,
  cards: z.array(StatusPageCard),
  id: Uuid,
  isPrivate: z.boolean().default(false).describe("always false: status pages are public"),
};

/** A status page as writes answer it. */
export const StatusPage = z
  .object({ ...stored, whiteLabel: z.boolean().describe("always true: no page names its maker") })
  .meta({ id: "StatusPage" });
export type StatusPage = z.infer<typeof StatusPage>;

export const StatusPageRead = StatusPage.extend({ projectBindings: ProjectBindings.optional() }).meta({ id: "StatusPageRead" });

export const StatusPageListEntry = z
  .object({
    ...stored,
    accountId: Uuid,
    created_at: Instant,
    updated_at: Instant.nullable(),
    incidents: z.array(StatusPageIncident).describe("its open incidents, the newest first"),
    keys: z
      .array(z.object({ id: Uuid, maskedKey: z.string(), created_at: Instant, updated_at: Instant.nullable() }))
      .describe("always empty: a public page needs none"),
    projectBindings: ProjectBindings.optional(),
  })
  .meta({ id: "StatusPageListEntry" });
export type StatusPageListEntry = z.infer<typeof StatusPageListEntry>;

const common = { tag: "Status pages", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ statusPageId: UuidPathId }) } as const;
const params = { statusPageId: exampleIds.statusPage };
const exampleBody = {
  name: "Shop status",
  url: "shop-page",
  defaultTheme: "LIGHT",
  cards: [{ name: "Buying", services: [{ id: exampleIds.statusPageService }] }],
};

export const listStatusPages = {
  ...common,
  id: "listStatusPages",
  method: "GET",
  path: "/v1/status-pages",
  summary: "List status pages with their open incidents",
  description: "The oldest first.",
  example: { query: { limit: 50 } },
  access: "read",
  query: z.object(cursorQuery),
  output: cursorListOf(StatusPageListEntry).meta({ id: "StatusPageList" }),
  successStatus: 200,
} as const satisfies Operation;

export const createStatusPage = {
  ...common,
  id: "createStatusPage",
  method: "POST",
  path: "/v1/status-pages",
  summary: "Create a status page",
  description: "A url or customDomain that another page has is a 409 whose message names the field.",
  example: { body: exampleBody },
  access: "write",
  body: StatusPageWrite,
  output: StatusPage,
  successStatus: 201,
  errors: [409],
} as const satisfies Operation;

export const getStatusPage = {
  ...byId,
  id: "getStatusPage",
  method: "GET",
  path: "/v1/status-pages/{statusPageId}",
  summary: "Read a status page",
  example: { params },
  access: "read",
  output: StatusPageRead,
  successStatus: 200,
} as const satisfies Operation;

export const updateStatusPage = {
  ...byId,
  id: "updateStatusPage",
  method: "PUT",
  path: "/v1/status-pages/{statusPageId}",
  summary: "Replace a status page",
  description: "What is left out returns to its default. Cards that are not named go; the subscriptions stay.",
  example: { params, body: { ...exampleBody, url: "shop-page-2", defaultTheme: "AUTO" } },
  access: "write",
  body: StatusPageWrite,
  output: StatusPage,
  successStatus: 200,
  errors: [409],
} as const satisfies Operation;

export const deleteStatusPage = {
  ...byId,
  id: "deleteStatusPage",
  method: "DELETE",
  path: "/v1/status-pages/{statusPageId}",
  summary: "Delete a status page with its subscriptions",
  description: "Services and incidents stay; its url and customDomain are free again.",
  example: { params },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const statusPageOperations = [listStatusPages, createStatusPage, getStatusPage, updateStatusPage, deleteStatusPage] as const;
