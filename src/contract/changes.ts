import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { LogicalId, ProjectWrite } from "./projects.ts";

/** In the place of an id: that of the object which an earlier call made. */
export const answerReference = "$idOf";

const Change = z.object({
  operation: z
    .string()
    .max(100)
    .describe("the id of an operation that writes checks, groups, channels, pages and what else a file of configuration holds"),
  params: z.record(z.string().max(100), z.unknown()).default({}),
  query: z.record(z.string().max(100), z.string().max(1_000)).default({}),
  body: z
    .record(z.string().max(100), z.unknown())
    .optional()
    .describe(`{"${answerReference}": n} stands for the id of the object that call n made, the first being 0`),
});
export type Change = z.output<typeof Change>;

/** Kinds of objects that a project can own, by their names in files and deployments. */
export const OwnedType = z.enum([
  "alert-channel",
  "check",
  "check-group",
  "dashboard",
  "maintenance-window",
  "private-location",
  "status-page",
  "status-page-service",
]);
export type OwnedType = z.infer<typeof OwnedType>;

/** Calls of one transaction. */
export const mostChanges = 10_000;

/** What a project owns is told in one body, four values each. */
export const mostOwned = 60_000;

const Ownership = z
  .object({
    project: ProjectWrite,
    resources: z
      .array(
        z.object({
          type: OwnedType,
          logicalId: LogicalId.describe("its name in the file"),
          physicalId: z
            .union([z.string().min(1).max(255), z.number(), z.object({ [answerReference]: z.int().min(0) })])
            .describe(`its id, or {"${answerReference}": n}`),
        }),
      )
      .max(mostOwned),
  })
  .describe("all that the project owns from now on; what it owned and does not name is its own no more, and stays");
export type Ownership = z.output<typeof Ownership>;

export const applyChanges = {
  tag: "Projects",
  rateLimit: "standard",
  id: "applyChanges",
  method: "POST",
  path: "/v1/changes",
  summary: "Write several objects, all or none",
  description:
    "Calls operations one after another in one transaction, each with the rights of the caller and held to its own schema. What one of them refuses ends all of it, and nothing is changed.",
  access: "write",
  isLarge: true,
  body: z.object({ calls: z.array(Change).max(mostChanges), ownership: Ownership.optional() }),
  output: z
    .object({
      ids: z.array(z.union([z.string(), z.number()]).nullable()).describe("of each call, in their order; null where its answer tells none"),
    })
    .meta({ id: "AppliedChanges" }),
  successStatus: 200,
  errors: [409],
  example: {
    body: {
      calls: [
        { operation: "createCheckGroupV2", body: { name: "Shop" } },
        { operation: "updateSnippet", params: { id: exampleIds.snippet }, body: { name: "login", script: "module.exports = {};" } },
      ],
    },
  },
} as const satisfies Operation;

export const changeOperations = [applyChanges] as const;
