import type { StatusPageDefinition } from "#domain/status-pages.ts";
import type { PageAnswer, PageRequest, PageRoute } from "../../http/page-routes.ts";
import { statusPageUrlClaim } from "../../kinds/page-addresses.ts";
import type { DocumentStore } from "../../storage/storage.ts";
import { ownDomain, type PageFinderDeps, pageFinder } from "../public/page-domain.ts";
import { stylesheet } from "../public/public-page.ts";
import { shortMemory } from "../public/short-memory.ts";
import { maintenanceCalendar } from "./calendar.ts";
import { type FeedAddresses, jsonFeed, rssFeed } from "./feeds.ts";
import { readStatus, type ShownStatus, type StatusPageRow } from "./status-model.ts";
import { themeSheet } from "./status-style.ts";
import { missingPage, statusPage } from "./status-view.ts";

export interface StatusPageDeps extends Pick<PageFinderDeps, "domains"> {
  readonly documents: Pick<DocumentStore, "byClaim" | "list" | "byUuids">;
  readonly publicUrl: () => string;
  readonly nowMs: () => number;
  /** Whether `POST /status/{url}/subscribe` is there, and mail to confirm an address. */
  readonly canSubscribe: boolean;
}

export interface StatusPages {
  readonly routes: readonly PageRoute[];
  /** The status page whose own domain the browser asked for; undefined where it is no status page's. */
  readonly ofDomain: (request: PageRequest) => Promise<PageAnswer | undefined>;
}

/** Anybody may look, and many at once when something is wrong: what was found is shown again for so long. */
const ttlMs = 10_000;

/** Status pages by their url and by their own domain, and their feeds. */
export function statusPages(deps: StatusPageDeps): StatusPages {
  const finder = pageFinder<StatusPageDefinition>(deps, "status-page", (url) => [statusPageUrlClaim(url)]);
  const memory = shortMemory<ShownStatus>({ ttlMs, nowMs: deps.nowMs, maxEntries: 100 });
  const shownOf = (row: StatusPageRow): Promise<ShownStatus> =>
    memory(`${row.id} ${row.updatedAtMs}`, () => readStatus(deps.documents, row, deps.nowMs()));

  const route = (path: PageRoute["path"], answer: (shown: ShownStatus, request: PageRequest) => PageAnswer): PageRoute => ({
    path,
    async answer(request) {
      const row = await finder.find(request);
      return row === undefined ? missingPage() : answer(await shownOf(row), request);
    },
  });

  return {
    routes: [
      route("/status/{url}", (shown, { params }) => statusPage(shown, baseOf(params), deps.canSubscribe)),
      route("/status/{url}/theme.css", ({ settings }) => stylesheet(themeSheet(settings), false)),
      route("/status/{url}/feed.rss", (shown, request) => rssFeed(shown, addressesOf(deps, request, "feed.rss"))),
      route("/status/{url}/feed.json", (shown, request) => jsonFeed(shown, addressesOf(deps, request, "feed.json"))),
      route("/status/{url}/maintenance.ics", (shown, request) => maintenanceCalendar(shown, addressesOf(deps, request, "maintenance.ics"))),
    ],
    async ofDomain({ host }) {
      const row = await finder.byDomain(host);
      return row === undefined ? undefined : statusPage(await shownOf(row), baseOf({ url: ownDomain }), deps.canSubscribe);
    },
  };
}

function baseOf({ url = "" }: PageRequest["params"]): string {
  return `/status/${encodeURIComponent(url)}`;
}

/** Readers of feeds need whole addresses. On a page's own domain they stay on it. */
function addressesOf({ publicUrl }: StatusPageDeps, { params, host }: PageRequest, file: string): FeedAddresses {
  const base = baseOf(params);
  if (params["url"] !== ownDomain) return { page: `${publicUrl()}${base}`, feed: `${publicUrl()}${base}/${file}` };
  const origin = `${new URL(publicUrl()).protocol}//${host}`;
  return { page: `${origin}/`, feed: `${origin}${base}/${file}` };
}
