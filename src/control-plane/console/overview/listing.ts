import { mutedNow } from "#domain/muted-for.ts";
import { sortedSlice } from "#domain/sorted-slice.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { type Filter, matcherOf, stateInList, states } from "./filter.ts";

/** One page of what somebody wants to see. */
export interface Listing {
  readonly counts: ReadonlyMap<State, number>;
  readonly chosen: readonly IndexedCheck[];
  /** The filter with a page that there is. */
  readonly filter: Filter;
  readonly pages: number;
  readonly total: number;
}

type State = (typeof states)[number];

/** What needs somebody first. Muted is what somebody knows of already: it comes after what is as bad. */
export type Rank = State | `muted-${Bad}`;
type Bad = "failing" | "degraded";
const ranks: readonly Rank[] = states.flatMap((state): Rank[] => (isBad(state) ? [state, `muted-${state}`] : [state]));

/** Of each rank and group the checks that are listed. There are thousands: nothing is made for each of them. */
type Groups = ReadonlyMap<Rank, ReadonlyMap<string | null, readonly IndexedCheck[]>>;

/** Rows of a page. */
export const pageSize = 50;

const byName = new Intl.Collator("en", { numeric: true });

/** Those that the filter wants in any state. */
export function wantedOf(all: readonly IndexedCheck[], filter: Filter): readonly IndexedCheck[] {
  return all.filter(matcherOf(filter));
}

/** By group and name. Names are slow to compare: `listingOf` needs it only where the same checks are listed again and again. */
export function inListOrder(all: readonly IndexedCheck[]): readonly IndexedCheck[] {
  return all.toSorted((a, b) => compareGroups(a.groupName, b.groupName) || compareChecks(a, b));
}

/**
 * Unless the filter sorts: what needs somebody comes first, muted checks after those as bad; else by group and name, those without a group last.
 *
 * @param areInOrder they come from `inListOrder`
 */
export function listingOf(wanted: readonly IndexedCheck[], filter: Filter, nowMs: number, areInOrder = false): Listing {
  const counts = new Map<State, number>(states.map((state) => [state, 0]));
  const sorted: IndexedCheck[] = [];
  const groups = new Map(ranks.map((rank) => [rank, new Map<string | null, IndexedCheck[]>()]));
  let total = 0;
  for (const check of wanted) {
    const state = stateInList(check, nowMs);
    counts.set(state, (counts.get(state) ?? 0) + 1);
    if (filter.state !== null && filter.state !== state) continue;
    total += 1;
    if (filter.sort !== null) {
      sorted.push(check);
      continue;
    }
    const group = areInOrder ? null : check.groupName;
    const ofRank = groups.get(rankOf(check, state, nowMs));
    const others = ofRank?.get(group);
    if (others === undefined) ofRank?.set(group, [check]);
    else others.push(check);
  }
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const page = Math.min(filter.page, pages);
  const [from, to] = [(page - 1) * pageSize, page * pageSize];
  const chosen = filter.sort === null ? inPlaces(groups, from, to, areInOrder) : sortedSlice(sorted, comparisons[filter.sort], from, to);
  return { counts, chosen, filter: { ...filter, page }, pages, total };
}

/** @param state how it stands there */
export function rankOf(check: IndexedCheck, state: State, nowMs: number): Rank {
  return isBad(state) && mutedNow(check, nowMs) !== null ? `muted-${state}` : state;
}

function isBad(state: State): state is Bad {
  return state === "failing" || state === "degraded";
}

const comparisons = {
  name: compareChecks,
  /** What never ran first, then what ran longest ago. */
  oldest: (a: IndexedCheck, b: IndexedCheck) => (a.latest?.startedAtMs ?? 0) - (b.latest?.startedAtMs ?? 0) || compareChecks(a, b),
} as const;

/** Only what may stand in these places is put in order by name. */
function inPlaces(groups: Groups, from: number, to: number, areInOrder: boolean): readonly IndexedCheck[] {
  const found: IndexedCheck[] = [];
  let before = 0;
  for (const rank of ranks) {
    for (const [, part] of [...(groups.get(rank) ?? [])].toSorted(([a], [b]) => compareGroups(a, b))) {
      if (before < to && before + part.length > from) {
        const [first, last] = [Math.max(0, from - before), to - before];
        found.push(...(areInOrder ? part.slice(first, last) : sortedSlice(part, compareChecks, first, last)));
      }
      before += part.length;
    }
  }
  return found;
}

function compareChecks(a: IndexedCheck, b: IndexedCheck): number {
  return byName.compare(a.name, b.name) || a.id - b.id;
}

export function compareNames(a: string, b: string): number {
  return byName.compare(a, b);
}

/** Those at these places of a section, by rank and name unless they are sorted otherwise. */
export function rowsBetween(
  byRank: ReadonlyMap<Rank, readonly IndexedCheck[]>,
  sort: Filter["sort"],
  from: number,
  to: number,
): readonly IndexedCheck[] {
  if (sort !== null) return sortedSlice([...byRank.values()].flat(), comparisons[sort], from, to);
  return inPlaces(new Map([...byRank].map(([rank, checks]) => [rank, new Map([[null, checks]])])), from, to, false);
}

function compareGroups(a: string | null, b: string | null): number {
  return a === null || b === null ? Number(a === null) - Number(b === null) : byName.compare(a, b);
}

/** As people order them. */
export function inOrder(values: ReadonlySet<string>): readonly string[] {
  return [...values].toSorted(byName.compare);
}
