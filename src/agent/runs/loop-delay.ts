import type { AgentClock } from "../host/clock.ts";

const tickMs = 20;
/** Long enough for the longest run limit of a light check type with retries of a phase: 60 s. */
const keptTicks = 3_000;

/** How late the event loop was: a run that waited for this process must not be blamed on its target. */
export interface LoopDelay {
  /** The worst delay since `sinceMs` on the monotonic clock, ms. */
  worstSince(sinceMs: number): number;
  stop(): void;
}

/** Samples with one timer of 20 ms; costs under 0.1 % of a core. Not monitorEventLoopDelay: it has no windows. */
export function sampleLoopDelay(clock: AgentClock): LoopDelay {
  const atMs = new Float64Array(keptTicks).fill(Number.NEGATIVE_INFINITY);
  const lateMs = new Float64Array(keptTicks);
  let next = 0;
  let dueMs = clock.monotonicMs() + tickMs;

  const timer = setInterval(() => {
    const nowMs = clock.monotonicMs();
    atMs[next] = nowMs;
    lateMs[next] = Math.max(0, nowMs - dueMs);
    next = (next + 1) % keptTicks;
    dueMs = nowMs + tickMs;
  }, tickMs);
  timer.unref();

  return {
    worstSince(sinceMs) {
      let worst = Math.max(0, clock.monotonicMs() - dueMs);
      for (let back = 1; back <= keptTicks; back += 1) {
        const index = (next - back + keptTicks) % keptTicks;
        if ((atMs[index] ?? 0) < sinceMs) break;
        worst = Math.max(worst, lateMs[index] ?? 0);
      }
      return worst;
    },
    stop: () => clearInterval(timer),
  };
}
