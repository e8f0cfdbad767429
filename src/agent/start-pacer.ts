/**
 * Spreads the starts of runs that came due together.
 *
 * A hundred runs started in one turn of the event loop keep it busy for tens of milliseconds before the first of
 * their sockets is read, and every one of them measures that wait as its target's. One start per turn lets the loop
 * read what has arrived between two starts. Nothing waits when the loop is idle, and a turn under load is as long as
 * the work in it, so this bounds a burst and not the throughput.
 */
export interface StartPacer {
  /** Resolves, first come first served, when the next run may start. */
  admit(): Promise<void>;
  readonly waiting: number;
}

export function createStartPacer(): StartPacer {
  const queue: (() => void)[] = [];
  let isTurning = false;

  function turn(): void {
    const start = queue.shift();
    if (start === undefined) {
      isTurning = false;
      return;
    }
    start();
    setImmediate(turn);
  }

  return {
    admit() {
      const { promise, resolve } = Promise.withResolvers<void>();
      queue.push(resolve);
      if (!isTurning) {
        isTurning = true;
        setImmediate(turn);
      }
      return promise;
    },
    get waiting() {
      return queue.length;
    },
  };
}
