import type { getCheckResultAsset } from "#contract/check-results.ts";
import type { getTestSessionResultAsset } from "#contract/test-sessions.ts";
import type { TraceFile, TraceLinks } from "../../trace-viewer/trace-links.ts";
import type { Ask } from "../ask.ts";
import { type ConsolePage, redirect } from "../visit.ts";

/** Files of results of one kind: how they are asked for, and their path with the operation's own parameters. */
interface ResultFiles {
  readonly path: ConsolePage["path"];
  readonly operation: typeof getCheckResultAsset | typeof getTestSessionResultAsset;
}

export interface TracePageDeps {
  /** Null where there is no viewer. */
  readonly traceAddress: TraceLinks["addressOf"] | null;
}

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

/** Leads to the viewer with a trace that its visitor may see. */
export function tracePages(
  ask: Ask,
  { traceAddress }: TracePageDeps,
  { path, operation, of }: ResultFiles & Pick<TraceFile, "of">,
): readonly ConsolePage[] {
  if (traceAddress === null) return [];
  return [
    {
      method: "GET",
      path: `${path}/viewer`,
      access: "read",
      answer: async (visit) => {
        const { params } = visit.request;
        const { name } = await ask(visit, operation, { params });
        const { checkId, checkResultId, testSessionId, testSessionResultId } = params;
        const [id = "", resultId = ""] = of === "check" ? [checkId, checkResultId] : [testSessionId, testSessionResultId];
        return redirect(traceAddress({ accountId: visit.account.id, of, id, resultId, name }));
      },
    },
  ];
}
