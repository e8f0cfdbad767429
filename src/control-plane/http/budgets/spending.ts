/** What somebody may spend in a second, and at once after a pause. */
export interface Allowance {
  readonly perSecond: number;
  readonly burst: number;
}

interface Purse {
  level: number;
  atMs: number;
}

/** Whoever comes under many names does not fill our memory: the purse that was used longest ago goes. */
const maxPurses = 20_000;

/**
 * Purses that fill by time. One may be overdrawn by what a request turns out to cost; then nothing is paid from it until it is filled again.
 *
 * @param nowMs a clock that never goes back
 */
export class Spending {
  readonly #allowance: Allowance;
  readonly #nowMs: () => number;
  readonly #purses = new Map<string, Purse>();

  constructor(allowance: Allowance, nowMs: () => number) {
    this.#allowance = allowance;
    this.#nowMs = nowMs;
  }

  /** Milliseconds until `who` may spend again; 0 when that is now. */
  waitMs(who: string): number {
    const { level } = this.#filled(who);
    return level > 0 ? 0 : ((1 - level) / this.#allowance.perSecond) * 1_000;
  }

  spend(who: string, amount: number): void {
    this.#filled(who).level -= amount;
  }

  #filled(who: string): Purse {
    const { perSecond, burst } = this.#allowance;
    const nowMs = this.#nowMs();
    const purse = this.#purses.get(who) ?? { level: burst, atMs: nowMs };
    purse.level = Math.min(burst, purse.level + ((nowMs - purse.atMs) / 1_000) * perSecond);
    purse.atMs = nowMs;
    this.#purses.delete(who); // the last one again
    this.#purses.set(who, purse);
    const [oldest] = this.#purses.keys();
    if (this.#purses.size > maxPurses && oldest !== undefined) this.#purses.delete(oldest);
    return purse;
  }
}
