import type { CheckPlace, CheckTrouble, IndexedCheck } from "../../storage/storage.ts";
import { type RollUp, Sums } from "../groups/roll-up.ts";
import { type Filter, sectionKey, stateInList, states } from "./filter.ts";
import { compareNames, type Listing, pageSize, type Rank, rankOf, rowsBetween } from "./listing.ts";

/** What sections need of checks beside the index. */
export interface SectionFacts {
  /** Of the last 24 hours, by the number of the check. */
  readonly figures: ReadonlyMap<number, Counted>;
  /** Where checks run; needed only by location. */
  readonly places: ReadonlyMap<number, readonly CheckPlace[]>;
  /** Of checks that do not pass; needed only by location. */
  readonly troubles: ReadonlyMap<number, CheckTrouble>;
}

export interface Counted {
  readonly runs: number;
  readonly passed: number;
}

/** Checks with something in common, as far as they stand on this page. */
export interface ShownSection {
  readonly key: string;
  /** Null: those that have no such thing. */
  readonly name: string | null;
  /** Of all that the filter wants in any state, on whatever page. */
  readonly rollUp: RollUp;
  /** Null where it is not told by this: runs of one location are not counted apart. */
  readonly counted: Counted | null;
  readonly isFolded: boolean;
  /** It began on an earlier page. */
  readonly isContinued: boolean;
  readonly rows: readonly IndexedCheck[];
}

export interface SectionedListing extends Listing {
  readonly sections: readonly ShownSection[];
}

type State = (typeof states)[number];

interface Section extends Pick<ShownSection, "key" | "name"> {
  readonly sums: Sums;
  readonly byRank: Map<Rank, IndexedCheck[]>;
  listed: number;
  runs: number;
  passed: number;
}

/**
 * One page of the list in sections: a folded one counts as one line, an open one as many as it has checks. What needs somebody comes first, of sections
 * and within them; sorted otherwise, sections stand by name. A check stands in each section that it belongs to.
 */
export function sectionsOf(wanted: readonly IndexedCheck[], filter: Filter, nowMs: number, facts: SectionFacts): SectionedListing {
  const { counts, total, sections } = collect(wanted, filter, nowMs, facts);
  const isFolded = ({ key }: Section): boolean => filter.isFolded !== filter.except.includes(key);
  const lines = sections.map((section) => (isFolded(section) ? 1 : section.listed));
  const pages = Math.max(1, Math.ceil(lines.reduce((sum, count) => sum + count, 0) / pageSize));
  const page = Math.min(filter.page, pages);
  const [from, to] = [(page - 1) * pageSize, page * pageSize];
  const shown: ShownSection[] = [];
  let before = 0;
  for (const [index, section] of sections.entries()) {
    const count = lines[index] ?? 0;
    if (before < to && before + count > from) {
      const rows = isFolded(section) ? [] : rowsBetween(section.byRank, filter.sort, Math.max(0, from - before), to - before);
      shown.push(shownSection(section, filter, { isFolded: isFolded(section), isContinued: before < from, rows }));
    }
    before += count;
  }
  const chosen = [...new Set(shown.flatMap(({ rows }) => rows))];
  return { counts, chosen, sections: shown, filter: { ...filter, page }, pages, total };
}

function shownSection(
  { key, name, sums, runs, passed }: Section,
  { by }: Filter,
  rest: Pick<ShownSection, "isFolded" | "isContinued" | "rows">,
): ShownSection {
  return { key, name, rollUp: sums.rollUp(), counted: by === "location" ? null : { runs, passed }, ...rest };
}

/** All sections with something to list, in order. */
function collect(wanted: readonly IndexedCheck[], filter: Filter, nowMs: number, facts: SectionFacts) {
  const counts = new Map<State, number>(states.map((state) => [state, 0]));
  const found = new Map<string | null, Section>();
  let total = 0;
  for (const check of wanted) {
    const state = stateInList(check, nowMs);
    counts.set(state, (counts.get(state) ?? 0) + 1);
    const isListed = filter.state === null || filter.state === state;
    if (isListed) total += 1;
    const { runs = 0, passed = 0 } = facts.figures.get(check.id) ?? {};
    for (const { id, name, state: here } of belongsTo(check, state, filter.by, facts)) {
      const section = found.getOrInsertComputed(id, () => newSection(id, name));
      section.sums.add(check, here, nowMs);
      section.runs += runs;
      section.passed += passed;
      if (!isListed || (filter.state !== null && filter.state !== here)) continue;
      section.listed += 1;
      section.byRank.getOrInsertComputed(rankOf(check, here, nowMs), () => []).push(check);
    }
  }
  const listed = [...found.values()].filter((section) => section.listed > 0);
  return { counts, total, sections: inOrder(listed, filter) };
}

function newSection(id: string | null, name: string | null): Section {
  return { key: sectionKey(id), name, sums: new Sums(), byRank: new Map(), listed: 0, runs: 0, passed: 0 };
}

function inOrder(sections: readonly Section[], { sort }: Filter): readonly Section[] {
  const rank = ({ sums }: Section): number => (sort === null ? states.indexOf(sums.rollUp().worst ?? "deactivated") : 0);
  const ranked = sections.map((section) => ({ section, rank: rank(section) }));
  return ranked.toSorted((a, b) => a.rank - b.rank || compareSections(a.section, b.section)).map(({ section }) => section);
}

/** By name; what has none comes last. */
function compareSections(a: Section, b: Section): number {
  if (a.name === null || b.name === null) return Number(a.name === null) - Number(b.name === null);
  return compareNames(a.name, b.name);
}

interface Membership {
  /** What the section is told apart by; null: what has none. */
  readonly id: string | null;
  readonly name: string | null;
  /** How the check stands there. */
  readonly state: State;
}

function belongsTo(check: IndexedCheck, state: State, by: Filter["by"], facts: SectionFacts): readonly Membership[] {
  const named = (name: string | null): Membership => ({ id: name, name, state });
  if (by === "tag") return check.tags.length === 0 ? [named(null)] : check.tags.map(named);
  if (by === "type") return [named(check.type)];
  if (by === "group") return [named(check.groupName)];
  const places = facts.places.get(check.id) ?? [];
  const trouble = facts.troubles.get(check.id);
  return places.length === 0 ? [named(null)] : places.map(({ code, name }) => ({ id: code, name, state: stateAt(code, state, trouble) }));
}

/** A check that fails somewhere passes at its other locations. */
function stateAt(code: string, state: State, trouble: CheckTrouble | undefined): State {
  if (trouble === undefined || (state !== "failing" && state !== "degraded")) return state;
  return trouble.places.find(({ locationCode }) => locationCode === code)?.standing ?? "passing";
}
