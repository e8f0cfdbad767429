import { z } from "zod";
import { cursorListOf, cursorQuery } from "../cursor-list.ts";
import { exampleIds } from "../example-ids.ts";
import type { Operation } from "../operation.ts";
import { Instant, QueryBoolean, Uuid, UuidPathId } from "../primitives.ts";

/** Something that status pages show and incidents strike. It belongs to the account. */
export const StatusPageService = z
  .object({ name: z.string(), id: Uuid, accountId: Uuid, created_at: Instant, updated_at: Instant.nullable() })
  .meta({ id: "StatusPageService" });
export type StatusPageService = z.infer<typeof StatusPageService>;

const body = z.object({ name: z.string().min(1).max(255) }).meta({ id: "StatusPageServiceWrite" });

const common = { tag: "Status pages", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ serviceId: UuidPathId }) } as const;
const params = { serviceId: exampleIds.statusPageService };

export const listStatusPageServices = {
  ...common,
  id: "listStatusPageServices",
  method: "GET",
  path: "/v1/status-pages/services",
  summary: "List services",
  description: "The oldest first.",
  example: { query: { limit: 50 } },
  access: "read",
  query: z.object({ ...cursorQuery, paginated: QueryBoolean.default(true).describe("false: all of them in one answer") }),
  output: cursorListOf(StatusPageService).meta({ id: "StatusPageServiceList" }),
  successStatus: 200,
} as const satisfies Operation;

export const createStatusPageService = {
  ...common,
  id: "createStatusPageService",
  method: "POST",
  path: "/v1/status-pages/services",
  summary: "Create a service",
  description: "Status pages show it once a card names it; a check opens incidents of it by `triggerIncident.serviceId`.",
  example: { body: { name: "Checkout" } },
  access: "write",
  body,
  output: StatusPageService,
  successStatus: 201,
  alternative: { status: 200, description: "as the reference has it; never", holds: () => false },
} as const satisfies Operation;

export const getStatusPageService = {
  ...byId,
  id: "getStatusPageService",
  method: "GET",
  path: "/v1/status-pages/services/{serviceId}",
  summary: "Read a service",
  example: { params },
  access: "read",
  output: StatusPageService,
  successStatus: 200,
} as const satisfies Operation;

export const updateStatusPageService = {
  ...byId,
  id: "updateStatusPageService",
  method: "PUT",
  path: "/v1/status-pages/services/{serviceId}",
  summary: "Rename a service",
  example: { params, body: { name: "Checkout and payment" } },
  access: "write",
  body,
  output: StatusPageService,
  successStatus: 200,
} as const satisfies Operation;

export const deleteStatusPageService = {
  ...byId,
  id: "deleteStatusPageService",
  method: "DELETE",
  path: "/v1/status-pages/services/{serviceId}",
  summary: "Delete a service",
  description: "It disappears from the status pages and incidents that name it; they stay.",
  example: { params },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const statusPageServiceOperations = [
  listStatusPageServices,
  createStatusPageService,
  getStatusPageService,
  updateStatusPageService,
  deleteStatusPageService,
] as const;
