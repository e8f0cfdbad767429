export interface TtlCache<T> {
  readonly get: (key: string) => Promise<T | undefined>;
  /** What is loaded from now on counts; also where a load is under way. */
  readonly forget: (key: string) => void;
}

/**
 * Remembers what `load` found for a short while, so that a key costs one look-up per `ttlMs`, however many ask at once, and a revocation
 * works within it. Misses are not kept: a key that was just made works at once. Bounded: the oldest entry goes.
 */
export function ttlCache<T>(
  { ttlMs, maxEntries, nowMs }: { readonly ttlMs: number; readonly maxEntries: number; readonly nowMs: () => number },
  load: (key: string) => Promise<T | undefined>,
): TtlCache<T> {
  const entries = new Map<string, { readonly value: T; readonly endsAtMs: number }>();
  const loading = new Map<string, Promise<T | undefined>>();

  async function loaded(key: string): Promise<T | undefined> {
    const mine = load(key);
    loading.set(key, mine);
    try {
      const value = await mine;
      // Forgotten meanwhile: what was read may be older than that.
      if (value !== undefined && loading.get(key) === mine) entries.set(key, { value, endsAtMs: nowMs() + ttlMs });
      const oldest = entries.keys().next();
      if (entries.size > maxEntries && oldest.done !== true) entries.delete(oldest.value);
      return value;
    } finally {
      if (loading.get(key) === mine) loading.delete(key);
    }
  }

  return {
    async get(key) {
      const known = entries.get(key);
      const leftMs = (known?.endsAtMs ?? 0) - nowMs();
      // More than a whole life is left where the clock was set back.
      if (known !== undefined && leftMs > 0 && leftMs <= ttlMs) return known.value;
      entries.delete(key);
      const underWay = loading.get(key);
      // What was not there when another one asked may be there by now.
      return (underWay && (await underWay)) ?? loaded(key);
    },
    forget(key) {
      loading.delete(key);
      entries.delete(key);
    },
  };
}
