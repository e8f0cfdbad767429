import { createHash } from "node:crypto";
import type { Html } from "../view/html.ts";
import { hidden } from "./form-view.ts";

/** In a form: what it was filled from. */
export const shownField = "shown";

/** The same for the same value, whoever wrote its fields in which order. */
export function versionOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(inOrder(value)))
    .digest("base64url")
    .slice(0, 11);
}

/** Comes back with the form, so that saving can tell whether somebody else saved meanwhile. */
export function shownVersion(version: string | undefined): Html | false {
  return version !== undefined && hidden(shownField, version);
}

function inOrder(value: unknown): unknown {
  if (value instanceof URLSearchParams) return [...value];
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, inOrder(one)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
