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
  /** From 1. */
  readonly page: number;
}

export const states = [...checkStates, "deactivated"] as const;

export const sorts = ["name", "oldest"] as const;

export function filterOf(query: URLSearchParams): Filter {
  const chosen = (name: string): string | null => query.get(name)?.slice(0, 1_000) || null;
  return {
    words: (query.get("q") ?? "").slice(0, 200),
    state: states.find((state) => state === query.get("state")) ?? null,
    type: chosen("type"),
    tag: chosen("tag"),
    group: chosen("group"),
    sort: sorts.find((sort) => sort === query.get("sort")) ?? null,
    page: Math.max(1, Math.trunc(Number(query.get("page"))) || 1),
  };
}

/** The query of the same view with some parts changed; a change of what is shown begins at its first page. */
export function addressOf(filter: Filter, changes: Partial<Filter>): string {
  const { words, state, type, tag, group, sort, page } = { ...filter, page: 1, ...changes };
  const parts = { q: words, state, type, tag, group, sort, page: page === 1 ? null : String(page) };
  const query = new URLSearchParams(Object.entries(parts).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return query.size === 0 ? "/checks" : `/checks?${query.toString()}`;
}

export function stateInList(check: IndexedCheck, nowMs: number): CheckState | "deactivated" {
  return check.activated ? stateOf(check, nowMs) : "deactivated";
}

/** Whether a check is wanted, by everything but the state, which has counts of its own. */
export function matcherOf({ words, type, tag, group }: Filter): (check: IndexedCheck) => boolean {
  const wanted = wordsOf(words);
  const hasWords = ({ searched, groupName, uuid }: IndexedCheck): boolean =>
    wanted.every((word) => searched.includes(word) || groupName?.toLowerCase().includes(word) === true || isStartOfId(word, uuid));
  return (check) =>
    (type === null || check.type === type) &&
    (tag === null || check.tags.includes(tag)) &&
    (group === null || check.groupName === group) &&
    hasWords(check);
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
