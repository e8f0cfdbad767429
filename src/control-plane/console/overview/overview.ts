import { shownChecks, type TimelineDeps } from "../../pages/dashboards/shown-checks.ts";
import type { CheckIndexStore, IndexedCheck } from "../../storage/storage.ts";
import type { Ask } from "../ask.ts";
import type { ConsolePage } from "../visit.ts";
import { filterOf } from "./filter.ts";
import { type FirstStepDeps, firstSteps } from "./first-steps.ts";
import { inOrder, listingOf, wantedOf } from "./listing.ts";
import { overviewPage } from "./overview-page.ts";

export interface OverviewDeps extends TimelineDeps, FirstStepDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly nowMs: () => number;
}

/** What is up and what is not: what needs somebody first, then by group and name. */
export function overview(ask: Ask, deps: OverviewDeps): ConsolePage {
  return {
    method: "GET",
    path: "/checks",
    access: "read",
    answer: async (visit) => {
      const nowMs = deps.nowMs();
      const filter = filterOf(visit.request.query);
      const all = await deps.checkIndex.ofAccount(visit.account.id);
      const { chosen, ...listing } = listingOf(wantedOf(all, filter), filter, nowMs);
      const [rows, steps] = await Promise.all([shownChecks(deps, chosen, nowMs), firstSteps(deps, ask, visit, all.length > 0)]);
      return overviewPage(visit, { ...listing, rows, steps, choices: choicesOf(all), hasChecks: all.length > 0, nowMs });
    },
  };
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
