/** The agent's two clocks. Durations and deadlines use the first; the second only names things for people. */
export interface AgentClock {
  /** Milliseconds on a clock that never goes back, with fractions. */
  readonly monotonicMs: () => number;
  /** Epoch milliseconds on this machine's clock, which may jump. */
  readonly wallMs: () => number;
}

export const systemClock: AgentClock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };
