import { type CheckState, stateOf } from "#domain/check-state.ts";
import type { FormRoute } from "../../http/form-routes.ts";
import type { PageAnswer, PageRequest, PageRoute } from "../../http/page-routes.ts";
import { type DashboardDefinition, idClaim } from "../../kinds/dashboard.ts";
import { isUuid } from "../../kinds/ids.ts";
import type { IncidentDefinition } from "../../kinds/incident.ts";
import { dashboardUrlClaim } from "../../kinds/page-addresses.ts";
import type { CheckIndexStore, DocumentStore, IndexedCheck } from "../../storage/storage.ts";
import { ownDomain, type PageFinderDeps, pageFinder } from "../public/page-domain.ts";
import { stylesheet } from "../public/public-page.ts";
import { shortMemory } from "../public/short-memory.ts";
import type { DashboardRow } from "./access.ts";
import { dashboardPage, type ShownDashboard } from "./dashboard-view.ts";
import { type DoorDeps, dashboardDoor } from "./door.ts";
import { shownIncidents } from "./incident-list.ts";
import { type LatestRunDeps, latestRuns } from "./latest-runs.ts";
import { lockedPage } from "./locked-page.ts";
import { placeOf } from "./paging.ts";
import { runsPage } from "./runs-page.ts";
import { selectChecks, shownChecks, type TimelineDeps } from "./shown-checks.ts";
import { wallPage, wallTiles } from "./wall-view.ts";

export interface DashboardPageDeps extends TimelineDeps, LatestRunDeps, DoorDeps, Pick<PageFinderDeps, "domains"> {
  readonly heartbeats: TimelineDeps["heartbeats"] & LatestRunDeps["heartbeats"];
  readonly documents: Pick<DocumentStore, "byClaim" | "list">;
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount" | "byUuids">;
  readonly nowMs: () => number;
}

export interface DashboardPages {
  readonly routes: readonly PageRoute[];
  /** Where the form of a private one sends its key. */
  readonly forms: readonly FormRoute[];
  /** The dashboard whose own domain the browser asked for; undefined where it is no dashboard's. */
  readonly ofDomain: (request: PageRequest) => Promise<PageAnswer | undefined>;
}

/** Anybody may look, and many at once: what was found is shown again for so long. */
const ttlMs = 10_000;
const defaultChecksPerPage = 15;
const shownIncidentCount = 50;

/** Dashboards by their url and by their own domain. */
export function dashboardPages(deps: DashboardPageDeps): DashboardPages {
  const finder = pageFinder<DashboardDefinition>(deps, "dashboard", claimsOf);
  const { guarded, opened } = dashboardDoor(deps, (wanted) => finder.find(wanted));
  const shownOf = shownDashboards(deps);

  const pageOf = async (row: DashboardRow, { path, query, params }: PageRequest): Promise<PageAnswer> => {
    const wanted = placeOf(query, Number.MAX_SAFE_INTEGER);
    const shown = await shownOf(
      row,
      wanted.page,
      wanted.isWall ? wallTiles : (row.definition.settings.checksPerPage ?? defaultChecksPerPage),
    );
    const [place, address] = [placeOf(query, shown.pageCount), { page: path, base: baseOf(params) }];
    return place.isWall ? wallPage(shown, place, address) : dashboardPage(shown, place, address);
  };

  const runsOf = async (row: DashboardRow, { params }: PageRequest): Promise<PageAnswer> => {
    const { settings } = row.definition;
    const found = await deps.checkIndex.byUuids(row.accountId, [(params["checkId"] ?? "").toLowerCase()].filter(isUuid));
    const [check] = settings.showCheckRunLinks ? selectChecks(found, settings, deps.nowMs()) : [];
    if (check === undefined) return lockedPage();
    const runs = await latestRuns(deps, check, deps.nowMs());
    const base = baseOf(params);
    return runsPage(settings, check, runs, { page: params["url"] === ownDomain ? "/" : base, base });
  };

  const styleOf = async ({ definition: { settings } }: DashboardRow): Promise<PageAnswer> =>
    stylesheet(settings.customCSS ?? "", settings.isPrivate);

  return {
    routes: [
      { path: "/dashboards/{url}", answer: async (request) => guarded(await finder.find(request), request, (row) => pageOf(row, request)) },
      { path: "/dashboards/{url}/style.css", answer: async (request) => guarded(await finder.find(request), request, styleOf) },
      {
        path: "/dashboards/{url}/checks/{checkId}",
        answer: async (request) => guarded(await finder.find(request), request, (row) => runsOf(row, request)),
      },
    ],
    forms: (["/", "/dashboards/{url}", "/dashboards/{url}/checks/{checkId}"] as const).map((path) => ({
      method: "POST",
      path,
      answer: opened,
    })),
    async ofDomain(request) {
      const row = await finder.byDomain(request.host);
      if (row === undefined) return undefined;
      return guarded(row, request, (found) => pageOf(found, { ...request, params: { url: ownDomain } }));
    },
  };
}

/** Nobody chooses a dashboardId, so that no url takes the place of one. */
function claimsOf(url: string): readonly string[] {
  return [...(/^[\da-f]{8}$/i.test(url) ? [idClaim(url.toLowerCase())] : []), dashboardUrlClaim(url)];
}

function baseOf({ url = "" }: PageRequest["params"]): string {
  return `/dashboards/${encodeURIComponent(url)}`;
}

/** What a page of a dashboard shows, read at most once in ten seconds. A change of the dashboard itself counts at once. */
function shownDashboards(deps: DashboardPageDeps): (row: DashboardRow, page: number, perPage: number) => Promise<ShownDashboard> {
  const { nowMs } = deps;
  const indexes = shortMemory<readonly IndexedCheck[]>({ ttlMs, nowMs, maxEntries: 20 });
  const selections = shortMemory<readonly IndexedCheck[]>({ ttlMs, nowMs, maxEntries: 50 });
  const pages = shortMemory<Omit<ShownDashboard, "settings">>({ ttlMs, nowMs, maxEntries: 300 });
  return async (row, wantedPage, perPage) => {
    const { accountId, definition } = row;
    const version = `${row.id} ${row.updatedAtMs}`;
    const selected = await selections(version, async () => {
      const all = await indexes(String(accountId), () => deps.checkIndex.ofAccount(accountId));
      return selectChecks(all, definition.settings, nowMs());
    });
    const pageCount = Math.max(1, Math.ceil(selected.length / perPage));
    const page = Math.min(wantedPage, pageCount);
    const shown = await pages(`${perPage} ${page} ${version}`, async () => {
      const now = nowMs();
      const [checks, incidents] = await Promise.all([
        shownChecks(deps, selected.slice((page - 1) * perPage, page * perPage), now),
        definition.settings.enableIncidents ? incidentsOf(deps, row) : [],
      ]);
      return { checks, counts: countsOf(selected, now), incidents: shownIncidents(incidents, now), pageCount, nowMs: now };
    });
    return { ...shown, settings: definition.settings };
  };
}

function countsOf(checks: readonly IndexedCheck[], nowMs: number): Readonly<Record<CheckState, number>> {
  const counts = { failing: 0, degraded: 0, passing: 0, "no data": 0 } satisfies Record<CheckState, number>;
  for (const check of checks) counts[stateOf(check, nowMs)] += 1;
  return counts;
}

/** The latest, and all that go on. */
async function incidentsOf({ documents }: DashboardPageDeps, { accountId, id }: DashboardRow) {
  const filter = { parentId: id, newestFirst: true, limit: shownIncidentCount } as const;
  const [latest, open] = await Promise.all([
    documents.list<IncidentDefinition>(accountId, "incident", filter),
    documents.list<IncidentDefinition>(accountId, "incident", { ...filter, open: true }),
  ]);
  return [...new Map([...latest.items, ...open.items].map((row) => [row.id, row])).values()];
}
