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
      const listed = wanted.filter((one) => filter.state === null || one.state === filter.state);
      const pages = Math.max(1, Math.ceil(listed.length / pageSize));
      const page = Math.min(filter.page, pages);
      const rows = await shownChecks(deps, ordered(listed, (page - 1) * pageSize, page * pageSize), nowMs);
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

/** Those of these places: by state, group and name. Names are slow to compare, so only what may stand there is put in order by name. */
function ordered(listed: readonly Listed[], from: number, to: number): readonly IndexedCheck[] {
  const groups = new Map(groupsOf(listed).map((name, index) => [name, index]));
  const placeOf = ({ state, check: { groupName } }: Listed): number =>
    states.indexOf(state) * (groups.size + 1) + ((groupName === null ? undefined : groups.get(groupName)) ?? groups.size);
  const parts = [...Map.groupBy(listed, placeOf)].toSorted(([a], [b]) => a - b);
  const found: IndexedCheck[] = [];
  let before = 0;
  for (const [, part] of parts) {
    if (before < to && before + part.length > from) {
      const inOrder = part.map(({ check }) => check).toSorted((a, b) => byName.compare(a.name, b.name) || a.id - b.id);
      found.push(...inOrder.slice(Math.max(0, from - before), to - before));
    }
    before += part.length;
  }
  return found;
}

function groupsOf(listed: readonly Listed[]): readonly string[] {
  return sorted(listed.flatMap(({ check: { groupName } }) => groupName ?? []));
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted(byName.compare);
}

/** What there is to choose from. */
function choicesOf(all: readonly IndexedCheck[]) {
  return {
    types: sorted(all.map(({ type }) => type)),
    tags: sorted(all.flatMap(({ tags }) => tags)).slice(0, 200),
    groups: sorted(all.flatMap(({ groupName }) => groupName ?? [])),
  };
}
