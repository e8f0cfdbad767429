import type { AssertionDraft } from "../imported.ts";

/**
 * An assertion that holds when a filter on the whole document does: it selects the document's values only then, and a comparison fails
 * where nothing is selected.
 */
export function holds(source: "JSON_BODY" | "JSON_ANSWER", filter: string): AssertionDraft {
  return { source, property: `$[?${filter}]`, comparison: "NOT_EQUALS", target: "the condition does not hold" };
}

/** A text inside a filter (RFC 9535 §2.3.1). */
export function literal(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n")}'`;
}

/** `.user.name[0]` as a JSONPath; undefined for what is no such path. */
export function jsonPath(path: string): string | undefined {
  const parts = [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)];
  if (parts.map(([whole]) => whole).join("") !== path) return undefined;
  return `$${parts.map(([, name, index]) => (name === undefined ? `[${index}]` : memberOf(name))).join("")}`;
}

function memberOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${literal(name)}]`;
}
