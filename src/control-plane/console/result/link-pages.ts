import { getCheckSessionV2 } from "#contract/check-sessions.ts";
import type { Ask } from "../ask.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";

/** Where the links in answers of the REST API lead: `checkResultLink` and `checkSessionLink`. */
export function linkPages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/checks/{checkId}/check-results/{checkResultId}", access: "read", answer: async (visit) => toResult(visit) },
    { method: "GET", path: "/checks/{checkId}/check-sessions/{checkSessionId}", access: "read", answer: (visit) => toSession(ask, visit) },
  ];
}

function toResult({ request: { params } }: Visit) {
  return redirect(`/checks/${part(params["checkId"])}/results/${part(params["checkResultId"])}`);
}

/** To the run, where there is one alone; else to the check, whose latest runs these are. */
async function toSession(ask: Ask, visit: Visit) {
  const { checkSessionId = "" } = visit.request.params;
  const { checkId, results } = await ask(visit, getCheckSessionV2, { params: { checkSessionId } });
  const [run, ...others] = results.filter(({ resultType }) => resultType === "FINAL");
  return redirect(run === undefined || others.length > 0 ? `/checks/${checkId}` : `/checks/${checkId}/results/${run.checkResultId}`);
}

function part(text = ""): string {
  return encodeURIComponent(text);
}
