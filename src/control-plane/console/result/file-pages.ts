import type { getCheckResultAsset } from "#contract/check-results.ts";
import type { getTestSessionResultAsset } from "#contract/test-sessions.ts";
import { AppError } from "#domain/app-error.ts";
import type { FileViewers } from "../../trace-viewer/file-viewers.ts";
import { htmlReportName } from "../../trace-viewer/report-links.ts";
import type { TraceFile } from "../../trace-viewer/trace-links.ts";
import type { Ask } from "../ask.ts";
import { type ConsolePage, redirect } from "../visit.ts";

/** Files of results of one kind: how they are asked for, and their path with the operation's own parameters. */
interface ResultFiles {
  readonly path: ConsolePage["path"];
  readonly operation: typeof getCheckResultAsset | typeof getTestSessionResultAsset;
}

export type TracePageDeps = Pick<FileViewers, "traceAddress" | "reportAddress">;

export function filePage(ask: Ask, { path, operation }: ResultFiles): ConsolePage {
  return {
    method: "GET",
    path,
    access: "read",
    answer: async (visit) => {
      const file = await ask(visit, operation, { params: visit.request.params });
      return { type: file.contentType, body: "", file };
    },
  };
}

/** Leads to the viewer with a trace, and to a report in place, which their visitor may see. */
export function tracePages(
  ask: Ask,
  { traceAddress, reportAddress }: TracePageDeps,
  { path, operation, of }: ResultFiles & Pick<TraceFile, "of">,
): readonly ConsolePage[] {
  const leadsTo = (page: string, addressOf: (file: TraceFile) => string): ConsolePage => ({
    method: "GET",
    path: `${path}/${page}`,
    access: "read",
    answer: async (visit) => {
      const { params } = visit.request;
      const { name } = await ask(visit, operation, { params });
      const { checkId, checkResultId, testSessionId, testSessionResultId } = params;
      const [id = "", resultId = ""] = of === "check" ? [checkId, checkResultId] : [testSessionId, testSessionResultId];
      return redirect(addressOf({ accountId: visit.account.id, of, id, resultId, name }));
    },
  });
  const toReport = leadsTo("report", (file) => {
    if (file.name !== htmlReportName) throw new AppError("not_found", `${file.name} is no report that opens here`);
    return reportAddress(file);
  });
  return [toReport, ...(traceAddress === null ? [] : [leadsTo("viewer", traceAddress)])];
}
