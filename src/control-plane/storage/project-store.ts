/* What code owns: projects, what is theirs, and how it came to be so. */

export interface ProjectRow {
  readonly id: number;
  readonly uuid: string;
  readonly accountId: number;
  /** Its name in code; unique in the account. */
  readonly logicalId: string;
  readonly name: string;
  readonly repoUrl: string | null;
  readonly createdAtMs: number;
}

/** An object that a project's code names. */
export interface ProjectResource {
  readonly type: string;
  readonly logicalId: string;
  /** As REST names it; null for what is a part of another object. */
  readonly physicalId: string | null;
  /** False: the code only refers to it. */
  readonly isMember: boolean;
  /** Where in the repository it is declared. */
  readonly sourceFile: string | null;
  /** Of what the code said. */
  readonly payloadHash: string;
  /** Of the object as it was right after that; another one now was changed by hand. */
  readonly stateHash: string;
  /** An import brought it, which is not committed: no deployment deletes it. */
  readonly isPending?: boolean;
}

/** Objects that there are, which somebody takes into a project. */
export interface ImportPlanRow {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: number;
  /** JSON, as the client got it. */
  readonly changes: unknown;
  readonly createdAtMs: number;
  readonly appliedAtMs: number | null;
  readonly committedAtMs: number | null;
}

export interface ImportPlanFilter {
  /** Of all projects where it is undefined. */
  readonly projectId?: number | undefined;
  readonly onlyUnapplied: boolean;
  readonly onlyUncommitted: boolean;
}

/** Plans of imports. A change of one is made where it is in the state that the change asks for. */
export interface ImportPlanStore {
  createPlan(plan: Pick<ImportPlanRow, "uuid" | "projectId" | "changes" | "createdAtMs"> & { readonly accountId: number }): Promise<void>;
  /** The latest first. */
  plans(accountId: number, filter: ImportPlanFilter): Promise<readonly ImportPlanRow[]>;
  plan(accountId: number, uuid: string): Promise<ImportPlanRow | undefined>;
  /** Links its objects to its project. @returns whether it was neither applied nor committed */
  applyPlan(plan: ImportPlanRow, accountId: number, resources: readonly ProjectResource[], nowMs: number): Promise<boolean>;
  /** @returns whether it was applied and not committed */
  commitPlan(plan: ImportPlanRow, nowMs: number): Promise<boolean>;
  /** Takes the links back. @returns whether it was not committed */
  cancelPlan(plan: ImportPlanRow): Promise<boolean>;
}

/** What a project was deployed from last, as far as its client told it. */
export interface DeployedFrom {
  readonly commitId: string | null;
  readonly branch: string | null;
}

/** A project that owns an object, or whose code refers to it. */
export interface ProjectBinding {
  readonly project: Pick<ProjectRow, "uuid" | "logicalId" | "name">;
  readonly logicalId: string;
  /** False: the code only refers to it. */
  readonly isMember: boolean;
  /** An import brought it, which is not committed. */
  readonly isPending: boolean;
}

/** What owns an object. */
export interface ResourceOwner {
  readonly project: Pick<ProjectRow, "uuid" | "logicalId" | "name" | "repoUrl"> & DeployedFrom & { readonly deployedAtMs: number | null };
  readonly logicalId: string;
  readonly sourceFile: string | null;
}

export type DeploymentStatus = "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";

export interface DeploymentRow {
  readonly uuid: string;
  readonly accountId: number;
  readonly logicalId: string;
  readonly status: DeploymentStatus;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** JSON, as clients get it; null before it succeeded. */
  readonly result: unknown;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  readonly cancelRequestedAtMs: number | null;
}

export interface DeploymentEnd extends Pick<DeploymentRow, "error" | "result"> {
  readonly status: "SUCCEEDED" | "FAILED" | "CANCELLED";
  readonly endedAtMs: number;
}

export interface ProjectStore extends ImportPlanStore {
  list(accountId: number): Promise<readonly ProjectRow[]>;
  find(accountId: number, logicalId: string): Promise<ProjectRow | undefined>;
  /** @returns undefined when the account has one of this name */
  create(project: Omit<ProjectRow, "id">): Promise<ProjectRow | undefined>;
  rename(id: number, change: Pick<ProjectRow, "name" | "repoUrl">, nowMs: number): Promise<void>;
  noteDeployed(id: number, from: DeployedFrom, nowMs: number): Promise<void>;
  remove(id: number): Promise<void>;
  /** In the order of type and name. */
  resources(projectId: number): Promise<readonly ProjectResource[]>;
  putResources(project: Pick<ProjectRow, "id" | "accountId">, resources: readonly ProjectResource[]): Promise<void>;
  removeResources(projectId: number, names: readonly Pick<ProjectResource, "type" | "logicalId">[]): Promise<void>;
  /** When each object of the account that code can own was written last, by `type:id` as REST names it. */
  states(accountId: number): Promise<ReadonlyMap<string, string>>;
  /** Which projects own these objects or refer to them, by their ids; those without any are left out. */
  bindings(accountId: number, type: string, physicalIds: readonly string[]): Promise<ReadonlyMap<string, readonly ProjectBinding[]>>;
  /** Who owns these objects, by their ids. */
  owners(accountId: number, type: string, physicalIds: readonly string[]): Promise<ReadonlyMap<string, ResourceOwner>>;

  /** @returns undefined when another one of the project runs, which `running` tells */
  beginDeployment(
    deployment: Pick<DeploymentRow, "uuid" | "accountId" | "logicalId" | "createdAtMs"> & { endsByMs: number },
  ): Promise<boolean>;
  running(accountId: number, logicalId: string): Promise<DeploymentRow | undefined>;
  deployment(accountId: number, uuid: string): Promise<DeploymentRow | undefined>;
  /** One that has ended stays as it is. @returns whether it was at it */
  endDeployment(accountId: number, uuid: string, end: DeploymentEnd): Promise<boolean>;
  /** @returns whether there is one */
  requestCancel(accountId: number, uuid: string, nowMs: number): Promise<boolean>;
  /** Those whose process is gone. @returns how many */
  failStale(nowMs: number): Promise<number>;
}
