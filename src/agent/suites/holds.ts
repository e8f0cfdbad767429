/** What is in use, by its path: a cache that makes room leaves it. */
export class Holds {
  readonly #counts = new Map<string, number>();

  /** Until it is disposed; others may hold the same. */
  hold(path: string): Disposable {
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        const left = (this.#counts.get(path) ?? 1) - 1;
        if (left === 0) this.#counts.delete(path);
        else this.#counts.set(path, left);
      },
    };
  }

  has(path: string): boolean {
    return this.#counts.has(path);
  }
}
