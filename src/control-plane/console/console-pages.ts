import type { FormRoute } from "../http/form-routes.ts";
import { type AccountPageDeps, accountPages } from "./accounts/account-pages.ts";
import { type AlertPageDeps, alertPages } from "./alerts/alert-pages.ts";
import { type Ask, type AskDeps, createAsk } from "./ask.ts";
import { type AuditPageDeps, auditPages } from "./audit/audit-pages.ts";
import { type BulkPageDeps, bulkPages } from "./bulk/bulk-pages.ts";
import { type CausePageDeps, causePages } from "./causes/cause-pages.ts";
import { certificatePages } from "./certificates/certificate-pages.ts";
import { channelPages } from "./channels/channel-pages.ts";
import { type SubscriptionPageDeps, subscriptionPages } from "./channels/subscription-pages.ts";
import { type CheckPageDeps, checkPages } from "./check/check-pages.ts";
import { type CodeOwnerDeps, withCodeOwner } from "./code/code-owner.ts";
import { type CodePageDeps, codePages } from "./code/code-pages.ts";
import { type EditPageDeps, editPages } from "./edit/edit-pages.ts";
import { type FindPageDeps, findPage } from "./find/find-page.ts";
import { type GroupPageDeps, groupPages } from "./groups/group-pages.ts";
import { incidentPages } from "./incidents/incident-pages.ts";
import { keyPages } from "./keys/key-pages.ts";
import { createLiveHub, type LiveHub, type LiveHubDeps } from "./live/live-hub.ts";
import { livePages } from "./live/live-pages.ts";
import type { LivePage } from "./live/live-routes.ts";
import { type LocationPageDeps, locationPages } from "./locations/location-pages.ts";
import { maintenancePages } from "./maintenance/maintenance-pages.ts";
import { dismissFirstSteps } from "./overview/first-steps.ts";
import { type OverviewDeps, overview } from "./overview/overview.ts";
import { savedViewPages } from "./overview/saved-views.ts";
import { signInRulePages } from "./people/sign-in-rule-pages.ts";
import { publishedPages } from "./published/published-pages.ts";
import type { SubscriberPageDeps } from "./published/subscriber-pages.ts";
import type { TracePageDeps } from "./result/file-pages.ts";
import { linkPages } from "./result/link-pages.ts";
import { type ResultPageDeps, resultPages } from "./result/result-page.ts";
import { type SharedRunDeps, sharedRoutes } from "./result/shared-routes.ts";
import { snippetPages } from "./snippets/snippet-pages.ts";
import { testedPages } from "./tested/tested-pages.ts";
import { variablePages } from "./variables/variable-pages.ts";
import type { ConsolePage } from "./visit.ts";

export type ConsolePageDeps = AccountPageDeps &
  OverviewDeps &
  FindPageDeps &
  CheckPageDeps &
  BulkPageDeps &
  AlertPageDeps &
  AskDeps &
  LocationPageDeps &
  AuditPageDeps &
  CausePageDeps &
  CodeOwnerDeps &
  CodePageDeps &
  EditPageDeps &
  GroupPageDeps &
  SubscriptionPageDeps &
  SubscriberPageDeps &
  TracePageDeps &
  ResultPageDeps &
  SharedRunDeps &
  LiveHubDeps;

export interface ConsolePages {
  readonly pages: readonly ConsolePage[];
  /** For people who have a link. */
  readonly shared: readonly FormRoute[];
  /** What they hear while they are open. */
  readonly livePages: readonly LivePage[];
  readonly hub: LiveHub;
}

/** What people look at once they are signed in, beside their account. */
export function consolePages(deps: ConsolePageDeps): ConsolePages {
  const ask: Ask = createAsk(deps);
  return { pages: pagesOf(deps, ask), shared: sharedRoutes(ask, deps), livePages: livePages(ask, deps), hub: createLiveHub(deps) };
}

function pagesOf(deps: ConsolePageDeps, ask: Ask): readonly ConsolePage[] {
  return [
    overview(ask, deps),
    findPage(ask, deps),
    dismissFirstSteps(deps),
    ...savedViewPages(deps),
    ...bulkPages(ask, deps),
    ...checkPages(ask, deps),
    ...editPages(ask, deps),
    ...groupPages(ask, deps),
    ...codePages(ask, deps),
    ...resultPages(ask, deps),
    ...linkPages(ask),
    ...testedPages(ask, deps),
    ...locationPages(deps, ask),
    ...alertPages(ask, deps),
    ...causePages(ask, deps),
    ...channelPages(ask),
    ...subscriptionPages(ask, deps),
    ...incidentPages(ask, deps),
    ...maintenancePages(ask),
    ...publishedPages(ask, deps),
    ...variablePages(ask),
    ...snippetPages(ask),
    ...certificatePages(ask, deps.nowMs),
    ...signInRulePages(ask),
    ...keyPages(ask),
    ...auditPages(ask, deps),
    ...accountPages(ask, deps),
  ].map((page) => withCodeOwner(deps, page));
}
