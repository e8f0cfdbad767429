import type { FormRoute } from "../http/form-routes.ts";
import { createReportLinks, type ReportLinks } from "./report-links.ts";
import { reportRoutes } from "./report-routes.ts";
import { createTraceLinks, type TraceLinkDeps, type TraceLinks } from "./trace-links.ts";
import { type ViewerRouteDeps, viewerRoutes } from "./viewer-routes.ts";

/** Where people look at files of results. */
export interface FileViewers {
  readonly routes: readonly FormRoute[];
  /** Null where there is no viewer of traces. */
  readonly traceAddress: TraceLinks["addressOf"] | null;
  readonly reportAddress: ReportLinks["addressOf"];
}

type FileViewerDeps = Omit<TraceLinkDeps, "traceViewerUrl"> & { readonly traceViewerUrl: string | null };

/** Reports, and traces where `TRACE_VIEWER_URL` is set. @param open @throws {AppError} not_found */
export function fileViewers({ traceViewerUrl, ...deps }: FileViewerDeps, open: ViewerRouteDeps["openTrace"]): FileViewers {
  const reportLinks = createReportLinks(deps);
  const reports = reportRoutes({ links: reportLinks, openReport: open });
  const reportAddress = reportLinks.addressOf;
  if (traceViewerUrl === null) return { routes: reports, traceAddress: null, reportAddress };
  const links = createTraceLinks({ ...deps, traceViewerUrl });
  const routes = [...reports, ...viewerRoutes({ traceViewerUrl, links, openTrace: open })];
  return { routes, traceAddress: links.addressOf, reportAddress };
}
