/** What is remembered of: each is forgotten as a whole by who writes it. */
export type Remembered = "check-groups" | "locations" | "alert-channels" | "offsets";

/**
 * What a joint transaction has read already: a thousand checks that are written together name the same groups, locations and channels, and
 * each way to the database costs as much as many rows. What is remembered is locked, or nobody minds that it is some seconds old.
 */
export interface Memory {
  /** @param key tells it from others of its kind, with the account where that has a say */
  recall<T>(what: Remembered, key: string, read: () => Promise<T>): Promise<T>;
  /** Undefined where it was not read before. */
  known<T>(what: Remembered, key: string): T | undefined;
  forget(what: Remembered): void;
}

/** Outside of joint transactions everything is read each time. */
export const noMemory: Memory = { recall: (_what, _key, read) => read(), known: () => undefined, forget: () => undefined };

/** One for each joint transaction. */
export function newMemory(): Memory {
  const all = new Map<Remembered, Map<string, unknown>>();
  return {
    async recall<T>(what: Remembered, key: string, read: () => Promise<T>): Promise<T> {
      const known = all.getOrInsertComputed(what, () => new Map());
      if (!known.has(key)) known.set(key, await read());
      return known.get(key) as T; // a key stands for one kind of value
    },
    known: <T>(what: Remembered, key: string) => all.get(what)?.get(key) as T | undefined,
    forget: (what) => void all.delete(what),
  };
}
