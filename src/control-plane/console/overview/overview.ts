import { shownChecks, type TimelineDeps } from "../../pages/dashboards/shown-checks.ts";
import type { AnalyticsStore, CheckIndexStore, CheckSituationStore, IndexedCheck } from "../../storage/storage.ts";
import type { Ask } from "../ask.ts";
import type { ConsolePage } from "../visit.ts";
import { byError } from "./by-error.ts";
import { type DayFigures, dayFigures } from "./day-figures.ts";
import { type Filter, filterOf } from "./filter.ts";
import { type FirstStepDeps, firstSteps } from "./first-steps.ts";
import { inOrder, type Listing, listingOf, wantedOf } from "./listing.ts";
import { overviewPage } from "./overview-page.ts";
import { type SectionedListing, sectionsOf } from "./sections.ts";

export interface OverviewDeps extends TimelineDeps, FirstStepDeps {
  readonly analytics: Pick<AnalyticsStore, "timelines" | "summarize">;
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly checkSituations: Pick<CheckSituationStore, "ofChecks" | "placesOf">;
  readonly nowMs: () => number;
}

/** What is up and what is not: what needs somebody first, then by group and name. */
export function overview(ask: Ask, deps: OverviewDeps): ConsolePage {
  const figures = dayFigures(deps);
  return {
    method: "GET",
    path: "/checks",
    access: "read",
    answer: async (visit) => {
      const nowMs = deps.nowMs();
      const filter = filterOf(visit.request.query);
      const all = await deps.checkIndex.ofAccount(visit.account.id);
      const wanted = wantedOf(all, filter);
      const { chosen, ...listing } = await listed({ ...deps, figures }, visit.account.id, wanted, { filter, nowMs });
      const isMatrix = filter.view === "matrix";
      const [rows, steps, matrix, found] = await Promise.all([
        isMatrix ? [] : shownChecks(deps, chosen, nowMs),
        firstSteps(deps, ask, visit, all.length > 0),
        isMatrix ? deps.checkTroubles.everywhere(chosen.map(({ id }) => id)) : null,
        byError(deps.checkTroubles, all, filter, nowMs),
      ]);
      const shown = { rows, matrix: matrix && { checks: chosen, standings: matrix }, byError: found };
      return overviewPage(visit, { ...listing, ...shown, steps, choices: choicesOf(all), hasChecks: all.length > 0, nowMs });
    },
  };
}

interface Look {
  readonly filter: Filter;
  readonly nowMs: number;
}

/** In sections where the filter groups; the matrix has none. */
async function listed(
  deps: OverviewDeps & { readonly figures: DayFigures },
  accountId: number,
  wanted: readonly IndexedCheck[],
  { filter, nowMs }: Look,
): Promise<Listing & Partial<SectionedListing>> {
  if (filter.by === null || filter.view === "matrix") return listingOf(wanted, filter, nowMs);
  if (filter.by !== "location") {
    const figures = await deps.figures(accountId);
    return sectionsOf(wanted, filter, nowMs, { figures, places: new Map(), troubles: new Map() });
  }
  const bad = wanted.filter(({ activated, latest }) => activated && latest !== null && latest.status !== "passing");
  const [places, troubles] = await Promise.all([
    deps.checkSituations.placesOf(accountId),
    bad.length === 0
      ? new Map()
      : deps.checkTroubles.ofChecks(
          bad.map(({ id }) => id),
          nowMs,
        ),
  ]);
  return sectionsOf(wanted, filter, nowMs, { figures: new Map(), places, troubles });
}

/** What there is to choose from. */
function choicesOf(all: readonly IndexedCheck[]) {
  const [types, tags, groups] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const check of all) {
    types.add(check.type);
    for (const tag of check.tags) tags.add(tag);
    if (check.groupName !== null) groups.add(check.groupName);
  }
  return { types: inOrder(types), tags: inOrder(tags).slice(0, 200), groups: inOrder(groups) };
}
