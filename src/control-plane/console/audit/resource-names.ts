import type { AuditLogEntry } from "#contract/audit-log.ts";
import { listDashboards } from "#contract/dashboards.ts";
import { type KindName, kindNamed, objectParameter } from "#contract/kinds.ts";
import { operations } from "#contract/operations.ts";
import { listPrivateLocations } from "#contract/private-locations.ts";
import { hasCode } from "#domain/app-error.ts";
import { isUuid } from "../../kinds/ids.ts";
import type { CheckIndexStore } from "../../storage/storage.ts";
import type { Ask } from "../ask.ts";
import { allChannels, channelName } from "../channels/channel-words.ts";
import { allGroups } from "../groups/all-groups.ts";
import type { Visit } from "../visit.ts";

/** What an entry is about, as it is called now. */
export interface NamedResource {
  readonly name: string;
  readonly href: string;
}

/** Parts of paths, and what their ids are of. */
const kindsOfPaths = [
  [/^\/v\d\/checks\b|^\/v\d\/check-sessions/, "check"],
  [/^\/v\d\/check-groups\b/, "group"],
  [/^\/v\d\/alert-channels\b/, "channel"],
  [/^\/v\d\/private-locations\b/, "location"],
  [/^\/v\d\/dashboards\b/, "dashboard"],
] as const;
type ResourceKind = (typeof kindsOfPaths)[number][1];

/** Of the console's own, which have no path in the contract. */
const kindsOfConsole: Readonly<Record<string, ResourceKind>> = { muteCheckForTime: "check", unmuteCheck: "check" };

/** Kinds that are read one by one, and where each has its page. */
const pagesOfKinds: { readonly [Kind in KindName]?: string } = {
  snippet: "/snippets",
  variable: "/variables",
  "status-page": "/pages/status",
  "status-page-service": "/pages/services",
  "status-page-incident": "/incidents",
  "maintenance-window": "/maintenance",
};
const readKinds = Object.keys(pagesOfKinds) as KindName[]; // the keys of the table above

/** By the operations that write them. */
const kindOfWrite: ReadonlyMap<string, KindName> = new Map(
  readKinds.flatMap((kind) => Object.values(kindNamed(kind).operations).map(({ id }): [string, KindName] => [id, kind])),
);

const kinds: ReadonlyMap<string, ResourceKind> = new Map([
  ...operations.flatMap(({ id, path }) => {
    const kind = kindsOfPaths.find(([form]) => form.test(path))?.[1];
    return kind === undefined ? [] : [[id, kind] as const];
  }),
  ...Object.entries(kindsOfConsole),
]);

/** @returns null for what is gone, or has no page of its own */
export async function resourceNames(
  ask: Ask,
  { checkIndex }: { readonly checkIndex: Pick<CheckIndexStore, "byUuids"> },
  visit: Visit,
  entries: readonly AuditLogEntry[],
): Promise<(entry: AuditLogEntry) => NamedResource | null> {
  const wanted = Map.groupBy(entries, ({ operation }) => kinds.get(operation));
  const has = (kind: ResourceKind): boolean => wanted.has(kind);
  const uuids = (wanted.get("check") ?? []).flatMap(({ resourceId }) => (resourceId !== null && isUuid(resourceId) ? resourceId : []));
  const [checks, groups, channels, locations, dashboards, others] = await Promise.all([
    checkIndex.byUuids(visit.account.id, [...new Set(uuids)]),
    has("group") ? allGroups(ask, visit) : [],
    has("channel") ? allChannels(ask, visit) : [],
    has("location") ? ask(visit, listPrivateLocations) : [],
    has("dashboard") ? ask(visit, listDashboards, { query: { limit: "100" } }) : { items: [] },
    othersOf(ask, visit, entries),
  ]);
  const known: Readonly<Record<ResourceKind, ReadonlyMap<string, NamedResource>>> = {
    check: new Map(checks.map(({ uuid, name }) => [uuid, { name, href: `/checks/${uuid}` }])),
    group: new Map(groups.map(({ id, name }) => [String(id), { name, href: `/groups/${id}` }])),
    channel: new Map(channels.map((channel) => [String(channel.id), { name: channelName(channel), href: `/channels/${channel.id}` }])),
    // The log has their numbers, by which nobody else calls them.
    dashboard: new Map(
      dashboards.items.map((one) => [
        String(one.id),
        { name: one.header ?? one.dashboardId, href: `/pages/dashboards/${one.dashboardId}` },
      ]),
    ),
    location: new Map(locations.map(({ id, name }) => [id, { name, href: `/locations/${id}` }])),
  };
  return ({ operation, resourceId }) => {
    const kind = kinds.get(operation);
    if (kindOfWrite.has(operation)) return others.get(`${kindOfWrite.get(operation)} ${resourceId}`) ?? null;
    return kind === undefined || resourceId === null ? null : (known[kind].get(resourceId) ?? null);
  };
}

/** By kind and id: each once, as many as a page has entries. */
async function othersOf(ask: Ask, visit: Visit, entries: readonly AuditLogEntry[]): Promise<ReadonlyMap<string, NamedResource>> {
  const wanted = new Map<string, readonly [kind: KindName, id: string]>();
  for (const { operation, resourceId: id } of entries) {
    const kind = kindOfWrite.get(operation);
    if (kind !== undefined && id !== null) wanted.set(`${kind} ${id}`, [kind, id]);
  }
  const found = await Promise.all([...wanted].map(async ([key, [kind, id]]) => [key, await readOne(ask, visit, kind, id)] as const));
  return new Map(found.flatMap(([key, one]) => (one === null ? [] : [[key, one]])));
}

async function readOne(ask: Ask, visit: Visit, kind: KindName, id: string): Promise<NamedResource | null> {
  const { find } = kindNamed(kind).operations;
  if (find === undefined) return null;
  try {
    const answer: unknown = await ask(visit, find, { params: { [objectParameter(find) ?? "id"]: id } });
    const { name, key } = answer as NamesOfKinds;
    return { name: name ?? key ?? id, href: `${pagesOfKinds[kind]}/${encodeURIComponent(id)}` };
  } catch (error) {
    if (!hasCode(error, "not_found")) throw error;
    return null;
  }
}

/** What these kinds are called by: a variable by its key. */
interface NamesOfKinds {
  readonly name?: string;
  readonly key?: string;
}
