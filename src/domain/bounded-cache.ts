/** Keeps the `limit` values used last. For what is costly to compile and comes again, such as regular expressions of checks. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;
  readonly #make: (key: string) => V;

  constructor(limit: number, make: (key: string) => V) {
    this.#limit = limit;
    this.#make = make;
  }

  get(key: string): V {
    let value = this.#entries.get(key);
    if (value === undefined) value = this.#make(key);
    else this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit)
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    return value;
  }
}
