import { createHash } from "node:crypto";
import { type CheckState, checkStates, stateOf } from "#domain/check-state.ts";
import type { IndexedCheck } from "../../storage/storage.ts";

/** Which checks somebody wants to see, as the address says it. */
export interface Filter {
  /** Each is part of the name, the address, a tag, a location or the group, in any case, or the beginning of the id. */
  readonly words: string;
  readonly state: CheckState | "deactivated" | null;
  readonly type: string | null;
  readonly tag: string | null;
  readonly group: string | null;
  /** Null: what needs somebody first. */
  readonly sort: (typeof sorts)[number] | null;
  /** Null: a row of figures for each check; `matrix`: how each stands at each location. */
  readonly view: "matrix" | null;
  /** What the list is grouped by; null: it is one list. */
  readonly by: (typeof groupings)[number] | null;
  /** Whether its sections begin folded, and the keys of those that do not stand as the others do. */
  readonly isFolded: boolean;
  readonly except: readonly string[];
  /** From 1. */
  readonly page: number;
}

export const states = [...checkStates, "deactivated"] as const;

export const sorts = ["name", "oldest"] as const;

export const groupings = ["group", "tag", "location", "type"] as const;

/** An address with more of them is too long for some proxies. */
const mostExcept = 100;

export function filterOf(query: URLSearchParams): Filter {
  const chosen = (name: string): string | null => query.get(name)?.slice(0, 1_000) || null;
  return {
    words: (query.get("q") ?? "").slice(0, 200),
    state: states.find((state) => state === query.get("state")) ?? null,
    type: chosen("type"),
    tag: chosen("tag"),
    group: chosen("group"),
    sort: sorts.find((sort) => sort === query.get("sort")) ?? null,
    view: query.get("view") === "matrix" ? "matrix" : null,
    by: groupings.find((by) => by === query.get("by")) ?? null,
    isFolded: query.get("fold") === "all",
    except: [...new Set(query.getAll("but"))].filter(isSectionKey).slice(0, mostExcept),
    page: Math.max(1, Math.trunc(Number(query.get("page"))) || 1),
  };
}

/** The query of the same view with some parts changed; a change of what is shown begins at its first page. */
export function addressOf(filter: Filter, changes: Partial<Filter>): string {
  const { words, state, type, tag, group, sort, view, page, by, isFolded, except } = { ...filter, page: 1, ...changes };
  const fold = by !== null && isFolded ? "all" : null;
  const parts = { q: words, state, type, tag, group, sort, view, by, fold, page: page === 1 ? null : String(page) };
  const query = new URLSearchParams(Object.entries(parts).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  if (by !== null) for (const key of except) query.append("but", key);
  return query.size === 0 ? "/checks" : `/checks?${query.toString()}`;
}

export function stateInList(check: IndexedCheck, nowMs: number): CheckState | "deactivated" {
  return check.activated ? stateOf(check, nowMs) : "deactivated";
}

/** Whether a check is wanted, by everything but the state, which has counts of its own. */
export function matcherOf({ words, type, tag, group }: Pick<Filter, "words" | "type" | "tag" | "group">): (check: IndexedCheck) => boolean {
  const wanted = wordsOf(words);
  const hasWords = ({ searched, groupName, uuid }: IndexedCheck): boolean =>
    wanted.every((word) => searched.includes(word) || groupName?.toLowerCase().includes(word) === true || isStartOfId(word, uuid));
  return (check) =>
    (type === null || check.type === type) &&
    (tag === null || check.tags.includes(tag)) &&
    (group === null || check.groupName === group) &&
    hasWords(check);
}

/** Short, and the same for one name, so that addresses stay short, too. */
export function sectionKey(name: string | null): string {
  return name === null ? "none" : createHash("sha256").update(name).digest("hex").slice(0, 8);
}

function isSectionKey(text: string): boolean {
  return text === "none" || /^[\da-f]{8}$/.test(text);
}

/** Ids are told by their beginning; a part of one would be in many. */
function isStartOfId(word: string, uuid: string): boolean {
  return word.length >= 8 && uuid.startsWith(word);
}

/** In lower case, as they are compared. */
export function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}
