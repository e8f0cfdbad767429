import { createHash, randomUUID } from "node:crypto";
import { getPrivateLocation } from "#contract/private-locations.ts";
import {
  type DeployedResource,
  type DeploymentAction,
  type DeploymentChange,
  type DeploymentResult,
  type ProjectDeploy,
  type ResourceType,
  resourceTypes,
} from "#contract/projects.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { ProjectResource, ProjectRow, ProjectStore } from "../storage/storage.ts";
import type { CallOperation } from "./object-calls.ts";
import { deployedFrom, projectView } from "./project-view.ts";
import { withIds } from "./resolve-references.ts";
import { type ObjectType, type Payload, resourceKinds } from "./resource-kinds.ts";
import { noParts, type Parts, partsOf, wholeBody } from "./whole-bodies.ts";

export interface DeployDeps {
  readonly projects: ProjectStore;
  readonly nowMs: () => number;
}

/** One deployment, within a transaction. */
export interface Deploying {
  readonly accountId: number;
  readonly call: CallOperation;
  readonly body: ProjectDeploy;
  readonly preserveResources: boolean;
  /** Between two objects; throws where it was cancelled. @param done of all, 0 to 1 */
  readonly step: (done: number) => void;
}

export interface Deployed {
  readonly result: DeploymentResult;
  /** Ids of checks that are new or changed. */
  readonly changedChecks: readonly string[];
}

/** Objects stand before those that refer to them. Locations and channels are named by groups and checks. */
const order: readonly ResourceType[] = [
  "status-page-service",
  "status-page-component",
  "status-page",
  "status-page-automation-rule",
  "private-location",
  "alert-channel",
  "check-group",
  "check",
  "private-location-check-assignment",
  "private-location-group-assignment",
  "alert-channel-subscription",
  "maintenance-window",
  "dashboard",
];

/** These may take a name or an address that a new object wants, and nothing refers to them. */
const removedFirst: readonly ResourceType[] = ["dashboard", "maintenance-window", "status-page", "status-page-automation-rule"];

/**
 * Makes an account what a project's code says. Objects that are as the code says, and that nobody changed since, are left alone.
 *
 * @throws {AppError} as the operations of its objects do, with the object's name before the field; what `step` throws
 */
export async function deploy({ projects, nowMs }: DeployDeps, deploying: Deploying): Promise<Deployed> {
  const { accountId, call, body, preserveResources, step } = deploying;
  refuseRepeated(body.resources);
  const project = await projectOf(projects, accountId, body, nowMs());
  const before = new Map((await projects.resources(project.id)).map((one) => [keyOf(one), one]));
  const wanted = new Set(body.resources.map(keyOf));
  // What an import brought stays until it is committed, also where an older state of the code is deployed.
  const gone = [...before.values()].filter((one) => !wanted.has(keyOf(one)) && one.isPending !== true);
  const states = new States(await projects.states(accountId));
  const changes: DeploymentChange[] = [];
  const removal = new Removal(call, preserveResources);

  await removal.remove(
    gone.filter(({ type }) => removedFirst.includes(type as ResourceType)),
    changes,
  );
  const writing = new Writing(call, body, before, states);
  const sorted = body.resources.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
  for (const [index, resource] of sorted.entries()) {
    step(index / sorted.length);
    const change = await writing.write(resource);
    if (change !== undefined) changes.push(change);
  }
  await removal.remove(
    gone.filter(({ type }) => !removedFirst.includes(type as ResourceType)),
    changes,
  );

  await projects.removeResources(project.id, gone);
  const after = new States(await projects.states(accountId));
  await projects.putResources(
    project,
    writing.written.map((one) => ({ ...one, stateHash: after.of(one.type, one.physicalId) ?? "" })),
  );
  await projects.noteDeployed(project.id, deployedFrom(body), nowMs());
  const changedChecks = changes.flatMap(({ type, action, physicalId }) =>
    type === "check" && (action === "CREATE" || action === "UPDATE") ? String(physicalId) : [],
  );
  return { result: { project: projectView(project), diff: inOrder(changes) }, changedChecks };
}

/** Deletes a project and what it owns, or leaves that. */
export async function destroy(
  { projects }: DeployDeps,
  project: ProjectRow,
  call: CallOperation,
  preserveResources: boolean,
): Promise<DeploymentResult> {
  const owned = (await projects.resources(project.id)).filter(({ isPending }) => isPending !== true);
  const changes: DeploymentChange[] = [];
  await new Removal(call, preserveResources).remove(owned, changes);
  await projects.remove(project.id);
  return { project: projectView(project), diff: inOrder(changes) };
}

/** Made where there is none, and named as the code names it. */
export async function projectOf(
  projects: ProjectStore,
  accountId: number,
  { project: { logicalId, name, repoUrl = null } }: Pick<ProjectDeploy, "project">,
  nowMs: number,
): Promise<ProjectRow> {
  const known = await projects.find(accountId, logicalId);
  if (known === undefined) {
    const made = await projects.create({ uuid: randomUUID(), accountId, logicalId, name, repoUrl, createdAtMs: nowMs });
    if (made === undefined) throw new AppError("try_again", "Another deployment has just made this project; deploy again");
    return made;
  }
  if (known.name === name && known.repoUrl === repoUrl) return known;
  await projects.rename(known.id, { name, repoUrl }, nowMs);
  return { ...known, name, repoUrl };
}

/** @throws {AppError} invalid_input */
function refuseRepeated(resources: readonly DeployedResource[]): void {
  const seen = new Set<string>();
  for (const [index, one] of resources.entries()) {
    if (seen.has(keyOf(one))) {
      const message = `names the ${one.type} "${one.logicalId}" again; name each one once`;
      throw invalidInput([{ path: `resources[${index}].logicalId`, message }]);
    }
    seen.add(keyOf(one));
  }
}

/** What tells that an object was changed. */
export class States {
  readonly #states: ReadonlyMap<string, string>;
  constructor(states: ReadonlyMap<string, string>) {
    this.#states = states;
  }

  /** Undefined where there is no such object; parts of others have no state of their own. */
  of(type: string, physicalId: string | null): string | undefined {
    if (physicalId === null || !(objectTypeOf(type) !== undefined)) return "";
    return this.#states.get(`${objectTypeOf(type)}:${physicalId}`);
  }
}

class Writing {
  readonly written: ProjectResource[] = [];
  readonly #call: CallOperation;
  readonly #body: ProjectDeploy;
  readonly #before: ReadonlyMap<string, ProjectResource>;
  readonly #states: States;
  readonly #parts: ReadonlyMap<string, Parts>;
  readonly #ids = new Map<string, string>();
  /** Slugs of private locations, by logical id. */
  readonly #slugs = new Map<string, string>();

  constructor(call: CallOperation, body: ProjectDeploy, before: ReadonlyMap<string, ProjectResource>, states: States) {
    this.#call = call;
    this.#body = body;
    this.#before = before;
    this.#states = states;
    this.#parts = partsOf(body.resources);
  }

  /** @returns undefined where nothing was to do */
  async write(resource: DeployedResource): Promise<DeploymentChange | undefined> {
    const { type, logicalId, sourceFile = null, member } = resource;
    if (!member) return this.#refer(resource);
    const known = this.#before.get(keyOf(resource));
    const object = objectOf(resource);
    const [whole, own] = object === undefined ? [resource.payload, resource.payload] : [this.#wholeBody(object, resource), object.payload];
    // Two hashes in one: what the code says of it, and what it comes to with its parts.
    const hashes = `${hashOf(own)}:${hashOf(whole)}`;
    const at = await namingResource(resource, () => this.#store(object, resource, known, hashes));
    this.#ids.set(keyOf(resource), at.physicalId);
    if (type === "private-location") this.#slugs.set(logicalId, String(resource.payload?.["slugName"]));
    const { payloadHash } = known ?? {};
    this.written.push({
      type,
      logicalId,
      physicalId: at.physicalId,
      isMember: true,
      sourceFile,
      payloadHash: hashes,
      stateHash: "",
    });
    const isToldElsewhere = at.action === "UPDATE" && at.isAsLeft && payloadHash?.split(":")[0] === hashes.split(":")[0];
    if (at.action === null || isToldElsewhere) return undefined; // only its parts changed
    return { type, logicalId, physicalId: shownId(type, at.physicalId), action: at.action };
  }

  async #refer({ type, logicalId, physicalId, sourceFile = null }: DeployedResource): Promise<undefined> {
    if (physicalId == null)
      throw invalidInput([{ path: `${type} "${logicalId}".physicalId`, message: "must name what the code refers to" }]);
    const id = String(physicalId);
    if (this.#states.of(type, id) === undefined) {
      throw invalidInput([{ path: `${type} "${logicalId}".physicalId`, message: `names no ${type} of this account; received "${id}"` }]);
    }
    this.#ids.set(`${type}:${logicalId}`, id);
    if (type === "private-location")
      this.#slugs.set(logicalId, String((await this.#call(getPrivateLocation, { params: { id } }))["slugName"]));
    this.written.push({ type, logicalId, physicalId: id, isMember: false, sourceFile, payloadHash: "", stateHash: "" });
    return undefined;
  }

  #idOf(type: ResourceType, logicalId: string): string | number | undefined {
    const found = this.#ids.get(`${type}:${logicalId}`);
    return found === undefined ? undefined : shownId(type, found);
  }

  #wholeBody(object: WrittenObject, resource: DeployedResource): Payload {
    const parts = this.#parts.get(keyOf(resource)) ?? noParts;
    return wholeBody({ ...resource, ...object }, parts, (logicalId) => this.#slugs.get(logicalId), this.#body);
  }

  async #store(
    object: WrittenObject | undefined,
    resource: DeployedResource,
    known: ProjectResource | undefined,
    hashes: string,
  ): Promise<Stored> {
    const id = physicalIdOf(resource, known);
    const isSame = known?.payloadHash === hashes;
    if (object === undefined) return ofNoObject(known, isSame);
    const state = id === null ? undefined : this.#states.of(object.type, id);
    const isAsLeft = known?.stateHash === (state ?? null);
    if (id !== null && state !== undefined && isSame && isAsLeft) return { physicalId: id, action: null, isAsLeft };
    const kind = resourceKinds[object.type];
    const body = withIds(this.#wholeBody(object, resource), (type, logicalId) => this.#idOf(type, logicalId));
    if (id === null || state === undefined) return { physicalId: await kind.create(this.#call, body), action: "CREATE", isAsLeft: true };
    await kind.update(this.#call, id, body);
    return { physicalId: id, action: "UPDATE", isAsLeft };
  }
}

/** Of an object that is there, or that the code takes over. */
function physicalIdOf({ physicalId }: DeployedResource, known: ProjectResource | undefined): string | null {
  return known?.physicalId ?? (physicalId == null ? null : String(physicalId));
}

/** Of what is a part of other objects: only what was said of it is remembered. */
function ofNoObject(known: ProjectResource | undefined, isSame: boolean): Stored {
  const action = known === undefined ? "CREATE" : isSame ? null : "UPDATE";
  return { physicalId: known?.physicalId ?? randomUUID(), action, isAsLeft: true };
}

interface Stored {
  readonly physicalId: string;
  /** Null: it was left alone. */
  readonly action: Exclude<DeploymentAction, "DELETE" | "DETACHED"> | null;
  /** Nobody changed it since the last deployment. */
  readonly isAsLeft: boolean;
}

class Removal {
  readonly #call: CallOperation;
  readonly #preserve: boolean;
  constructor(call: CallOperation, preserve: boolean) {
    this.#call = call;
    this.#preserve = preserve;
  }

  /** What refers to others goes before them. */
  async remove(gone: readonly ProjectResource[], changes: DeploymentChange[]): Promise<void> {
    const members = gone.filter(({ isMember }) => isMember);
    for (const one of members.toSorted((a, b) => order.indexOf(b.type as ResourceType) - order.indexOf(a.type as ResourceType))) {
      const type = one.type as ResourceType;
      const object = objectTypeOf(type);
      if (!this.#preserve && object !== undefined && one.physicalId !== null) await this.#removeObject(object, one.physicalId);
      const physicalId = one.physicalId === null ? {} : { physicalId: shownId(type, one.physicalId) };
      changes.push({ type, logicalId: one.logicalId, ...physicalId, action: this.#preserve ? "DETACHED" : "DELETE" });
    }
  }

  async #removeObject(type: ObjectType, id: string): Promise<void> {
    try {
      await resourceKinds[type].remove(this.#call, id);
    } catch (error) {
      if (!hasCode(error, "not_found")) throw error; // somebody was faster
    }
  }
}

interface WrittenObject {
  readonly type: ObjectType;
  readonly payload: Payload;
}

/** The object that a resource is; undefined for what is a part of others. A component of a page is a service there. */
function objectOf({ type, payload }: DeployedResource): WrittenObject | undefined {
  if (type === "status-page-component" && payload?.["type"] === "GROUP") return undefined;
  const object = objectTypeOf(type);
  if (object === undefined) return undefined;
  return { type: object, payload: type === "status-page-component" ? { name: payload?.["name"] } : (payload ?? {}) };
}

function objectTypeOf(type: string): ObjectType | undefined {
  if (type === "status-page-component") return "status-page-service";
  return type in resourceKinds ? (type as ObjectType) : undefined;
}

function shownId(type: ResourceType, id: string): string | number {
  const object = objectTypeOf(type);
  return object === undefined ? id : resourceKinds[object].shownId(id);
}

/** Whoever reads an error finds the object in the code. */
async function namingResource<T>({ type, logicalId }: DeployedResource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const code = error.code === "conflict" ? "invalid_input" : error.code; // a conflict is one of deployments
    throw new AppError(code, `${type} "${logicalId}": ${error.message}`, { cause: error, attributes: error.attributes });
  }
}

function keyOf({ type, logicalId }: { readonly type: string; readonly logicalId: string }): string {
  return `${type}:${logicalId}`;
}

/** Of equal payloads the same, whatever the order of their members. */
function hashOf(payload: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(payload)) ?? "")
    .digest("base64url")
    .slice(0, 22);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

function inOrder(changes: readonly DeploymentChange[]): DeploymentChange[] {
  return changes.toSorted((a, b) => resourceTypes.indexOf(a.type) - resourceTypes.indexOf(b.type));
}
