import type { CheckResult } from "#contract/check-results.ts";
import type { Tone } from "../../pages/public/state-label.ts";

/** How an attempt ended, in a word. */
export function outcomeOf(result: Pick<CheckResult, "hasFailures" | "hasErrors" | "isDegraded" | "resultType" | "isCancelled">): {
  readonly tone: Tone;
  readonly text: string;
} {
  if (result.resultType === "MISSED") return { tone: "none", text: "missed" };
  if (result.isCancelled) return { tone: "none", text: "cancelled" };
  if (result.hasErrors || result.hasFailures) return { tone: "bad", text: "failed" };
  return result.isDegraded ? { tone: "warn", text: "degraded" } : { tone: "ok", text: "passed" };
}
