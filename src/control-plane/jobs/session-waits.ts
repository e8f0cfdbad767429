import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import type { StorageSignals } from "../storage/storage.ts";

export interface SessionWaits extends Service {
  /**
   * Asks `read` until it answers, whenever the session or one of them ended, the wait grew long or the signal aborted.
   *
   * @returns undefined when `waitMs` ran out or the signal aborted
   */
  until<T>(
    sessionNos: number | readonly number[],
    waitMs: number,
    signal: AbortSignal,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
}

/** A signal may be lost while a database connection is made anew; then the session is read again after this long. */
const recheckMs = 5_000;

/** Long polls that wait for the end of a session. One subscription serves them all. */
export function createSessionWaits(signals: Pick<StorageSignals, "onSessionsEnded">, monotonicMs: () => number): SessionWaits {
  const waiting = new Map<number, Set<() => void>>();
  let unsubscribe = (): void => {};

  /** @returns what ends the wait for this session */
  function join(no: number, wake: () => void): () => void {
    const wakers = waiting.get(no) ?? new Set();
    waiting.set(no, wakers.add(wake));
    return () => {
      wakers.delete(wake);
      if (wakers.size === 0) waiting.delete(no);
    };
  }

  return {
    name: "session waits",
    async start() {
      unsubscribe = signals.onSessionsEnded((nos) => {
        for (const no of nos) for (const wake of waiting.get(no) ?? []) wake();
      });
    },
    async stop() {
      unsubscribe();
    },
    async until(sessionNos, waitMs, signal, read) {
      const endsAt = monotonicMs() + waitMs;
      let ended = new AbortController();
      const wake = (): void => ended.abort();
      const leave = [sessionNos].flat().map((no) => join(no, wake));
      try {
        for (;;) {
          ended = new AbortController();
          const found = await read();
          const leftMs = endsAt - monotonicMs();
          if (found !== undefined || leftMs <= 0 || signal.aborted) return found;
          await sleep(Math.min(leftMs, recheckMs), AbortSignal.any([signal, ended.signal]));
        }
      } finally {
        for (const one of leave) one();
      }
    },
  };
}
