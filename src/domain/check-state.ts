import { isPinged } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";

/** How a check stands, as lists of checks and dashboards tell it. */
export type CheckState = "failing" | "degraded" | "passing" | "no data";

/** What needs somebody first. */
export const checkStates = ["failing", "degraded", "no data", "passing"] as const satisfies readonly CheckState[];

/** The longest interval is a day; who is silent for longer tells nothing. Heartbeats may wait for months, and say themselves when they fail. */
const staleMs = 25 * 3_600_000;

interface Told {
  readonly type: CheckTypeName;
  /** Null when it has not run. */
  readonly latest: { readonly startedAtMs: number; readonly status: Exclude<CheckState, "no data"> } | null;
}

export function stateOf({ latest, type }: Told, nowMs: number): CheckState {
  if (latest === null || (!isPinged(type) && latest.startedAtMs < nowMs - staleMs)) return "no data";
  return latest.status;
}
