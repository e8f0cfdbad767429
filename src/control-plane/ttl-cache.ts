/**
 * Remembers what `load` found for a short while, so that a key costs one look-up per `ttlMs` and a revocation
 * works within it. Misses are not kept: a key that was just made works at once. Bounded: the oldest entry goes.
 */
export function ttlCache<T>(
  { ttlMs, maxEntries, nowMs }: { readonly ttlMs: number; readonly maxEntries: number; readonly nowMs: () => number },
  load: (key: string) => Promise<T | undefined>,
): (key: string) => Promise<T | undefined> {
  const entries = new Map<string, { readonly value: T; readonly endsAtMs: number }>();

  return async (key) => {
    const known = entries.get(key);
    if (known !== undefined && known.endsAtMs > nowMs()) return known.value;
    entries.delete(key);
    const value = await load(key);
    if (value === undefined) return undefined;
    entries.set(key, { value, endsAtMs: nowMs() + ttlMs });
    const oldest = entries.keys().next();
    if (entries.size > maxEntries && oldest.done !== true) entries.delete(oldest.value);
    return value;
  };
}
