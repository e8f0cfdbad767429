import { BoundedCache } from "#domain/bounded-cache.ts";

/** `busy`: too many at the same time; `rate`: too many in a minute; `repeated`: another job's same failure was looked into before. */
export type SkipReason = "busy" | "rate" | "repeated";

const atATime = 4;
const perMinute = 30;
const minuteMs = 60_000;
const repeatMs = 5 * minuteMs;
/** More than can begin before the first may come again. */
const subjectsKept = 200;

/** How often failures are looked into, so that a storm of them does not become a second one. Times are of one clock, ms. */
export class InquiryLimits {
  readonly #lastOf = new BoundedCache<{ atMs: number; jobId: string }>(subjectsKept, () => ({ atMs: Number.NEGATIVE_INFINITY, jobId: "" }));
  #begun: number[] = [];
  #running = 0;

  /** Takes a place, which `leave` gives back; or says why there is none. The attempts of one job are not held against each other. */
  enter(subject: string, jobId: string, nowMs: number): SkipReason | null {
    if (this.#running >= atATime) return "busy";
    this.#begun = this.#begun.filter((atMs) => nowMs - atMs < minuteMs);
    if (this.#begun.length >= perMinute) return "rate";
    const last = this.#lastOf.get(subject);
    if (nowMs - last.atMs < repeatMs && last.jobId !== jobId) return "repeated";
    last.atMs = nowMs;
    last.jobId = jobId;
    this.#begun.push(nowMs);
    this.#running += 1;
    return null;
  }

  leave(): void {
    this.#running -= 1;
  }
}
