import { shownChecks, type TimelineDeps } from "../../pages/dashboards/shown-checks.ts";
import type { CheckIndexStore, IndexedCheck } from "../../storage/storage.ts";
import type { ConsolePage } from "../visit.ts";
import { filterOf, matches, stateInList, states } from "./filter.ts";
import { overviewPage } from "./overview-page.ts";

export interface OverviewDeps extends TimelineDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly nowMs: () => number;
}

const pageSize = 50;

/** What is up and what is not: what needs somebody first, then by group and name. */
export function overview(deps: OverviewDeps): ConsolePage {
  return {
    method: "GET",
    path: "/checks",
    access: "read",
    answer: async (visit) => {
      const nowMs = deps.nowMs();
      const filter = filterOf(visit.request.query);
      const all = await deps.checkIndex.ofAccount(visit.account.id);
      const wanted = all.filter((check) => matches(filter, check)).map((check) => ({ check, state: stateInList(check, nowMs) }));
      const counts = new Map(states.map((state) => [state, wanted.filter((one) => one.state === state).length]));
      const listed = wanted.filter((one) => filter.state === null || one.state === filter.state).toSorted(inOrder);
      const pages = Math.max(1, Math.ceil(listed.length / pageSize));
      const page = Math.min(filter.page, pages);
      const chosen = listed.slice((page - 1) * pageSize, page * pageSize).map(({ check }) => check);
      const shown = await shownChecks(deps, chosen, nowMs);
      const rows = shown.map((figures, index) => ({ figures, check: chosen[index] as IndexedCheck }));
      return overviewPage(visit, {
        filter: { ...filter, page },
        counts,
        rows,
        pages,
        total: listed.length,
        choices: choicesOf(all),
        hasChecks: all.length > 0,
        nowMs,
      });
    },
  };
}

interface Listed {
  readonly check: IndexedCheck;
  readonly state: (typeof states)[number];
}

const byName = new Intl.Collator("en", { numeric: true });

function inOrder(a: Listed, b: Listed): number {
  return (
    states.indexOf(a.state) - states.indexOf(b.state) ||
    byName.compare(a.check.groupName ?? "\uffff", b.check.groupName ?? "\uffff") ||
    byName.compare(a.check.name, b.check.name) ||
    a.check.id - b.check.id
  );
}

/** What there is to choose from. */
function choicesOf(all: readonly IndexedCheck[]) {
  const sorted = (values: readonly string[]): readonly string[] => [...new Set(values)].toSorted(byName.compare);
  return {
    types: sorted(all.map(({ type }) => type)),
    tags: sorted(all.flatMap(({ tags }) => tags)).slice(0, 200),
    groups: sorted(all.flatMap(({ groupName }) => groupName ?? [])),
  };
}
