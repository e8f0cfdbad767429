import type { Dashboard } from "#contract/dashboards.ts";
import type { OutputOf } from "#contract/operation.ts";
import type { getStatusPage, listStatusPages } from "#contract/status-pages/pages.ts";
import { publishedTexts } from "../../texts/published.ts";

/** A status page as lists answer it, and by itself. */
export type ListedStatusPage = OutputOf<typeof listStatusPages>["entries"][number];
export type StatusPageRead = OutputOf<typeof getStatusPage>;

/** What people call a dashboard. */
export function titleOf({ header, customUrl, customDomain, dashboardId }: Dashboard): string {
  return [header, customUrl, customDomain].find((one) => one !== null && one !== "") ?? publishedTexts.untitledDashboard(dashboardId);
}

/** Where it is shown on this control plane. */
export function addressOfDashboard({ customUrl, dashboardId }: Dashboard): string {
  return `/dashboards/${customUrl || dashboardId}`;
}

export function addressOfStatusPage(url: string): string {
  return `/status/${url}`;
}
