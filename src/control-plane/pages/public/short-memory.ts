export type ShortMemory<T> = (key: string, make: () => Promise<T>) => Promise<T>;

/**
 * Remembers what was made under a key for a short while, so that a page costs the same however many look at it: who asks meanwhile waits
 * for what is under way. A failure is not remembered. Bounded: the oldest entry goes.
 */
export function shortMemory<T>(settings: {
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly nowMs: () => number;
}): ShortMemory<T> {
  const entries = new Map<string, { readonly value: Promise<T>; readonly endsAtMs: number }>();
  return (key, make) => {
    const known = entries.get(key);
    const leftMs = (known?.endsAtMs ?? 0) - settings.nowMs();
    // More than a whole life is left where the clock was set back.
    if (known !== undefined && leftMs > 0 && leftMs <= settings.ttlMs) return known.value;
    const value = make();
    entries.delete(key);
    entries.set(key, { value, endsAtMs: settings.nowMs() + settings.ttlMs });
    const [oldest] = entries.keys();
    if (entries.size > settings.maxEntries && oldest !== undefined) entries.delete(oldest);
    value.catch(() => {
      if (entries.get(key)?.value === value) entries.delete(key);
    });
    return value;
  };
}
