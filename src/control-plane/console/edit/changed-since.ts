import { checkFormTexts } from "../../texts/check-form.ts";
import { shownField, versionOf } from "../shown-version.ts";
import type { Body } from "./value-at.ts";

/** The button that replaces what others changed; its value is what it replaces, so that it never replaces more than its page told of. */
export const anywayField = "anyway";

/** What a form is filled from: short hashes of the stored body, by the names of its parts. */
export function shownParts(stored: Body): string {
  return JSON.stringify(hashesOf(stored));
}

export interface MergedBody {
  /** Without what somebody else changed and this form did not. */
  readonly body: Body;
  /** What both changed, as people call it; empty: the body may be saved. */
  readonly both: readonly string[];
}

/** Of a form that does not tell what it was filled from, everything is meant. */
export function mergedBody(form: URLSearchParams, body: Body, stored: Body): MergedBody {
  const shown = partsIn(form.get(shownField));
  if (shown === null) return { body, both: [] };
  const now = hashesOf(stored);
  const typed = hashesOf(body);
  const changed = Object.keys(body).filter((name) => shown[name] !== now[name]);
  const isOwn = (name: string): boolean => typed[name] !== shown[name] && typed[name] !== now[name];
  const left = new Set(changed.filter((name) => !isOwn(name)));
  const both = form.get(anywayField) === shownParts(stored) ? [] : changed.filter(isOwn);
  return {
    body: Object.fromEntries(Object.entries(body).filter(([name]) => !left.has(name))),
    both: [...new Set(both.map(partName))],
  };
}

function partName(name: string): string {
  return checkFormTexts.parts[name] ?? name;
}

/** What is left out is the same as nothing. */
function hashesOf(body: Body): Readonly<Record<string, string | undefined>> {
  const known = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known.map(([name, value]) => [name, versionOf(value)]));
}

function partsIn(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return null;
  try {
    const parts: unknown = JSON.parse(text);
    return typeof parts === "object" && parts !== null && !Array.isArray(parts) ? { ...parts } : null;
  } catch {
    return null; // no form of ours
  }
}
