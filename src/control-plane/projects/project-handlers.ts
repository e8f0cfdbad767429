import { randomUUID } from "node:crypto";
import type { ServerEvent } from "#contract/operation.ts";
import {
  awaitDeployment,
  cancelDeployment,
  createProject,
  type Deployment,
  type DeploymentResult,
  deployProject,
  deployProjectNow,
  deployProjectNowV1,
  destroyProject,
  followDeployment,
  getDeployment,
  getProject,
  listProjects,
  type ProjectDeploy,
} from "#contract/projects.ts";
import { AppError } from "#domain/app-error.ts";
import { type CallContext, type Handler, handler } from "../http/handler.ts";
import { notFound } from "../kinds/not-found.ts";
import type { DeploymentRow, ProjectStore, Storage } from "../storage/storage.ts";
import { deploy, destroy } from "./deploy.ts";
import type { Deployments } from "./deployments.ts";
import { objectCalls } from "./object-calls.ts";
import { deploymentView, projectView } from "./project-view.ts";

export interface ProjectHandlerDeps extends Pick<Storage, "together"> {
  readonly projects: ProjectStore;
  readonly deployments: Deployments;
  /** Those of the objects that code can own. */
  readonly handlers: readonly Handler[];
  /** Runs these checks of an account now. */
  readonly runNow: (accountId: number, checkUuids: readonly string[]) => Promise<void>;
  readonly nowMs: () => number;
}

type Context = CallContext<"write">;

interface Wanted {
  readonly dryRun: boolean;
  readonly scheduleOnDeploy: boolean;
  readonly preserveResources: boolean;
}

export function projectHandlers(deps: ProjectHandlerDeps): readonly Handler[] {
  const { projects, nowMs } = deps;
  return [
    ...deployHandlers(deps),
    ...deploymentHandlers(deps),
    handler(listProjects, async (_input, { caller }) => (await projects.list(caller.account.id)).map(projectView)),
    handler(getProject, async ({ params: { logicalId } }, { caller }) => {
      const project = await projects.find(caller.account.id, logicalId);
      if (project === undefined) throw notFound("project", logicalId);
      return projectView(project);
    }),
    handler(createProject, async ({ body: { logicalId, name, repoUrl = null } }, { caller }) => {
      const project = { uuid: randomUUID(), accountId: caller.account.id, logicalId, name, repoUrl, createdAtMs: nowMs() };
      const made = await projects.create(project);
      if (made === undefined) throw new AppError("conflict", `The account has a project "${logicalId}" already`);
      return projectView(made);
    }),
  ];
}

function deployHandlers(deps: ProjectHandlerDeps): readonly Handler[] {
  const { projects, deployments, runNow } = deps;
  /** Runs `work` once it is known which checks it changed. */
  const begin = async (body: ProjectDeploy, { preserveResources, scheduleOnDeploy }: Wanted, context: Context): Promise<DeploymentRow> => {
    const accountId = context.caller.account.id;
    let changed: readonly string[] = [];
    return deployments.begin(
      accountId,
      body.project.logicalId,
      async (step, signal) => {
        const call = objectCalls(deps.handlers, context.caller, { signal, request: context.request });
        const { result, changedChecks } = await deploy(deps, { accountId, call, body, preserveResources, step });
        changed = changedChecks;
        return result;
      },
      async () => {
        if (scheduleOnDeploy && changed.length > 0) await runNow(accountId, changed);
      },
    );
  };
  const atOnce = async (
    { body, query }: { readonly body: ProjectDeploy; readonly query: Wanted },
    context: Context,
  ): Promise<DeploymentResult> => {
    if (query.dryRun) return dryRun(deps, body, query, context);
    const accountId = context.caller.account.id;
    const { uuid } = await begin(body, query, context);
    const row = await deployments.waited(accountId, uuid, Number.POSITIVE_INFINITY, context.signal);
    if (row?.status === "SUCCEEDED") return row.result as DeploymentResult; // written by us
    throw new AppError("invalid_input", row?.error?.message ?? "The deployment is not there any more");
  };
  return [
    handler(deployProject, async ({ body, query }, context) =>
      query.dryRun ? dryRun(deps, body, query, context) : deploymentView(await begin(body, query, context), 0),
    ),
    handler(deployProjectNow, atOnce),
    handler(deployProjectNowV1, atOnce),
    handler(destroyProject, async ({ params: { logicalId }, query }, context) => {
      const { caller, request, signal } = context;
      const accountId = caller.account.id;
      const project = await projects.find(accountId, logicalId);
      if (project === undefined) return { project: null, diff: [] };
      const work = async (workSignal: AbortSignal): Promise<DeploymentResult> =>
        destroy(deps, project, objectCalls(deps.handlers, caller, { signal: workSignal, request }), query.preserveResources);
      if (query.dryRun) return undone(deps, () => work(signal));
      const row = await deployments.begin(
        accountId,
        logicalId,
        (_step, workSignal) => work(workSignal),
        async () => undefined,
      );
      return deploymentView(row, 0);
    }),
  ];
}

/** Carries what a dry run came to out of its transaction, which it ends. */
class Undone extends Error {
  readonly result: DeploymentResult;
  constructor(result: DeploymentResult) {
    super("a dry run is undone");
    this.result = result;
  }
}

/** Does it, and takes all of it back. */
async function undone(
  { together }: Pick<ProjectHandlerDeps, "together">,
  work: () => Promise<DeploymentResult>,
): Promise<DeploymentResult> {
  try {
    return await together(async () => {
      throw new Undone(await work());
    });
  } catch (error) {
    if (error instanceof Undone) return error.result;
    throw error;
  }
}

function dryRun(deps: ProjectHandlerDeps, body: ProjectDeploy, { preserveResources }: Wanted, context: Context): Promise<DeploymentResult> {
  const { caller, request, signal } = context;
  return undone(deps, async () => {
    const call = objectCalls(deps.handlers, caller, { signal, request });
    const step = (): void => signal.throwIfAborted();
    const { result } = await deploy(deps, { accountId: caller.account.id, call, body, preserveResources, step });
    // What would be made has no id yet.
    const diff = result.diff.map(({ physicalId, ...change }) =>
      change.action === "CREATE" || physicalId === undefined ? change : { ...change, physicalId },
    );
    return { ...result, diff };
  });
}

function deploymentHandlers({ projects, deployments }: ProjectHandlerDeps): readonly Handler[] {
  const find = async (
    accountId: number,
    { logicalId, deploymentId }: { readonly logicalId: string; readonly deploymentId: string },
  ): Promise<DeploymentRow> => {
    const row = await projects.deployment(accountId, deploymentId.toLowerCase());
    if (row?.logicalId !== logicalId) throw notFound("deployment", deploymentId);
    return row;
  };
  const view = (row: DeploymentRow): Deployment => deploymentView(row, deployments.progress(row.uuid));
  return [
    handler(getDeployment, async ({ params }, { caller }) => view(await find(caller.account.id, params))),
    handler(awaitDeployment, async ({ params, query: { maxWaitSeconds } }, { caller, signal }) => {
      const { uuid } = await find(caller.account.id, params);
      const row = await deployments.waited(caller.account.id, uuid, maxWaitSeconds * 1000, signal);
      if (row?.endedAtMs == null)
        throw new AppError("try_again", `The deployment has not ended within ${maxWaitSeconds} seconds; ask again`);
      return view(row);
    }),
    handler(followDeployment, async ({ params }, { caller, signal }) => {
      const { uuid } = await find(caller.account.id, params);
      return events(deployments, caller.account.id, uuid, signal);
    }),
    handler(cancelDeployment, async ({ params }, { caller }) => {
      const { uuid } = await find(caller.account.id, params);
      await deployments.cancel(caller.account.id, uuid);
      return view(await find(caller.account.id, params));
    }),
  ];
}

/** How often progress is told, and a connection kept alive. */
const tellMs = 1_000;

async function* events(deployments: Deployments, accountId: number, uuid: string, signal: AbortSignal): AsyncGenerator<ServerEvent | null> {
  let told = -1;
  for (;;) {
    const row = await deployments.waited(accountId, uuid, told === -1 ? 0 : tellMs, signal);
    if (row === undefined) return yield { event: "error", data: { message: "The deployment is not there any more" } };
    if (row.endedAtMs !== null) return yield { event: "complete", data: deploymentView(row, 100) };
    if (signal.aborted) return; // the client comes back
    const progress = deployments.progress(uuid);
    yield progress === told ? null : { event: "progress", data: { progress } };
    told = progress;
  }
}
