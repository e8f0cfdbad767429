import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { PathId } from "./primitives.ts";
import { runtimeStages } from "./runtime-catalog.ts";

/** A Node.js version with packages (spec 2.16). */
export const Runtime = z
  .object({
    name: z.string(),
    multiStepSupport: z.boolean(),
    nodeJsVersion: z.string(),
    stage: z.enum(runtimeStages),
    runtimeEndOfLife: z.string().describe("month/day/year"),
    description: z.string(),
    dependencies: z.record(z.string(), z.string()).describe("package name to version"),
  })
  .meta({ id: "Runtime" });
export type Runtime = z.infer<typeof Runtime>;

const common = { tag: "Runtimes", method: "GET", access: "public", rateLimit: "standard", successStatus: 200 } as const;

export const listRuntimes = {
  ...common,
  id: "listRuntimes",
  path: "/v1/runtimes",
  summary: "List the supported runtimes with their packages",
  description: "Newest first. A check that names no runtime runs on the account's.",
  example: {},
  output: z.array(Runtime),
} as const satisfies Operation;

export const getRuntime = {
  ...common,
  id: "getRuntime",
  path: "/v1/runtimes/{id}",
  summary: "Read a runtime",
  example: { params: { id: exampleIds.runtime } },
  params: z.object({ id: PathId.describe("name of the runtime") }),
  output: Runtime,
} as const satisfies Operation;

export const runtimeOperations = [listRuntimes, getRuntime] as const;
