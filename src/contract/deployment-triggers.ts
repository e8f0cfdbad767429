import { z } from "zod";
import { namesOne } from "./check-or-group.ts";
import { exampleIds } from "./example-ids.ts";
import { DataCenterLocation } from "./locations.ts";
import type { Operation } from "./operation.ts";
import { Instant } from "./primitives.ts";

/** A check or a group that is to run when a repository was deployed. Kept; no provider reports deployments to an installation of one's own. */
export const DeploymentTrigger = z
  .object({
    id: z.number(),
    checkId: z.string().nullable(),
    groupId: z.number().nullable(),
    provider: z.string(),
    repoId: z.string(),
    repoName: z.string(),
    repoLink: z.string().nullable(),
    useEnvironmentUrl: z.boolean(),
    includeScreenshots: z.boolean(),
    environmentRegexFilter: z.string().nullable(),
    environmentUrlRegexFilter: z.string().nullable(),
    runLocation: z.string(),
    created_at: Instant,
    updated_at: Instant.nullable(),
  })
  .meta({ id: "DeploymentTrigger" });
export type DeploymentTrigger = z.infer<typeof DeploymentTrigger>;

const pattern = z.string().max(255).nullable().default(null);

export const DeploymentTriggerCreate = z
  .object({
    checkId: z.string().max(100).nullish().describe("a check of the account; without it groupId must be given"),
    groupId: z.number().nullish().describe("a check group of the account; without it checkId must be given"),
    repoId: z.union([z.number(), z.string().min(1).max(255)]),
    repoName: z.string().min(1).max(255),
    repoLink: z.string().max(2048).default(""),
    useEnvironmentUrl: z.boolean().default(true),
    includeScreenshots: z.boolean().default(false),
    provider: z.enum(["GITHUB"]).default("GITHUB"),
    runLocation: DataCenterLocation.default("us-east-1"),
    environmentRegexFilter: pattern,
    environmentUrlRegexFilter: pattern,
  })
  .meta({ id: "DeploymentTriggerCreate", ...namesOne() });
export type DeploymentTriggerCreate = z.output<typeof DeploymentTriggerCreate>;

const common = { tag: "Triggers", rateLimit: "standard" } as const;

export const listDeploymentTriggers = {
  ...common,
  id: "listDeploymentTriggers",
  method: "GET",
  path: "/v1/deployment-triggers",
  summary: "List deployment triggers",
  description: "The oldest first.",
  access: "read",
  output: z.array(DeploymentTrigger),
  successStatus: 200,
  example: {},
} as const satisfies Operation;

export const createDeploymentTrigger = {
  ...common,
  id: "createDeploymentTrigger",
  method: "POST",
  path: "/v1/deployment-triggers",
  summary: "Create a deployment trigger",
  description:
    "It is kept and given back; it starts nothing by itself, as no provider reports deployments here. A deployment calls the trigger address of the check or group instead.",
  access: "write",
  body: DeploymentTriggerCreate,
  output: DeploymentTrigger,
  successStatus: 201,
  alternative: { status: 200, description: "as an older release of the contract answers it; never", holds: () => false },
  example: { body: { checkId: exampleIds.check, repoId: 4711, repoName: "shop/books" } },
} as const satisfies Operation;

export const deploymentTriggerOperations = [listDeploymentTriggers, createDeploymentTrigger] as const;
