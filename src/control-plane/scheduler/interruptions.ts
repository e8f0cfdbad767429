import type { Interruption } from "#domain/schedule-gaps.ts";

/** A turn that took so long was held up by the store; a wall clock that is so far from the monotonic one was set. */
const noticeableMs = 1_000;

export interface InterruptionDeps {
  /** Epoch milliseconds, on a clock that may be set. */
  readonly nowMs: () => number;
  /** Milliseconds on a clock that never is. */
  readonly monotonicMs: () => number;
}

/** What kept this process from scheduling since its last turn that left nothing over: so gaps tell why. */
export class Interruptions {
  readonly #deps: InterruptionDeps;
  #spans: readonly Interruption[] = [];
  #looked: { readonly nowMs: number; readonly monotonicMs: number } | null = null;
  /** Since then no turn worked; null while they do. */
  #awaySinceMs: number | null = null;
  #workedAtMs: number | null = null;

  constructor(deps: InterruptionDeps) {
    this.#deps = deps;
  }

  /** A turn begins. @returns the wall clock */
  begin(): number {
    const [nowMs, monotonicMs] = [this.#deps.nowMs(), this.#deps.monotonicMs()];
    const last = this.#looked;
    this.#looked = { nowMs, monotonicMs };
    const aheadMs = last === null ? 0 : nowMs - last.nowMs - (monotonicMs - last.monotonicMs);
    if (aheadMs >= noticeableMs && last !== null) this.#add({ startsAtMs: last.nowMs, endsAtMs: nowMs + 1, reason: "clock_jump" });
    return nowMs;
  }

  /** The turn failed. */
  failed(): void {
    this.#awaySinceMs ??= this.#workedAtMs ?? this.#looked?.nowMs ?? this.#deps.nowMs();
  }

  /** The turn worked. @param isDone nothing that was due is left */
  worked(isDone: boolean): void {
    const { nowMs: startsAtMs, monotonicMs } = this.#looked ?? { nowMs: this.#deps.nowMs(), monotonicMs: this.#deps.monotonicMs() };
    const tookMs = this.#deps.monotonicMs() - monotonicMs;
    this.#spans = isDone ? [] : this.known();
    this.#awaySinceMs = null;
    this.#workedAtMs = startsAtMs + tookMs;
    if (tookMs >= noticeableMs) this.#add({ startsAtMs, endsAtMs: this.#workedAtMs + 1, reason: "store_unavailable" });
  }

  /** What is known now, for slots that lie behind. */
  known(): readonly Interruption[] {
    if (this.#awaySinceMs === null) return this.#spans;
    return [...this.#spans, { startsAtMs: this.#awaySinceMs, endsAtMs: this.#deps.nowMs() + 1, reason: "store_unavailable" }];
  }

  #add(span: Interruption): void {
    this.#spans = [...this.#spans, span];
  }
}
