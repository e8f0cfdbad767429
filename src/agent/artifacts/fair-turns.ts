/** One at a time, and of those who wait the one whose key had no turn for longest: whoever brings much waits for it alone. */
export class FairTurns {
  /** Those who wait, by key. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The number of the last turn of each key, since nobody waited last. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  #isTaken = false;

  /** Resolves when it is this one's turn, which lasts until what it gets is disposed of. */
  async take(key: string): Promise<Disposable> {
    if (this.#isTaken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.getOrInsertComputed(key, () => []).push(resolve);
      await promise;
    }
    this.#isTaken = true;
    this.#turns += 1;
    this.#lastTurns.set(key, this.#turns);
    return { [Symbol.dispose]: () => this.#pass() };
  }

  #pass(): void {
    const lastTurn = (key: string): number => this.#lastTurns.get(key) ?? 0;
    const [key] = [...this.#waiting.keys()].toSorted((one, other) => lastTurn(one) - lastTurn(other));
    if (key === undefined) {
      this.#isTaken = false;
      this.#lastTurns.clear();
      return;
    }
    const [first, ...others] = this.#waiting.get(key) ?? [];
    if (others.length > 0) this.#waiting.set(key, others);
    else this.#waiting.delete(key);
    first?.();
  }
}
