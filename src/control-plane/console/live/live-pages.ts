import { getCheckV1 } from "#contract/checks/operations.ts";
import { isPingedCheck } from "#contract/checks/traits.ts";
import type { Ask } from "../ask.ts";
import type { StandingDeps } from "../check/check-standing.ts";
import type { ChartDeps } from "../check/measured.ts";
import { runAddress, startedRun } from "../check/run-box.ts";
import { wantedRun, wantedRuns } from "./check-live.ts";
import { wantedFigures } from "./figures-live.ts";
import type { LivePage } from "./live-routes.ts";
import { wantedOverview } from "./overview-live.ts";

/** What pages of the console listen to, under their own addresses with `/live` before them. */
export function livePages(ask: Ask, deps: ChartDeps & StandingDeps): readonly LivePage[] {
  return [
    { path: "/live/checks", access: "read", views: async ({ request }) => [wantedOverview(request.query, deps)] },
    {
      path: "/live/checks/{id}",
      access: "read",
      views: async (visit) => {
        const check = await ask(visit, getCheckV1, { params: { id: visit.request.params["id"] ?? "" } });
        const { query } = visit.request;
        const sessionId = query.get("run");
        if (sessionId !== null) await startedRun(ask, visit, check.id, sessionId);
        return [
          ...(showsLatest(query) && !isPingedCheck(check) ? [wantedRuns({ ...deps, ask }, check)] : []),
          ...(query.has("range") ? [wantedFigures({ ...deps, ask }, check.id, query)] : []),
          ...(sessionId === null ? [] : [wantedRun(ask, check.id, sessionId, runAddress(check.id, sessionId))]),
        ];
      },
    },
  ];
}

/** Runs that come in belong on top of a list that begins with the newest of all locations. */
function showsLatest(query: URLSearchParams): boolean {
  return !query.has("after") && !query.has("location");
}
