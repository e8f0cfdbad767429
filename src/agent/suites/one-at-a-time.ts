import { untilAborted } from "#daemon/until-aborted.ts";

/**
 * Makes a thing once for all that want it at the same time. Who waits for another one's making tries for itself where that came to nothing:
 * a run that is cancelled takes nobody with it.
 */
export class OneAtATime<T> {
  readonly #making = new Map<string, Promise<T>>();

  /** @throws what `make` throws; the signal's reason */
  async get(key: string, find: () => Promise<T | null>, make: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const found = await find();
      if (found !== null) return found;
      const running = this.#making.get(key);
      if (running === undefined) break;
      const ended = running.then(
        () => undefined,
        () => undefined, // told to whoever made it
      );
      await untilAborted(signal, ended);
    }
    const making = make();
    this.#making.set(key, making);
    try {
      return await making;
    } finally {
      this.#making.delete(key);
    }
  }
}
