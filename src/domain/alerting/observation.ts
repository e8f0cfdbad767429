/** What a run says of its target, or a check's runs together. */
export type Standing = "passing" | "degraded" | "failing";

/** One run's end, at one location. */
export interface Observation {
  /** Epoch ms of now. */
  readonly atMs: number;
  readonly locationId: number;
  /** Of the run's start and end, as the agent told. */
  readonly startedAtMs: number;
  readonly stoppedAtMs: number;
  /** Tells runs apart that started together. */
  readonly resultId: number;
  /** When it was due. */
  readonly runAtMs?: number;
  /** The store's number of its error, where it has one. */
  readonly errorGroup?: number | null;
  /** Null: it says nothing of the target. */
  readonly verdict: Standing | null;
  /** Null where nobody ran anything: a heartbeat. */
  readonly agentId: string | null;
}

/**
 * What a result says of its target. Nothing, where another attempt follows, nobody ran it, somebody cancelled it or the agent's own side
 * spoiled it: such a run neither counts as a failure nor ends one.
 */
export function verdictOf(result: {
  readonly resultType: "FINAL" | "ATTEMPT" | "MISSED";
  readonly hasFailures: boolean;
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly isCancelled: boolean;
  readonly agentSide: boolean;
}): Standing | null {
  if (result.resultType !== "FINAL" || result.isCancelled || result.agentSide) return null;
  if (result.hasFailures || result.hasErrors) return "failing";
  return result.isDegraded ? "degraded" : "passing";
}

const severities = { passing: 0, degraded: 1, failing: 2 } as const;

export function isAtLeast(standing: Standing, level: Standing): boolean {
  return severities[standing] >= severities[level];
}
