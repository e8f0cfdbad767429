import { answerReference, type Ownership } from "#contract/changes.ts";
import { AppError } from "#domain/app-error.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import type { ProjectResource, ProjectRow, ProjectStore } from "../storage/storage.ts";
import { type DeployDeps, projectOf, States } from "./deploy.ts";

type Id = string | number | null;

/**
 * Makes a project own what a file names, and nothing else. Within the transaction of the file's changes.
 *
 * @param ids of the objects that its calls made
 * @throws {AppError} invalid_input for what the account does not have; conflict for what another project owns
 */
export async function ownResources(
  { projects, nowMs }: DeployDeps,
  accountId: number,
  { project: wanted, resources }: Ownership,
  ids: readonly Id[],
): Promise<void> {
  const project = await projectOf(projects, accountId, { project: wanted }, nowMs());
  // Written first: of two files at once the second waits here, and sees what the first one owns.
  await projects.noteDeployed(project.id, { commitId: null, branch: null }, nowMs());
  if ((await projects.running(accountId, project.logicalId)) !== undefined)
    throw new AppError("conflict", `The project "${project.logicalId}" is being deployed; apply the file when that has ended`);
  const states = new States(await projects.states(accountId));
  const owned = resources.map(({ type, logicalId, physicalId: id }): ProjectResource => {
    const physicalId = String(typeof id === "object" ? ids[id[answerReference]] : id);
    const stateHash = states.of(type, physicalId) ?? "";
    return { type, logicalId, physicalId, isMember: true, sourceFile: null, payloadHash: "", stateHash };
  });
  refuseWrong(owned);
  await refuseOthers(projects, accountId, project, owned);
  await projects.removeResources(project.id, await givenUp(projects, project, owned));
  await projects.putResources(project, owned);
}

/** @throws {AppError} invalid_input */
function refuseWrong(owned: readonly ProjectResource[]): void {
  const seen = new Set<string>();
  const problems = owned.flatMap(({ type, logicalId, physicalId, stateHash }, index): InputProblem[] => {
    const path = `ownership.resources[${index}]`;
    const [name, object] = [`${type} ${logicalId}`, `${type}:${physicalId}`];
    const isRepeated = seen.has(name) || seen.has(object);
    seen.add(name).add(object);
    if (isRepeated) return [{ path, message: `names the ${name} again, or its object` }];
    return stateHash === "" ? [{ path, message: `names no ${type} of this account; received "${physicalId}"` }] : [];
  });
  if (problems.length > 0) throw invalidInput(problems);
}

/** @throws {AppError} conflict */
async function refuseOthers(
  projects: ProjectStore,
  accountId: number,
  { uuid }: ProjectRow,
  owned: readonly ProjectResource[],
): Promise<void> {
  for (const [type, ofType] of Map.groupBy(owned, (one) => one.type)) {
    const names = new Map(ofType.map(({ physicalId, logicalId }) => [physicalId ?? "", logicalId]));
    for (const [id, { project }] of await projects.owners(accountId, type, [...names.keys()]))
      if (project.uuid !== uuid)
        throw new AppError(
          "conflict",
          `The ${type} "${names.get(id)}" belongs to the project "${project.logicalId}"; leave it to that one`,
        );
  }
}

/** @throws {AppError} conflict where a deployment wrote the project: it would own nothing any more */
async function givenUp(
  projects: ProjectStore,
  project: ProjectRow,
  owned: readonly ProjectResource[],
): Promise<readonly ProjectResource[]> {
  const before = await projects.resources(project.id);
  if (before.some(({ payloadHash }) => payloadHash !== ""))
    throw new AppError("conflict", `The project "${project.logicalId}" is deployed by another client; give the file a project of its own`);
  const named = new Set(owned.map(({ type, logicalId }) => `${type} ${logicalId}`));
  return before.filter(({ type, logicalId, isPending }) => isPending !== true && !named.has(`${type} ${logicalId}`));
}
