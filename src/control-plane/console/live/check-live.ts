import { listGapsOfCheck } from "#contract/check-gaps.ts";
import { listCheckResultsV2 } from "#contract/check-results.ts";
import type { Ask } from "../ask.ts";
import { type StandingDeps, standingOfKnown } from "../check/check-standing.ts";
import { runBox, startedRun } from "../check/run-box.ts";
import { type RunRow, runFields } from "../check/run-row.ts";
import { gapsSince, rowsOf, runsOfPage } from "../check/run-section.ts";
import { causeLine, standingLabel } from "../check/standing.ts";
import { named, namedGap } from "../place-names.ts";
import type { Visit } from "../visit.ts";
import { liveEvent } from "./events.ts";
import type { Audience, LiveView, WantedView } from "./live-view.ts";

const nothing: ReadonlySet<string> = new Set();

/** The latest runs of a check, and how it stands (`runs`). */
export function wantedRuns(deps: RunsDeps, check: { readonly id: string }): WantedView {
  return { key: `runs/${check.id}`, has: nothing, make: (audience, visit) => runsLive(deps, audience, visit, check.id) };
}

type RunsDeps = Pick<StandingDeps, "checkTroubles"> & { readonly ask: Ask };

function runsLive(deps: RunsDeps, audience: Audience, visit: Visit, checkId: string): LiveView {
  const { ask } = deps;
  const query = { limit: String(runsOfPage), resultType: "ALL", fields: runFields.join(",") };
  let told: Buffer = Buffer.alloc(0);
  return {
    async look({ changed, byId, nowMs }) {
      const isNews = [...changed].some((id) => byId.get(id)?.uuid === checkId);
      if (!isNews && told.length > 0 && audience.arrived().size === 0) return [];
      const [{ entries }, gaps] = await Promise.all([
        ask(visit, listCheckResultsV2, { params: { checkId }, query }),
        ask(visit, listGapsOfCheck, { params: { id: checkId }, query: { limit: "20" } }),
      ]);
      const results = (entries as readonly RunRow[]).map((one) => named(visit, one)); // with the fields that were asked for
      const rows = rowsOf(
        checkId,
        results,
        gapsSince(
          results,
          gaps.items.map((one) => namedGap(visit, one)),
        ),
      ).map(({ id, html }) => ({ id, html: html.text }));
      const known = [...byId.values()].find(({ uuid }) => uuid === checkId);
      if (known === undefined) return [];
      const { state, trouble, lastGoodMs } = await standingOfKnown(deps, visit, known, nowMs);
      const cause = causeLine({ checkUuid: checkId, nowMs, lastGoodMs }, state, known.activated ? trouble : null).text;
      tellIfOther(liveEvent("runs", { state: standingLabel(state, trouble).text, cause, rows }));
      return [];
    },
    tell: () => undefined,
  };

  function tellIfOther(event: Buffer): void {
    audience.tell(event.equals(told) ? Buffer.alloc(0) : event, audience.arrived(), () => event);
    told = event;
  }
}

/** A run that somebody started, until it has ended (`run`). */
export function wantedRun(ask: Ask, checkId: string, sessionId: string, again: string): WantedView {
  return { key: `run/${sessionId}`, has: nothing, make: (audience, visit) => runLive(ask, audience, visit, { checkId, sessionId, again }) };
}

interface WatchedRun {
  readonly checkId: string;
  readonly sessionId: string;
  readonly again: string;
}

function runLive(ask: Ask, audience: Audience, visit: Visit, { checkId, sessionId, again }: WatchedRun): LiveView {
  let told: Buffer = Buffer.alloc(0);
  let isOver = false;
  return {
    async look() {
      const arrived = audience.arrived();
      if (isOver) {
        audience.tell(Buffer.alloc(0), arrived, () => told);
        return [];
      }
      const run = await startedRun(ask, visit, checkId, sessionId);
      ({ isOver } = run);
      const event = liveEvent("run", { html: runBox(run, again).text, isOver });
      audience.tell(event.equals(told) ? Buffer.alloc(0) : event, arrived, () => event);
      told = event;
      return [];
    },
    tell: () => undefined,
  };
}
