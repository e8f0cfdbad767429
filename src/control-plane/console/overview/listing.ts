import type { IndexedCheck } from "../../storage/storage.ts";
import { type Filter, matches, stateInList, states } from "./filter.ts";

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

interface Listed {
  readonly check: IndexedCheck;
  readonly state: State;
}

const pageSize = 50;

const byName = new Intl.Collator("en", { numeric: true });

/** Those that the filter wants in any state. */
export function wantedOf(all: readonly IndexedCheck[], filter: Filter): readonly IndexedCheck[] {
  return all.filter((check) => matches(filter, check));
}

/** By group and name. Names are slow to compare: `listingOf` needs it only where the same checks are listed again and again. */
export function inListOrder(all: readonly IndexedCheck[]): readonly IndexedCheck[] {
  return all.toSorted((a, b) => byName.compare(a.groupName ?? "\uffff", b.groupName ?? "\uffff") || inNameOrder(a, b));
}

/**
 * What needs somebody comes first; else by group and name.
 *
 * @param areInOrder they come from `inListOrder`
 */
export function listingOf(wanted: readonly IndexedCheck[], filter: Filter, nowMs: number, areInOrder = false): Listing {
  const all = wanted.map((check): Listed => ({ check, state: stateInList(check, nowMs) }));
  const listed = all.filter((one) => filter.state === null || one.state === filter.state);
  const pages = Math.max(1, Math.ceil(listed.length / pageSize));
  const page = Math.min(filter.page, pages);
  const [from, to] = [(page - 1) * pageSize, page * pageSize];
  return {
    counts: new Map(states.map((state) => [state, all.filter((one) => one.state === state).length])),
    chosen: areInOrder ? byState(listed).slice(from, to) : ordered(listed, from, to),
    filter: { ...filter, page },
    pages,
    total: listed.length,
  };
}

function byState(listed: readonly Listed[]): readonly IndexedCheck[] {
  return states.flatMap((state) => listed.flatMap((one) => (one.state === state ? one.check : [])));
}

/** Those of these places: by state, group and name. Names are slow to compare, so only what may stand there is put in order by name. */
function ordered(listed: readonly Listed[], from: number, to: number): readonly IndexedCheck[] {
  const groups = new Map(inOrder(listed.flatMap(({ check: { groupName } }) => groupName ?? [])).map((name, index) => [name, index]));
  const placeOf = ({ state, check: { groupName } }: Listed): number =>
    states.indexOf(state) * (groups.size + 1) + ((groupName === null ? undefined : groups.get(groupName)) ?? groups.size);
  const parts = [...Map.groupBy(listed, placeOf)].toSorted(([a], [b]) => a - b);
  const found: IndexedCheck[] = [];
  let before = 0;
  for (const [, part] of parts) {
    if (before < to && before + part.length > from) {
      const sorted = part.map(({ check }) => check).toSorted(inNameOrder);
      found.push(...sorted.slice(Math.max(0, from - before), to - before));
    }
    before += part.length;
  }
  return found;
}

function inNameOrder(a: IndexedCheck, b: IndexedCheck): number {
  return byName.compare(a.name, b.name) || a.id - b.id;
}

/** Each once, as people order them. */
export function inOrder(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted(byName.compare);
}
