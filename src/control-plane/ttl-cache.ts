export interface TtlCache<T> {
  readonly get: (key: string) => Promise<T | undefined>;
  /** What is loaded from now on counts; also where a load is under way. */
  readonly forget: (key: string) => void;
}

/**
 * Remembers what `load` found for a short while, so that a key costs one look-up per `ttlMs` and a revocation
 * works within it. Misses are not kept: a key that was just made works at once. Bounded: the oldest entry goes.
 */
export function ttlCache<T>(
  { ttlMs, maxEntries, nowMs }: { readonly ttlMs: number; readonly maxEntries: number; readonly nowMs: () => number },
  load: (key: string) => Promise<T | undefined>,
): TtlCache<T> {
  const entries = new Map<string, { readonly value: T; readonly endsAtMs: number }>();
  let forgotten = 0;

  return {
    async get(key) {
      const known = entries.get(key);
      if (known !== undefined && known.endsAtMs > nowMs()) return known.value;
      entries.delete(key);
      const before = forgotten;
      const value = await load(key);
      if (value === undefined) return undefined;
      if (before === forgotten) entries.set(key, { value, endsAtMs: nowMs() + ttlMs });
      const oldest = entries.keys().next();
      if (entries.size > maxEntries && oldest.done !== true) entries.delete(oldest.value);
      return value;
    },
    forget(key) {
      forgotten += 1;
      entries.delete(key);
    },
  };
}
