import { deleteLocationHost, type LocationHost, listLocationHosts, updateLocationHost } from "#contract/location-hosts.ts";
import { type Handler, handler } from "../http/handler.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { LocationHostRow, LocationHostStore, LocationRow, LocationStore } from "../storage/storage.ts";

export interface LocationHostDeps {
  readonly locations: Pick<LocationStore, "byUuid">;
  readonly locationHosts: LocationHostStore;
}

/** From which hosts agents of a private location come, and which of them may. */
export function locationHostHandlers({ locations, locationHosts }: LocationHostDeps): readonly Handler[] {
  async function find(accountId: number, id: string): Promise<LocationRow> {
    const row = await locations.byUuid(accountId, id.toLowerCase());
    if (row === undefined) throw notFound("private location", id);
    return row;
  }

  return [
    handler(listLocationHosts, async ({ params: { id } }, { caller }) => {
      const location = await find(caller.account.id, id);
      return (await locationHosts.list(location.id)).map(view);
    }),
    handler(updateLocationHost, async ({ params: { id, hostId }, body: { state } }, { caller }) => {
      const location = await find(caller.account.id, id);
      const host = await locationHosts.decide(location.id, hostId.toLowerCase(), state);
      if (host === undefined) throw notFound("host", hostId);
      return view(host);
    }),
    handler(deleteLocationHost, async ({ params: { id, hostId } }, { caller }) => {
      const location = await find(caller.account.id, id);
      if (!(await locationHosts.remove(location.id, hostId.toLowerCase()))) throw notFound("host", hostId);
      return undefined;
    }),
  ];
}

function view({ uuid, network, name, state, firstSeenMs, lastSeenMs }: LocationHostRow): LocationHost {
  return { id: uuid, address: network, name, state, firstSeen: instant(firstSeenMs), lastSeen: instant(lastSeenMs) };
}
