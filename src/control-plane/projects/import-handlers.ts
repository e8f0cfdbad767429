import { randomUUID } from "node:crypto";
import {
  applyImportPlan,
  cancelImportPlan,
  commitImportPlan,
  createImportPlan,
  type ImportChanges,
  type ImportPlan,
  type ImportPlanCreate,
  listImportPlans,
  listProjectImportPlans,
} from "#contract/project-imports.ts";
import { AppError } from "#domain/app-error.ts";
import { type CallContext, type Handler, handler } from "../http/handler.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { ImportPlanRow, ProjectResource, ProjectRow, ProjectStore } from "../storage/storage.ts";
import { changesOf, chosen, type FoundObject, objectsOf, snippetsOf } from "./import-plan.ts";
import { objectCalls } from "./object-calls.ts";
import { type ObjectType, resourceKinds } from "./resource-kinds.ts";

export interface ImportHandlerDeps {
  readonly projects: ProjectStore;
  /** Those of the objects that code can own. */
  readonly handlers: readonly Handler[];
  readonly nowMs: () => number;
}

/** Takes objects that there are into projects of code. */
export function importHandlers(deps: ImportHandlerDeps): readonly Handler[] {
  const { projects, nowMs } = deps;
  const listed = async (accountId: number, filter: Parameters<ProjectStore["plans"]>[1]): Promise<ImportPlan[]> =>
    (await projects.plans(accountId, filter)).map(planView);
  return [
    handler(createImportPlan, async ({ params: { logicalId }, query: { preview }, body }, context) => {
      const accountId = context.caller.account.id;
      const project = await projectNamed(projects, accountId, logicalId);
      const changes = await plannedChanges(deps, project, body, context);
      const plan = { uuid: randomUUID(), accountId, projectId: project.id, changes, createdAtMs: nowMs() };
      if (!preview) await projects.createPlan(plan);
      return { id: preview ? "" : plan.uuid, createdAt: instant(plan.createdAtMs), changes };
    }),
    handler(listProjectImportPlans, async ({ params: { logicalId }, query }, { caller }) => {
      const project = await projectNamed(projects, caller.account.id, logicalId);
      return listed(caller.account.id, { ...query, projectId: project.id });
    }),
    handler(listImportPlans, async ({ query }, { caller }) => listed(caller.account.id, query)),
    ...changeHandlers(deps),
  ];
}

function changeHandlers({ projects, nowMs }: ImportHandlerDeps): readonly Handler[] {
  return [
    handler(applyImportPlan, async ({ params: { planId } }, { caller: { account } }) => {
      const plan = await planNamed(projects, account.id, planId);
      const resources = linkedBy(plan);
      await refuseOwned(projects, account.id, resources);
      if (!(await projects.applyPlan(plan, account.id, resources, nowMs()))) throw wrongState("was applied already");
      return planView(await planNamed(projects, account.id, planId));
    }),
    handler(commitImportPlan, async ({ params: { planId } }, { caller: { account } }) => {
      const plan = await planNamed(projects, account.id, planId);
      if (!(await projects.commitPlan(plan, nowMs()))) throw wrongState("is not applied, or committed already");
      return planView(await planNamed(projects, account.id, planId));
    }),
    handler(cancelImportPlan, async ({ params: { planId } }, { caller: { account } }) => {
      const plan = await planNamed(projects, account.id, planId);
      if (!(await projects.cancelPlan(plan))) throw wrongState("was committed");
      return undefined;
    }),
  ];
}

/** The client tells it by its status. */
function wrongState(what: string): AppError {
  return new AppError("forbidden", `The import plan ${what}`);
}

async function projectNamed(projects: ProjectStore, accountId: number, logicalId: string): Promise<ProjectRow> {
  const project = await projects.find(accountId, logicalId);
  if (project === undefined) throw notFound("project", logicalId);
  return project;
}

async function planNamed(projects: ProjectStore, accountId: number, planId: string): Promise<ImportPlanRow> {
  const plan = await projects.plan(accountId, planId.toLowerCase());
  if (plan === undefined) throw notFound("import plan", planId);
  return plan;
}

async function plannedChanges(
  { projects, handlers }: ImportHandlerDeps,
  project: ProjectRow,
  { filters, friends }: ImportPlanCreate,
  { caller, signal, request }: CallContext<"write">,
): Promise<ImportChanges> {
  const call = objectCalls(handlers, caller, { signal, request });
  const { accountId } = project;
  const [all, own, pending] = await Promise.all([
    objectsOf(call),
    projects.resources(project.id),
    projects.plans(accountId, { onlyUnapplied: false, onlyUncommitted: true }),
  ]);
  const reserved = new Set(pending.flatMap(linkedBy).map(keyOf));
  const owned = await ownedAmong(projects, accountId, all);
  const objects = all.filter((object) => {
    const { isIn, isNamed } = chosen(filters, object);
    return isIn && !owned.has(keyOf(object)) && (isNamed || !reserved.has(keyOf(object)));
  });
  // The client looks for these words.
  if (objects.length === 0) throw new AppError("not_found", "No importable resources were found");
  const known = new Map(own.map((one) => [`${one.type}:${one.logicalId}`, one]));
  const told = friends.flatMap(({ type, logicalId }) => {
    const { physicalId = null } = known.get(`${type}:${logicalId}`) ?? {};
    if (physicalId === null) return [];
    return [{ type, logicalId, physicalId: type in resourceKinds ? resourceKinds[type as ObjectType].shownId(physicalId) : physicalId }];
  });
  return changesOf({ objects, snippets: await snippetsOf(call), friends: told, taken: new Set(known.keys()) });
}

/** What applying a plan links: objects, not their parts, which have no id. */
function linkedBy({ changes }: Pick<ImportPlanRow, "changes">): readonly ProjectResource[] {
  const { resources } = changes as ImportChanges; // written by us
  return resources.flatMap(({ type, logicalId, physicalId, payload }) => {
    if (physicalId === undefined) return [];
    const id = type === "dashboard" ? String(payload["dashboardId"]) : String(physicalId);
    return [{ type, logicalId, physicalId: id, isMember: true, sourceFile: null, payloadHash: "", stateHash: "" }];
  });
}

interface Keyed {
  readonly type: string;
  readonly id?: string;
  readonly physicalId?: string | null;
}

function keyOf({ type, id, physicalId }: Keyed): string {
  return `${type}:${id ?? physicalId ?? ""}`;
}

async function ownedAmong(projects: ProjectStore, accountId: number, all: readonly FoundObject[]): Promise<ReadonlySet<string>> {
  const owned = new Set<string>();
  for (const [type, ofType] of Map.groupBy(all, (object) => object.type)) {
    const ids = ofType.map(({ id }) => id);
    for (const id of (await projects.owners(accountId, type, ids)).keys()) owned.add(`${type}:${id}`);
  }
  return owned;
}

/** Between the plan and its application another project may have taken one over. @throws {AppError} conflict */
async function refuseOwned(projects: ProjectStore, accountId: number, resources: readonly ProjectResource[]): Promise<void> {
  for (const [type, ofType] of Map.groupBy(resources, (one) => one.type)) {
    const owners = await projects.owners(
      accountId,
      type,
      ofType.flatMap(({ physicalId }) => physicalId ?? []),
    );
    for (const [id, { project }] of owners) {
      throw new AppError("conflict", `The ${type} ${id} belongs to the project "${project.logicalId}"; cancel the plan and make a new one`);
    }
  }
}

function planView({ uuid, createdAtMs, appliedAtMs, committedAtMs, changes }: ImportPlanRow): ImportPlan {
  return {
    id: uuid,
    createdAt: instant(createdAtMs),
    ...(appliedAtMs !== null && { appliedAt: instant(appliedAtMs) }),
    ...(committedAtMs !== null && { committedAt: instant(committedAtMs) }),
    changes: changes as ImportChanges, // written by us
  };
}
