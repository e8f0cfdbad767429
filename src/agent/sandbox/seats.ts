/** Seats for scripts; who finds none waits, first come first served. */
export class Seats {
  readonly #count: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @throws the signal's reason when it aborts before there is a seat */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#taken < this.#count) this.#taken += 1;
    else await this.#passedOn(signal);
    return { [Symbol.dispose]: () => this.#free() };
  }

  #passedOn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const take = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(take), 1);
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.push(take);
    return promise;
  }

  /** The seat goes to the next one without being free in between. */
  #free(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }
}
