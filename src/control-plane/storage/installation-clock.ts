/*
 * How long waits last must not hang on the wall clock: set back by a day, it would hold every lease, claim and retry for a day, and set
 * forward it would end them all. Waits end by the installation's clock: it began as the wall clock, runs by monotonic time and never
 * backwards. People, and the slots of the schedule, keep the wall clock.
 */

/** What a store asks: its callers know the wall clock alone. */
export interface WaitClock {
  /** This moment, which the wall clock calls `nowMs`. */
  waitMs(nowMs: number): number;
  /** An instant of this clock as the wall clock of now tells it. */
  shownMs(waitMs: number): number;
}

/** Where both clocks are one: commands beside the control plane. */
export const wallAlone: WaitClock = { waitMs: (nowMs) => nowMs, shownMs: (waitMs) => waitMs };

/** What is surely over: for what is lost when it is taken for old too soon. */
export function earlierOf({ waitMs }: Pick<WaitClock, "waitMs">, nowMs: number): number {
  return Math.min(nowMs, waitMs(nowMs));
}

export interface Clocks {
  /** Epoch milliseconds of the wall clock. */
  readonly nowMs: () => number;
  /** Milliseconds that no step of the wall clock moves. */
  readonly monotonicMs: () => number;
}

/** What the wall clock may differ from monotonic time between two looks and is followed: more is a step, not the slow work of NTP. */
export const slackMs = 2_000;

export class InstallationClock implements WaitClock {
  readonly #clocks: Clocks;
  /** What this clock is ahead of the wall clock. One number between two steps, so that instants of both can be told from each other. */
  #aheadMs: number;
  #startMs: number;
  #startedAtMs: number;

  /** @param startMs what it says now */
  constructor(clocks: Clocks, startMs: number) {
    this.#clocks = clocks;
    this.#startMs = startMs;
    this.#startedAtMs = clocks.monotonicMs();
    this.#aheadMs = startMs - clocks.nowMs();
  }

  /** Right also where `nowMs` was read before a step. */
  waitMs(nowMs: number): number {
    const toldMs = nowMs + this.#aheadMs;
    const exactMs = this.#exactMs();
    return Math.abs(toldMs - exactMs) <= slackMs ? toldMs : exactMs;
  }

  shownMs(waitMs: number): number {
    const nowMs = this.#clocks.nowMs();
    return waitMs - (this.waitMs(nowMs) - nowMs);
  }

  /** Looks at the wall clock. @returns what this clock says now, and by how much the wall clock stepped since the last look, or 0 */
  look(): { readonly waitMs: number; readonly stepMs: number } {
    const nowMs = this.#clocks.nowMs();
    const exactMs = this.#exactMs();
    const aheadOfExactMs = nowMs + this.#aheadMs - exactMs;
    const stepMs = Math.abs(aheadOfExactMs) <= slackMs ? 0 : aheadOfExactMs;
    if (stepMs !== 0) this.#aheadMs = exactMs - nowMs;
    this.#goOnFrom(nowMs + this.#aheadMs);
    return { waitMs: this.#startMs, stepMs };
  }

  /** Another process is further: from here on both say the same. */
  catchUp(waitMs: number): void {
    const behindMs = waitMs - this.#exactMs();
    if (behindMs <= 0) return;
    this.#aheadMs += behindMs;
    this.#goOnFrom(waitMs);
  }

  #exactMs(): number {
    return Math.round(this.#startMs + this.#clocks.monotonicMs() - this.#startedAtMs);
  }

  #goOnFrom(waitMs: number): void {
    this.#startMs = waitMs;
    this.#startedAtMs = this.#clocks.monotonicMs();
  }
}
