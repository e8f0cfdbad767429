import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, PathId, QueryBoolean, UuidPathId } from "./primitives.ts";
import { ResourceType } from "./projects.ts";

/* Imports of the public command line: objects that there are become objects of a project's code. */

const PhysicalId = z.union([z.string().min(1).max(255), z.number()]);

const ImportFilter = z
  .object({
    type: z.enum(["include", "exclude"]),
    resource: z
      .object({ type: ResourceType, physicalId: PhysicalId.nullish().describe("omitted: all of the type") })
      .nullish()
      .describe("omitted: everything"),
  })
  .meta({ id: "ImportFilter" });
export type ImportFilter = z.output<typeof ImportFilter>;

const ImportPlanCreate = z
  .object({
    filters: z.array(ImportFilter).max(5_000).default([]).describe("one after another: the last one that is about an object decides"),
    friends: z
      .array(z.object({ type: ResourceType, logicalId: z.string().min(1).max(255) }))
      .max(5_000)
      .default([])
      .describe("objects of the project that the code exports, so that what is imported refers to them by their names"),
  })
  .meta({ id: "ImportPlanCreate" });
export type ImportPlanCreate = z.output<typeof ImportPlanCreate>;

const ImportedResource = z
  .object({
    type: ResourceType,
    logicalId: z.string().describe("its name in code"),
    physicalId: PhysicalId.optional(),
    member: z.boolean(),
    payload: z.record(z.string(), z.unknown()).describe("as it is read; a secret as asterisks, which keep it when they are deployed"),
  })
  .meta({ id: "ImportedResource" });
export type ImportedResource = z.infer<typeof ImportedResource>;

export const ImportChanges = z
  .object({
    resources: z.array(ImportedResource),
    friends: z.array(z.object({ type: ResourceType, logicalId: z.string(), physicalId: PhysicalId })),
    auxiliary: z
      .array(z.object({ type: z.literal("snippet"), physicalId: PhysicalId, payload: z.record(z.string(), z.unknown()) }))
      .describe("snippets of the account, which scripts may use"),
  })
  .meta({ id: "ImportChanges" });
export type ImportChanges = z.infer<typeof ImportChanges>;

export const ImportPlan = z
  .object({
    id: z.string().describe("of a preview, which is not kept: empty"),
    createdAt: Instant,
    appliedAt: Instant.optional(),
    committedAt: Instant.optional(),
    changes: ImportChanges,
  })
  .meta({ id: "ImportPlan" });
export type ImportPlan = z.infer<typeof ImportPlan>;

const common = { tag: "Projects", rateLimit: "standard", successStatus: 200 } as const;
const ofProject = { ...common, params: z.object({ logicalId: PathId.max(255) }) } as const;
const ofPlan = { ...common, params: z.object({ planId: UuidPathId }), access: "write" } as const;
const listQuery = z.object({ onlyUnapplied: QueryBoolean.default(false), onlyUncommitted: QueryBoolean.default(false) });

export const createImportPlan = {
  ...ofProject,
  id: "createImportPlan",
  method: "POST",
  path: "/next/projects/{logicalId}/imports",
  summary: "Plan which objects a project takes over",
  description:
    "Those that no code owns, and that no other plan has, unless a filter names them. Nothing is changed yet. 404 where there is no such project, or nothing to take over.",
  access: "write",
  query: z.object({ preview: QueryBoolean.default(false).describe("the plan is not kept") }),
  body: ImportPlanCreate,
  isLarge: true,
  output: ImportPlan,
  changesNothing: ({ preview }: { readonly preview: boolean }) => preview,
  errors: [404],
  example: { params: { logicalId: exampleIds.project }, query: { preview: true }, body: { filters: [{ type: "include" }], friends: [] } },
} as const satisfies Operation;

export const listProjectImportPlans = {
  ...ofProject,
  id: "listProjectImportPlans",
  method: "GET",
  path: "/next/projects/{logicalId}/imports",
  summary: "List import plans of a project",
  description: "The latest first, a hundred at most.",
  access: "read",
  query: listQuery,
  output: z.array(ImportPlan),
  example: { params: { logicalId: exampleIds.project }, query: { onlyUncommitted: true } },
} as const satisfies Operation;

export const listImportPlans = {
  ...common,
  id: "listImportPlans",
  method: "GET",
  path: "/next/projects/imports",
  summary: "List import plans of all projects",
  description: "The latest first, a hundred at most.",
  access: "read",
  query: listQuery,
  output: z.array(ImportPlan),
  example: {},
} as const satisfies Operation;

export const applyImportPlan = {
  ...ofPlan,
  id: "applyImportPlan",
  method: "POST",
  path: "/next/projects/imports/{planId}/apply",
  summary: "Link the objects of an import plan to its project",
  description: "From then on a deployment changes them; none deletes them before the plan is committed. 403 for a plan that was applied.",
  output: ImportPlan,
  errors: [404, 409],
  example: { params: { planId: exampleIds.importPlan } },
} as const satisfies Operation;

export const commitImportPlan = {
  ...ofPlan,
  id: "commitImportPlan",
  method: "POST",
  path: "/next/projects/imports/{planId}/commit",
  summary: "End an import: the project owns its objects",
  description: "What the code no longer names is deleted by the next deployment. 403 for a plan that is not applied, or committed already.",
  output: ImportPlan,
  errors: [404],
  example: { params: { planId: exampleIds.importPlan } },
} as const satisfies Operation;

export const cancelImportPlan = {
  ...ofPlan,
  id: "cancelImportPlan",
  method: "DELETE",
  path: "/next/projects/imports/{planId}",
  summary: "Cancel an import plan",
  description: "Its objects belong to no code again; what was deployed of them stays. 403 for a plan that was committed.",
  successStatus: 204,
  errors: [404],
  example: { params: { planId: exampleIds.otherImportPlan } },
} as const satisfies Operation;

export const projectImportOperations = [
  createImportPlan,
  listProjectImportPlans,
  listImportPlans,
  applyImportPlan,
  commitImportPlan,
  cancelImportPlan,
] as const;
