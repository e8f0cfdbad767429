import { networkOf } from "../../http/network-of.ts";

/** Counts attempts to prove something, so that guessing takes for ever. Each process counts for itself. */
export interface Attempts {
  /**
   * Counts an attempt before it is looked at: many at once are no way around the pauses.
   *
   * @param subject what is tried, such as an e-mail address; null where the attempt names nobody
   * @param browser one in which the subject has signed in, now or before: then it counts for itself, and what others try holds up nobody there
   * @returns what takes the count back when the attempt was right; or that there is a pause, and nothing may be tried
   */
  begin(address: string, subject: string | null, browser?: string): { readonly takeBack: () => void } | { readonly pauseSeconds: number };
}

interface Count {
  readonly failures: number;
  readonly pausedUntilMs: number;
  readonly lastMs: number;
}

/** How many may fail before there are pauses, and how long these become. Many people share the address of a proxy. */
const limits = {
  address: { free: 20, longestSeconds: 60 },
  subject: { free: 5, longestSeconds: 300 },
} as const;
const firstPauseSeconds = 5;
/** Nothing failed for so long: forgotten. */
const forgetMs = 60 * 60_000;
/** Whoever tries a million addresses does not fill our memory: the oldest count goes. */
const maxCounts = 50_000;

export function createAttempts(nowMs: () => number): Attempts {
  const counts = new Map<string, Count>();

  function failed(id: string, { free, longestSeconds }: (typeof limits)[keyof typeof limits]): void {
    const now = nowMs();
    const before = current(id);
    const failures = (before?.failures ?? 0) + 1;
    const pauseSeconds = failures < free ? 0 : Math.min(longestSeconds, firstPauseSeconds * 2 ** (failures - free));
    counts.delete(id); // the last one again
    counts.set(id, { failures, pausedUntilMs: now + pauseSeconds * 1_000, lastMs: now });
    const [oldest] = counts.keys();
    if (counts.size > maxCounts && oldest !== undefined) counts.delete(oldest);
  }

  function current(id: string): Count | undefined {
    const count = counts.get(id);
    return count !== undefined && count.lastMs + forgetMs > nowMs() ? count : undefined;
  }

  function takeBack(id: string): void {
    const count = current(id);
    if (count !== undefined) counts.set(id, { ...count, failures: Math.max(0, count.failures - 1), pausedUntilMs: 0 });
  }

  return {
    begin(address, subject, browser) {
      const byAddress = browser === undefined ? [`address ${networkOf(address)}`] : [];
      const named = browser === undefined ? subject && `subject ${subject.normalize("NFC").toLowerCase()}` : `browser ${browser}`;
      const bySubject = named === null ? [] : [named];
      const pausedUntilMs = [...byAddress, ...bySubject].map((id) => current(id)?.pausedUntilMs ?? 0);
      const seconds = Math.ceil((Math.max(...pausedUntilMs) - nowMs()) / 1_000);
      if (seconds > 0) return { pauseSeconds: seconds };
      for (const id of byAddress) failed(id, limits.address);
      for (const id of bySubject) failed(id, limits.subject);
      return {
        takeBack() {
          for (const id of byAddress) takeBack(id); // one right guess, such as at an account of one's own, is no excuse for the others
          for (const id of bySubject) counts.delete(id);
        },
      };
    },
  };
}
