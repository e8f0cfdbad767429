import { kindNamed } from "#contract/kinds.ts";
import type { Operation } from "#contract/operation.ts";
import type { ImportChanges, ImportedResource, ImportFilter } from "#contract/project-imports.ts";
import type { ResourceType } from "#contract/projects.ts";
import type { CallOperation } from "./object-calls.ts";
import { type ObjectType, type Payload, resourceKinds } from "./resource-kinds.ts";

/** An object that there is. */
export interface FoundObject {
  readonly type: ObjectType;
  /** As projects name what they own. */
  readonly id: string;
  readonly payload: Payload;
}

const pageSize = 100;
/** More than an account has; ends a list that never ends. */
const mostPages = 1_000;
/** The client makes no code of these. */
const withoutCode: readonly unknown[] = ["PLAYWRIGHT"];

/** All objects of the account that code can own, as whoever asks reads them. */
export async function objectsOf(call: CallOperation): Promise<readonly FoundObject[]> {
  const found: FoundObject[] = [];
  for (const type of Object.keys(resourceKinds) as ObjectType[]) {
    for (const payload of await allOf(call, type)) {
      const { idField } = kindNamed(type);
      if (!withoutCode.includes(payload["checkType"])) found.push({ type, id: String(payload[idField]), payload });
    }
  }
  return found;
}

export async function snippetsOf(call: CallOperation): Promise<readonly Payload[]> {
  return allOf(call, "snippet");
}

/** Lists come whole, by pages, or by cursors. */
async function allOf(call: CallOperation, type: ObjectType | "snippet"): Promise<readonly Payload[]> {
  const operation: Operation | undefined = kindNamed(type).operations.list;
  if (operation === undefined) return [];
  const all: Payload[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const isCursor = operation.query?.shape["nextId"] !== undefined;
    const place: Readonly<Record<string, string>> = isCursor ? (cursor === undefined ? {} : { nextId: cursor }) : { page: String(page) };
    const answer = (await call(operation, { query: { limit: String(pageSize), ...place } })) as unknown as ListAnswer;
    if (Array.isArray(answer)) return answer as readonly Payload[]; // all of them at once
    const items = answer.items ?? answer.entries ?? [];
    all.push(...items);
    cursor = answer.nextId ?? undefined;
    if (isCursor ? cursor === undefined : items.length < pageSize) return all;
  }
  return all;
}

interface ListAnswer {
  readonly items?: readonly Payload[];
  readonly entries?: readonly Payload[];
  readonly nextId?: string | null;
}

/** What is taken over, and what comes beside it. */
export interface Planned {
  readonly objects: readonly FoundObject[];
  readonly snippets: readonly Payload[];
  readonly friends: ImportChanges["friends"];
  /** Logical ids that the project has. */
  readonly taken: ReadonlySet<string>;
}

/** Whether the last filter that is about the object takes it in, and whether one names it itself. */
export function chosen(
  filters: readonly ImportFilter[],
  { type, id, payload }: FoundObject,
): { readonly isIn: boolean; readonly isNamed: boolean } {
  const ids = [id, String(payload["id"])];
  const about = filters.filter(({ resource }) => {
    if (resource == null) return true;
    return resource.type === type && (resource.physicalId == null || ids.includes(String(resource.physicalId)));
  });
  const last = about.at(-1);
  return { isIn: last?.type === "include", isNamed: last?.type === "include" && last.resource?.physicalId != null };
}

/** The plan, as the client makes code of it. */
export function changesOf({ objects, snippets, friends, taken }: Planned): ImportChanges {
  const names = new Set(taken);
  const resources = objects.map((object): ImportedResource => {
    const logicalId = nameOf(object, names);
    names.add(`${object.type}:${logicalId}`);
    return { type: object.type, logicalId, physicalId: clientId(object), member: true, payload: { ...object.payload } };
  });
  const parts = objects.flatMap((object) => partsOf(object, objects));
  return {
    resources: [...resources, ...parts],
    friends,
    auxiliary: snippets.map((payload) => ({ type: "snippet", physicalId: Number(payload["id"]), payload: { ...payload } })),
  };
}

/** The client knows dashboards by their numbers. */
function clientId({ type, id, payload }: FoundObject): string | number {
  return typeof payload["id"] === "number" ? payload["id"] : resourceKinds[type].shownId(id);
}

const longestName = 60;

/** From what people call it, with the beginning of its id: no other object of the project has it. */
function nameOf({ type, id, payload }: FoundObject, taken: ReadonlySet<string>): string {
  const titles = [payload["name"], payload["header"], payload["slugName"], ...configuredNames(payload["config"])];
  const title = titles.find((one) => typeof one === "string") ?? type;
  const slug = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, longestName);
  const name = `${slug === "" ? type : slug}-${id.slice(0, 8)}`;
  return taken.has(`${type}:${name}`) ? `${name}-${id}` : name;
}

/** Channels have no name of their own. */
function configuredNames(config: unknown): readonly unknown[] {
  if (typeof config !== "object" || config === null) return [];
  const { name, address, channel, number } = config as Readonly<Record<string, unknown>>;
  return [name, address, channel, number];
}

/** Subscriptions and private locations of a check or a group, as resources of their own. They are no part of what is linked: a deployment writes them with it. */
function partsOf({ type, payload }: FoundObject, objects: readonly FoundObject[]): readonly ImportedResource[] {
  if (type !== "check" && type !== "check-group") return [];
  const at = type === "check" ? { checkId: payload["id"] } : { groupId: payload["id"] };
  const owner = String(payload["id"]);
  const part = (of: ResourceType, logicalId: string, more: Payload): ImportedResource => {
    return { type: of, logicalId, member: true, payload: { ...at, ...more } };
  };
  const subscriptions = listIn(payload["alertChannelSubscriptions"]).map(({ alertChannelId, activated }) =>
    part("alert-channel-subscription", `subscription-${owner}-${String(alertChannelId)}`, { alertChannelId, activated }),
  );
  const slugs = payload["privateLocations"];
  const locations = (Array.isArray(slugs) ? (slugs as readonly unknown[]) : []).flatMap((slug) => {
    const location = objects.find((one) => one.type === "private-location" && one.payload["slugName"] === slug);
    const assignment = type === "check" ? "private-location-check-assignment" : "private-location-group-assignment";
    return location === undefined ? [] : [part(assignment, `assignment-${owner}-${location.id}`, { privateLocationId: location.id })];
  });
  return [...subscriptions, ...locations];
}

function listIn(value: unknown): readonly Payload[] {
  return Array.isArray(value) ? (value as readonly Payload[]) : [];
}
