import { shownChecks, type TimelineDeps } from "../../pages/dashboards/shown-checks.ts";
import type { CheckIndexStore, IndexedCheck } from "../../storage/storage.ts";
import type { ConsolePage } from "../visit.ts";
import { type Filter, filterOf, matcherOf, stateInList, states } from "./filter.ts";
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
      const { counts, groups, total } = sortedOut(all, filter, nowMs);
      const pages = Math.max(1, Math.ceil(total / pageSize));
      const page = Math.min(filter.page, pages);
      const rows = await shownChecks(deps, inPlaces(groups, (page - 1) * pageSize, page * pageSize), nowMs);
      return overviewPage(visit, {
        filter: { ...filter, page },
        counts,
        rows,
        pages,
        total,
        choices: choicesOf(all),
        hasChecks: all.length > 0,
        nowMs,
      });
    },
  };
}

type State = (typeof states)[number];

/** Of each state and group the checks that are wanted. There are thousands: nothing is made for each of them. */
type Groups = ReadonlyMap<State, ReadonlyMap<string | null, readonly IndexedCheck[]>>;

function sortedOut(all: readonly IndexedCheck[], filter: Filter, nowMs: number) {
  const isWanted = matcherOf(filter);
  const counts = new Map<State, number>(states.map((state) => [state, 0]));
  const groups = new Map(states.map((state) => [state, new Map<string | null, IndexedCheck[]>()]));
  let total = 0;
  for (const check of all) {
    if (!isWanted(check)) continue;
    const state = stateInList(check, nowMs);
    counts.set(state, (counts.get(state) ?? 0) + 1);
    if (filter.state !== null && filter.state !== state) continue;
    total += 1;
    const ofGroup = groups.get(state)?.get(check.groupName);
    if (ofGroup === undefined) groups.get(state)?.set(check.groupName, [check]);
    else ofGroup.push(check);
  }
  return { counts, groups, total };
}

const byName = new Intl.Collator("en", { numeric: true });

/** By state, group and name; without a group last. Names are slow to compare, so only what may stand in these places is put in their order. */
function inPlaces(groups: Groups, from: number, to: number): readonly IndexedCheck[] {
  const found: IndexedCheck[] = [];
  let before = 0;
  for (const state of states) {
    for (const [, part] of [...(groups.get(state) ?? [])].toSorted(([a], [b]) => compareGroups(a, b))) {
      if (before < to && before + part.length > from) {
        const inOrder = part.toSorted((a, b) => byName.compare(a.name, b.name) || a.id - b.id);
        found.push(...inOrder.slice(Math.max(0, from - before), to - before));
      }
      before += part.length;
    }
  }
  return found;
}

function compareGroups(a: string | null, b: string | null): number {
  return a === null || b === null ? Number(a === null) - Number(b === null) : byName.compare(a, b);
}

/** What there is to choose from. */
function choicesOf(all: readonly IndexedCheck[]) {
  const [types, tags, groups] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const check of all) {
    types.add(check.type);
    for (const tag of check.tags) tags.add(tag);
    if (check.groupName !== null) groups.add(check.groupName);
  }
  const sorted = (values: ReadonlySet<string>): readonly string[] => [...values].toSorted(byName.compare);
  return { types: sorted(types), tags: sorted(tags).slice(0, 200), groups: sorted(groups) };
}
