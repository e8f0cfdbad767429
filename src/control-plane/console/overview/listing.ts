import type { IndexedCheck } from "../../storage/storage.ts";
import { type Filter, matches, stateInList, states } from "./filter.ts";

type State = (typeof states)[number];

/** One page of what somebody wants to see. */
export interface Listing {
  readonly counts: ReadonlyMap<State, number>;
  readonly chosen: readonly IndexedCheck[];
  /** The filter with a page that there is. */
  readonly filter: Filter;
  readonly pages: number;
  readonly total: number;
}

const pageSize = 50;

export const byName = new Intl.Collator("en", { numeric: true });

/** By group and name; `listingOf` leaves checks of one state in this order. */
export function inListOrder(all: readonly IndexedCheck[]): readonly IndexedCheck[] {
  return all.toSorted(
    (a, b) => byName.compare(a.groupName ?? "\uffff", b.groupName ?? "\uffff") || byName.compare(a.name, b.name) || a.id - b.id,
  );
}

/** Those that the filter wants in any state. */
export function wantedOf(ordered: readonly IndexedCheck[], filter: Filter): readonly IndexedCheck[] {
  return ordered.filter((check) => matches(filter, check));
}

/** What needs somebody comes first. */
export function listingOf(wanted: readonly IndexedCheck[], filter: Filter, nowMs: number): Listing {
  const byState = Map.groupBy(wanted, (check) => stateInList(check, nowMs));
  const listed = states.filter((state) => filter.state === null || filter.state === state).flatMap((state) => byState.get(state) ?? []);
  const pages = Math.max(1, Math.ceil(listed.length / pageSize));
  const page = Math.min(filter.page, pages);
  return {
    counts: new Map(states.map((state) => [state, byState.get(state)?.length ?? 0])),
    chosen: listed.slice((page - 1) * pageSize, page * pageSize),
    filter: { ...filter, page },
    pages,
    total: listed.length,
  };
}
