import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Uuid, UuidPathId } from "./primitives.ts";

/** `waiting`: its agents are refused until somebody decides. */
export const LocationHostState = z.enum(["admitted", "waiting", "refused"]);

/** Where agents of a private location come from: an address, of IPv6 its network of 64 bits. Behind a proxy it is the proxy's. */
export const LocationHost = z
  .object({
    id: Uuid,
    address: z.string(),
    name: z.string().describe("host name that the latest agent told of itself"),
    state: LocationHostState,
    firstSeen: Instant,
    lastSeen: Instant,
  })
  .meta({ id: "LocationHost" });
export type LocationHost = z.infer<typeof LocationHost>;

export const LocationHostUpdate = z.object({ state: z.enum(["admitted", "refused"]) }).meta({ id: "LocationHostUpdate" });

const common = { tag: "Private locations", rateLimit: "standard", params: z.object({ id: UuidPathId }) } as const;
const byId = { ...common, params: z.object({ id: UuidPathId, hostId: UuidPathId }) } as const;
const example = { params: { id: exampleIds.privateLocation, hostId: exampleIds.locationHost } } as const;

export const listLocationHosts = {
  ...common,
  id: "listLocationHosts",
  method: "GET",
  path: "/v1/private-locations/{id}/hosts",
  summary: "List the hosts that agents of a private location came from",
  description:
    "Those that wait for somebody to decide first, then the one seen last. At most 200 are kept: a new one takes the place of the one that waited longest, and is refused where none waits. With `hostLimit` so many are admitted by themselves; any further one waits.",
  example: { params: { id: exampleIds.privateLocation } },
  access: "read",
  output: z.array(LocationHost),
  successStatus: 200,
} as const satisfies Operation;

export const updateLocationHost = {
  ...byId,
  id: "updateLocationHost",
  method: "PUT",
  path: "/v1/private-locations/{id}/hosts/{hostId}",
  summary: "Admit or refuse the agents of a host",
  description:
    "What is refused stays out, also where the location has no `hostLimit`. Sessions that are open end within 5 seconds; their jobs go to other agents.",
  example: { ...example, body: { state: "admitted" } },
  access: "write",
  body: LocationHostUpdate,
  output: LocationHost,
  successStatus: 200,
} as const satisfies Operation;

export const deleteLocationHost = {
  ...byId,
  id: "deleteLocationHost",
  method: "DELETE",
  path: "/v1/private-locations/{id}/hosts/{hostId}",
  summary: "Forget a host: it makes room for another one",
  example,
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const locationHostOperations = [listLocationHosts, updateLocationHost, deleteLocationHost] as const;
