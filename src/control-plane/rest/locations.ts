import { listLocations } from "#contract/location-list.ts";
import { dataCenterLocations } from "#contract/locations.ts";
import { type Handler, handler } from "../http/handler.ts";

export function locationHandlers(): readonly Handler[] {
  const all = Object.entries(dataCenterLocations).map(([region, name]) => ({ region, name }));
  return [handler(listLocations, async () => all)];
}
