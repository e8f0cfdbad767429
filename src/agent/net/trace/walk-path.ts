import { sleep } from "#daemon/sleep.ts";
import type { Flow } from "./flow.ts";
import { type PathPlan, PathProbes } from "./path-probes.ts";

export interface WalkLimits {
  /** On the clock of `monotonicMs`; what is known then is the outcome. */
  readonly endsAtMs: number;
  readonly monotonicMs: () => number;
  /** The reason is thrown. */
  readonly signal: AbortSignal;
}

export interface Walked {
  readonly probes: PathProbes;
  /** The time was up before all was asked. */
  readonly isCutShort: boolean;
  /** Why the last probe that did not leave this host did not (`EPERM` …). */
  readonly unsentBecause: string | null;
}

/** Probes in a row that did not leave this host, after which it is no use to go on. */
const unsentLimit = 3;

/**
 * Walks a path by one flow. Nobody waits for a socket: the kernel stamps what arrives, and each look reads it all.
 *
 * @throws {SystemCallError} when there is no socket for a probe
 * @throws the signal's reason
 */
export async function walkPath(flow: Flow, plan: Omit<PathPlan, "window">, limits: WalkLimits): Promise<Walked> {
  const { endsAtMs, monotonicMs, signal } = limits;
  const probes = new PathProbes({ ...plan, window: flow.window });
  let unsentBecause: string | null = null;
  let unsent = 0;
  let sentMs = monotonicMs();
  const send = (): void => {
    for (let due = probes.next(monotonicMs()); due !== null; due = probes.next(monotonicMs())) {
      const refusal = flow.send(due.number, due.hop);
      sentMs = monotonicMs();
      unsent = refusal === null ? 0 : unsent + 1;
      if (refusal === null) continue;
      probes.unsent(due.number);
      unsentBecause = refusal;
      if (unsent >= unsentLimit) return;
    }
  };
  for (;;) {
    signal.throwIfAborted();
    flow.look((number, answer) => probes.hear(number, answer, monotonicMs()));
    for (const number of probes.expire(monotonicMs())) flow.giveUp(number);
    const isLate = monotonicMs() >= endsAtMs;
    if (!isLate && !probes.isOver) send();
    if (isLate || probes.isOver || unsent >= unsentLimit) return { probes, isCutShort: isLate && !probes.isOver, unsentBecause };
    // Finely while near hops answer, then in steps that no round trip of theirs notices.
    await sleep(Math.min(5, 1 + (monotonicMs() - sentMs) / 20), signal);
  }
}
