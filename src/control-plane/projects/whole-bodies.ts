import type { DeployedResource, ProjectDeploy, ResourceType } from "#contract/projects.ts";
import { withSharedFiles } from "../rest/shared-files.ts";
import { referenceIn } from "./resolve-references.ts";
import type { Payload } from "./resource-kinds.ts";

/** What is declared beside an object and is a part of it. */
export interface Parts {
  readonly subscriptions: readonly Payload[];
  /** Logical ids of private locations. */
  readonly locations: readonly string[];
  /** Of a status page, in the order of the page. */
  readonly components: readonly Component[];
}

export interface Component {
  readonly logicalId: string;
  readonly payload: Payload;
}

export const noParts: Parts = { subscriptions: [], locations: [], components: [] };

interface Declared {
  readonly subscriptions: Payload[];
  readonly locations: string[];
  readonly components: Component[];
}

/** Subscriptions, assignments and components of each object, by type and logical id. */
export function partsOf(resources: readonly DeployedResource[]): ReadonlyMap<string, Parts> {
  const all = new Map<string, Declared>();
  const of = (type: ResourceType, owner: string): Declared =>
    all.getOrInsertComputed(`${type}:${owner}`, () => ({ subscriptions: [], locations: [], components: [] }));
  for (const { type, logicalId, payload } of resources) {
    const body = payload ?? {};
    const page = referenceIn(body["statusPageId"]);
    if (type === "status-page-component" && page !== undefined) of("status-page", page).components.push({ logicalId, payload: body });
    const [check, group] = [referenceIn(body["checkId"]), referenceIn(body["groupId"])];
    if (check !== undefined) addTo(of("check", check), type, body);
    else if (group !== undefined && type !== "check") addTo(of("check-group", group), type, body);
  }
  return all;
}

function addTo(
  { subscriptions, locations }: Declared,
  type: ResourceType,
  { alertChannelId, activated, privateLocationId }: Payload,
): void {
  if (type === "alert-channel-subscription") subscriptions.push({ alertChannelId, activated });
  const location = referenceIn(privateLocationId);
  const isAssignment = type === "private-location-check-assignment" || type === "private-location-group-assignment";
  if (isAssignment && location !== undefined) locations.push(location);
}

/** The body with which an object is written. @param slugOf of a private location of the project */
export function wholeBody(
  { type, payload }: DeployedResource,
  parts: Parts,
  slugOf: (logicalId: string) => string | undefined,
  { sharedFiles }: Pick<ProjectDeploy, "sharedFiles">,
): Payload {
  const body = withoutUndefined(payload ?? {});
  if (type === "status-page") return body["version"] === 3 ? { ...body, cards: cardsOf(String(body["name"]), parts.components) } : body;
  if (type !== "check" && type !== "check-group") return body;
  const given = Array.isArray(body["privateLocations"]) ? body["privateLocations"] : [];
  const named = parts.locations.map((logicalId) => slugOf(logicalId) ?? logicalId);
  return {
    ...withSharedFiles(body, sharedFiles),
    privateLocations: [...new Set([...given, ...named])],
    alertChannelSubscriptions: parts.subscriptions,
  };
}

/** A page of version 3 has components: those of a group are a card, those without one share a card of the page's name. */
function cardsOf(pageName: string, components: readonly Component[]): readonly Payload[] {
  const ordered = components.toSorted((a, b) => orderOf(a) - orderOf(b)).filter(({ payload }) => payload["hidden"] !== true);
  const services = (parent: string | undefined) =>
    ordered
      .filter(({ payload }) => payload["type"] !== "GROUP" && referenceIn(payload["parentId"]) === parent)
      .map(({ logicalId }) => ({ ref: logicalId }));
  const groups = ordered
    .filter(({ payload }) => payload["type"] === "GROUP")
    .map(({ logicalId, payload }) => ({ name: payload["name"], services: services(logicalId) }));
  const alone = services(undefined);
  return alone.length === 0 ? groups : [{ name: pageName, services: alone }, ...groups];
}

function orderOf({ payload }: Component): number {
  return Number(payload["displayOrder"] ?? 0);
}

/** JSON has none; a member that is absent is not the same as one that is null. */
function withoutUndefined(payload: Payload): Payload {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
}
