/** `a[b]=c` as `{ a: { b: "c" } }`, one level deep: what OpenAPI calls deepObject. Other parameters stay as they are. */
export function nestedQuery(query: unknown): unknown {
  if (typeof query !== "object" || query === null) return query;
  const entries = new Map<string, unknown>();
  const nested = new Map<string, [string, unknown][]>();
  for (const [name, value] of Object.entries(query)) {
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) entries.set(name, value);
    else nested.getOrInsertComputed(outer, () => []).push([inner, value]);
  }
  for (const [name, values] of nested) entries.set(name, Object.fromEntries(values));
  return Object.fromEntries(entries);
}
