import { type AlertPageDeps, alertPages } from "./alerts/alert-pages.ts";
import { type Ask, type AskDeps, createAsk } from "./ask.ts";
import { channelPages } from "./channels/channel-pages.ts";
import { checkPages } from "./check/check-pages.ts";
import { editPages } from "./edit/edit-pages.ts";
import { incidentPages } from "./incidents/incident-pages.ts";
import { type LocationPageDeps, locationPages } from "./locations/location-pages.ts";
import { maintenancePages } from "./maintenance/maintenance-pages.ts";
import { type OverviewDeps, overview } from "./overview/overview.ts";
import { resultPages } from "./result/result-page.ts";
import type { ConsolePage } from "./visit.ts";

export type ConsolePageDeps = OverviewDeps & AlertPageDeps & AskDeps & LocationPageDeps;

/** What people look at once they are signed in, beside their account. */
export function consolePages(deps: ConsolePageDeps): readonly ConsolePage[] {
  const ask: Ask = createAsk(deps);
  return [
    overview(deps),
    ...checkPages(ask, deps.nowMs),
    ...editPages(ask),
    ...resultPages(ask),
    ...locationPages(deps, ask),
    ...alertPages(ask, deps),
    ...channelPages(ask),
    ...incidentPages(ask),
    ...maintenancePages(ask),
  ];
}
