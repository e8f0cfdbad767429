/**
 * `a[b]=c` as `{ a: { b: "c" } }`, one level deep: what OpenAPI calls deepObject. `a[]=c` and `a[0]=c`, as axios and PHP write lists, are read as
 * `a=c`, in the order in which they came. Other parameters stay as they are.
 */
export function nestedQuery(query: unknown): unknown {
  if (typeof query !== "object" || query === null) return query;
  const entries = new Map<string, unknown>();
  const nested = new Map<string, [string, unknown][]>();
  const lists = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(query)) {
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) entries.set(name, value);
    else if (/^\d{0,5}$/.test(inner)) addAll(lists, outer, value);
    else nested.getOrInsertComputed(outer, () => []).push([inner, value]);
  }
  for (const [name, values] of lists) {
    const all = entries.has(name) ? [entries.get(name), values].flat(2) : values;
    entries.set(name, all.length === 1 ? all[0] : all);
  }
  for (const [name, values] of nested) entries.set(name, Object.fromEntries(values));
  return Object.fromEntries(entries);
}

/** A name that came more than once has its values in an array. */
function addAll(lists: Map<string, unknown[]>, name: string, value: unknown): void {
  const list = lists.getOrInsertComputed(name, () => []);
  for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) list.push(one);
}
