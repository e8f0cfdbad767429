import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, PathId, QueryBoolean, Uuid } from "./primitives.ts";

/* Projects of code, as the public command line deploys them. The shapes are those that it sends and reads. */

/** What code can own; each after those that it refers to. */
export const resourceTypes = [
  "status-page-service",
  "status-page",
  "status-page-component",
  "status-page-automation-rule",
  "check-group",
  "check",
  "alert-channel",
  "alert-channel-subscription",
  "maintenance-window",
  "private-location",
  "private-location-check-assignment",
  "private-location-group-assignment",
  "dashboard",
] as const;
export const ResourceType = z.enum(resourceTypes);
export type ResourceType = z.infer<typeof ResourceType>;

export const LogicalId = z.string().min(1).max(255);

export const Project = z
  .object({
    id: Uuid,
    name: z.string(),
    logicalId: z.string().describe("its name in code"),
    repoUrl: z.string().nullable(),
    created_at: Instant,
  })
  .meta({ id: "Project" });
export type Project = z.infer<typeof Project>;

export const ProjectWrite = z
  .object({ logicalId: LogicalId, name: z.string().min(1).max(255), repoUrl: z.string().max(2048).nullish() })
  .meta({ id: "ProjectWrite" });
export type ProjectWrite = z.output<typeof ProjectWrite>;

export const DeployedResource = z
  .object({
    logicalId: LogicalId,
    type: ResourceType,
    physicalId: z
      .union([z.string().min(1).max(255), z.number()])
      .nullish()
      .describe("an object that exists: the code takes it over, or refers to it"),
    member: z.boolean().default(true).describe("false: the code only refers to it"),
    payload: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe('the body of the operation that creates such an object; {"ref": logicalId} stands where an id would'),
    sourceFile: z.string().max(2048).nullish().describe("where in the repository it is declared"),
  })
  .meta({ id: "DeployedResource" });
export type DeployedResource = z.output<typeof DeployedResource>;

export const ProjectDeploy = z
  .object({
    project: ProjectWrite,
    sharedFiles: z
      .array(z.object({ path: z.string().max(1000), content: z.string().max(1_048_576) }))
      .max(5_000)
      .default([])
      .describe("files that scripts of several checks import; a check names them by their place here"),
    resources: z.array(DeployedResource).max(5_000),
    repoInfo: z
      .looseObject({ commitId: z.string().max(255).nullish(), branchName: z.string().max(255).nullish() })
      .nullish()
      .describe("where it comes from: the console shows commit and branch beside what the project owns; the rest is ignored"),
  })
  .meta({ id: "ProjectDeploy" });
export type ProjectDeploy = z.output<typeof ProjectDeploy>;

export const DeploymentAction = z.enum(["CREATE", "UPDATE", "DELETE", "DETACHED"]);
export type DeploymentAction = z.infer<typeof DeploymentAction>;

export const DeploymentChange = z
  .object({
    type: ResourceType,
    logicalId: z.string(),
    physicalId: z.union([z.string(), z.number()]).optional(),
    action: DeploymentAction.describe("DETACHED: it stays, and no code owns it"),
  })
  .meta({ id: "DeploymentChange" });
export type DeploymentChange = z.infer<typeof DeploymentChange>;

export const DeploymentResult = z
  .object({ project: Project, diff: z.array(DeploymentChange).describe("what is as the code says already is not in it") })
  .meta({ id: "DeploymentResult" });
export type DeploymentResult = z.infer<typeof DeploymentResult>;

export const Deployment = z
  .object({
    id: Uuid,
    logicalId: z.string(),
    status: z.enum(["PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"]),
    dryRun: z.boolean(),
    progress: z.int().min(0).max(100),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    result: DeploymentResult.nullable(),
    createdAt: Instant,
    startedAt: Instant.nullable(),
    endedAt: Instant.nullable(),
    cancelRequestedAt: Instant.nullable(),
  })
  .meta({ id: "Deployment" });
export type Deployment = z.infer<typeof Deployment>;

const common = { tag: "Projects", rateLimit: "standard", successStatus: 200 } as const;
const ofProject = { ...common, params: z.object({ logicalId: PathId.max(255) }) } as const;
const ofDeployment = { ...common, params: z.object({ logicalId: PathId.max(255), deploymentId: PathId }) } as const;
const deployQuery = z.object({
  dryRun: QueryBoolean.default(false).describe("answers what would change, and changes nothing"),
  scheduleOnDeploy: QueryBoolean.default(true).describe("run checks that are new or changed at once"),
  preserveResources: QueryBoolean.default(false).describe("what the code no longer names stays, and no code owns it any more"),
});
/** A dry run takes back what it did. */
const isDryRun = ({ dryRun }: { readonly dryRun: boolean }): boolean => dryRun;
const hasNoStatus = (answer: object): boolean => !("status" in answer);
const exampleDeploy = {
  project: { logicalId: "book-shop", name: "Book shop", repoUrl: "https://git.example.com/shop" },
  resources: [
    { logicalId: "shop", type: "check-group", payload: { v: 2, name: "Shop", tags: ["shop"] } },
    {
      logicalId: "front-page",
      type: "check",
      payload: {
        checkType: "URL",
        name: "Front page",
        groupId: { ref: "shop" },
        locations: ["eu-central-1"],
        request: { method: "GET", url: "https://shop.example.com/" },
      },
      sourceFile: "checks/front-page.check.ts",
    },
  ],
};
const example = { params: { logicalId: exampleIds.project } } as const;
const exampleOfDeployment = { params: { logicalId: exampleIds.project, deploymentId: exampleIds.deployment } } as const;

export const listProjects = {
  ...common,
  id: "listProjects",
  method: "GET",
  path: "/next/projects",
  summary: "List projects of code",
  access: "read",
  output: z.array(Project),
  example: {},
} as const satisfies Operation;

export const getProject = {
  ...ofProject,
  id: "getProject",
  method: "GET",
  path: "/next/projects/{logicalId}",
  summary: "Read a project of code",
  access: "read",
  output: Project,
  example,
} as const satisfies Operation;

export const createProject = {
  ...common,
  id: "createProject",
  method: "POST",
  path: "/next/projects",
  summary: "Create a project of code that owns nothing yet",
  description: "The first deployment makes it, too.",
  access: "write",
  body: ProjectWrite,
  output: Project,
  successStatus: 201,
  errors: [409],
  example: { body: { logicalId: "billing", name: "Billing" } },
} as const satisfies Operation;

const deployText =
  "All of it is done, or nothing. What is as the code says already is left alone; what somebody changed by hand becomes what the code says. What the " +
  "code does not name any more is deleted.";

export const deployProject = {
  ...common,
  id: "deployProject",
  method: "POST",
  path: "/v1/projects/deploy",
  summary: "Make an account what a project's code says",
  description: `${deployText} A dry run answers the difference with 200; otherwise 202 and a deployment to follow. 409 while another one of the project is at it, with its \`deploymentId\`.`,
  access: "write",
  query: deployQuery,
  body: ProjectDeploy,
  isLarge: true,
  output: z.union([Deployment, DeploymentResult]),
  successStatus: 202,
  alternative: { status: 200, description: "a dry run's difference", holds: hasNoStatus },
  changesNothing: isDryRun,
  errors: [409],
  example: { body: exampleDeploy },
} as const satisfies Operation;

const atOnce = {
  ...common,
  method: "POST",
  summary: "Make an account what a project's code says, and wait for it",
  description: `${deployText} For versions 6 to 8.9 of the public command line.`,
  access: "write",
  query: deployQuery,
  body: ProjectDeploy,
  isLarge: true,
  output: DeploymentResult,
  changesNothing: isDryRun,
  errors: [409],
  example: { query: { dryRun: true }, body: exampleDeploy },
} as const;

export const deployProjectNow = { ...atOnce, id: "deployProjectNow", path: "/next-v2/projects/deploy" } as const satisfies Operation;
export const deployProjectNowV1 = { ...atOnce, id: "deployProjectNowV1", path: "/next/projects/deploy" } as const satisfies Operation;

export const destroyProject = {
  ...ofProject,
  id: "destroyProject",
  method: "DELETE",
  path: "/v1/projects/{logicalId}",
  summary: "Delete a project of code, with what it owns",
  description: "200 where there is no such project, and for a dry run. 409 while a deployment of it is at it.",
  access: "write",
  query: z.object({
    preserveResources: QueryBoolean.default(false).describe("what it owns stays, and no code owns it any more"),
    dryRun: QueryBoolean.default(false),
  }),
  output: z.union([Deployment, z.object({ project: Project.nullable(), diff: z.array(DeploymentChange) })]),
  successStatus: 202,
  alternative: { status: 200, description: "nothing to wait for", holds: hasNoStatus },
  changesNothing: (_query: unknown, answer: object) => hasNoStatus(answer),
  errors: [409],
  example: { ...example, query: { preserveResources: true } },
} as const satisfies Operation;

export const getDeployment = {
  ...ofDeployment,
  id: "getDeployment",
  method: "GET",
  path: "/v1/projects/{logicalId}/deployments/{deploymentId}",
  summary: "Read a deployment",
  access: "read",
  output: Deployment,
  example: exampleOfDeployment,
} as const satisfies Operation;

export const followDeployment = {
  ...ofDeployment,
  id: "followDeployment",
  method: "GET",
  path: "/v1/projects/{logicalId}/deployments/{deploymentId}/events",
  summary: "Follow a deployment as server-sent events",
  description: "`progress` with {progress}, and `complete` with the deployment, after which it ends.",
  access: "read",
  events: true,
  example: exampleOfDeployment,
} as const satisfies Operation;

export const awaitDeployment = {
  ...ofDeployment,
  id: "awaitDeployment",
  method: "GET",
  path: "/v1/projects/{logicalId}/deployments/{deploymentId}/completion",
  summary: "Wait for the end of a deployment; 408 when the wait ran out, ask again",
  access: "read",
  query: z.object({ maxWaitSeconds: z.coerce.number().int().min(1).max(30).default(30) }),
  output: Deployment,
  errors: [408],
  example: { ...exampleOfDeployment, query: { maxWaitSeconds: 1 } },
} as const satisfies Operation;

export const cancelDeployment = {
  ...ofDeployment,
  id: "cancelDeployment",
  method: "POST",
  path: "/v1/projects/{logicalId}/deployments/{deploymentId}/cancel",
  summary: "Cancel a deployment",
  description: "Nothing of it is done then. One that has ended stays as it is.",
  access: "write",
  output: Deployment,
  example: exampleOfDeployment,
} as const satisfies Operation;

export const projectOperations = [
  listProjects,
  getProject,
  createProject,
  deployProject,
  deployProjectNow,
  deployProjectNowV1,
  destroyProject,
  getDeployment,
  followDeployment,
  awaitDeployment,
  cancelDeployment,
] as const;
