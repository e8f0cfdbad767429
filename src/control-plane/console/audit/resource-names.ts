import type { AuditLogEntry } from "#contract/audit-log.ts";
import { operations } from "#contract/operations.ts";
import { listPrivateLocations } from "#contract/private-locations.ts";
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
] as const;
type ResourceKind = (typeof kindsOfPaths)[number][1];

/** Of the console's own, which have no path in the contract. */
const kindsOfConsole: Readonly<Record<string, ResourceKind>> = { muteCheckForTime: "check", unmuteCheck: "check" };

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
  const [checks, groups, channels, locations] = await Promise.all([
    checkIndex.byUuids(visit.account.id, [...new Set(uuids)]),
    has("group") ? allGroups(ask, visit) : [],
    has("channel") ? allChannels(ask, visit) : [],
    has("location") ? ask(visit, listPrivateLocations) : [],
  ]);
  const known: Readonly<Record<ResourceKind, ReadonlyMap<string, NamedResource>>> = {
    check: new Map(checks.map(({ uuid, name }) => [uuid, { name, href: `/checks/${uuid}` }])),
    group: new Map(groups.map(({ id, name }) => [String(id), { name, href: `/groups/${id}` }])),
    channel: new Map(channels.map((channel) => [String(channel.id), { name: channelName(channel), href: `/channels/${channel.id}` }])),
    location: new Map(locations.map(({ id, name }) => [id, { name, href: `/locations/${id}` }])),
  };
  return ({ operation, resourceId }) => {
    const kind = kinds.get(operation);
    return kind === undefined || resourceId === null ? null : (known[kind].get(resourceId) ?? null);
  };
}
