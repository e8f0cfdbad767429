import type { Entry } from "./entry.ts";

/** Entries by section and key, in the order of a file. Equal keys are told apart by their order: `Front page`, `Front page (2)`. */
export type KeyedEntries = ReadonlyMap<string, ReadonlyMap<string, Entry>>;

/** Gives each entry a key that is free in its section. */
export function keyedEntries(entries: readonly Entry[]): KeyedEntries {
  const sections = new Map<string, Map<string, Entry>>();
  for (const entry of entries) {
    const { section, keyOf } = entry.kind;
    const ofSection = sections.get(section) ?? new Map<string, Entry>();
    sections.set(section, ofSection.set(freeKey(keyOf(entry.body), ofSection), entry));
  }
  return sections;
}

/** @param taken keys that came before */
export function freeKey(key: string, taken: { readonly has: (key: string) => boolean }): string {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? key : `${key} (${n})`;
    if (!taken.has(candidate)) return candidate;
  }
}
