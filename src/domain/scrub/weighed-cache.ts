export interface Weighed<V> {
  readonly value: V;
  readonly bytes: number;
}

/** Keeps the values used last, as far as both limits allow; one that is too large by itself is made each time. */
export class WeighedCache<V> {
  readonly #entries = new Map<string, Weighed<V>>();
  readonly #limits: { readonly entries: number; readonly bytes: number };
  readonly #make: (key: string) => Weighed<V>;
  #bytes = 0;

  constructor(limits: { readonly entries: number; readonly bytes: number }, make: (key: string) => Weighed<V>) {
    this.#limits = limits;
    this.#make = make;
  }

  get(key: string): V {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value;
    }
    const made = this.#make(key);
    const entry = { value: made.value, bytes: made.bytes + key.length * 2 };
    if (entry.bytes <= this.#limits.bytes) this.#keep(key, entry);
    return made.value;
  }

  #keep(key: string, entry: Weighed<V>): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#entries.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) return;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
