import { type Role, type RoleAccess, roleAllows } from "#domain/key.ts";
import type { findTexts } from "../../texts/find.ts";

export type FoundKind = keyof typeof findTexts.kinds;

/** Where one can go. */
export interface Found {
  readonly kind: FoundKind;
  readonly name: string;
  readonly href: string;
}

/** What can be found, as far as it is known by heart. */
export interface Findable extends Found {
  readonly access: RoleAccess;
}

const mostOfKind = 8;

/** Those whose names have all the words, the ones that begin with the first word first; at most eight of a kind. */
export function matching<One extends { readonly name: string }>(all: readonly One[], words: readonly string[]): readonly One[] {
  const [first = ""] = words;
  const named = all.map((one) => ({ one, name: one.name.toLowerCase() })).filter(({ name }) => words.every((word) => name.includes(word)));
  return named
    .toSorted((a, b) => Number(b.name.startsWith(first)) - Number(a.name.startsWith(first)))
    .slice(0, mostOfKind)
    .map(({ one }) => one);
}

export function allowedTo(role: Role, all: readonly Findable[]): readonly Findable[] {
  return all.filter(({ access }) => roleAllows(role, access));
}
