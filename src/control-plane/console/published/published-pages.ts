import { type Dashboard, listDashboards } from "#contract/dashboards.ts";
import { listPageDomains } from "#contract/page-domains.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { dashboardPages } from "./dashboard-pages.ts";
import { type ListNews, publishedPage } from "./published-page.ts";
import { allServices, allStatusPages } from "./read-pages.ts";
import { servicePages } from "./service-pages.ts";
import { statusPagePages } from "./status-page-pages.ts";
import { type SubscriberPageDeps, subscriberPages } from "./subscriber-pages.ts";

/** Dashboards, status pages and services of the account. */
export function publishedPages(ask: Ask, deps: SubscriberPageDeps): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/pages", access: "read", answer: (visit) => list(ask, visit, { done: visit.request.query.get("done") }) },
    ...dashboardPages(ask),
    ...statusPagePages(ask),
    ...subscriberPages(ask, deps),
    ...servicePages(ask, (visit, news) => list(ask, visit, news)),
  ];
}

async function list(ask: Ask, visit: Visit, news: ListNews): Promise<FormAnswer> {
  const [dashboards, statusPages, services, domains] = await Promise.all([
    allDashboards(ask, visit),
    allStatusPages(ask, visit),
    allServices(ask, visit),
    ask(visit, listPageDomains, {}),
  ]);
  return publishedPage(visit, { dashboards, statusPages, services, unproved: domains.filter(({ isProved }) => !isProved), ...news });
}

async function allDashboards(ask: Ask, visit: Visit): Promise<readonly Dashboard[]> {
  const all: Dashboard[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await ask(visit, listDashboards, { query: { limit: "100", page: String(page) } });
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
}
