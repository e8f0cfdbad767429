import type { CheckResult } from "#contract/check-results.ts";
import { resultPageTexts } from "../../texts/result-page.ts";
import type { Tone } from "../../view/state-label.ts";

const texts = resultPageTexts.outcomes;

/** How an attempt ended, in a word. */
export function outcomeOf(result: Pick<CheckResult, "hasFailures" | "hasErrors" | "isDegraded" | "resultType" | "isCancelled">): {
  readonly tone: Tone;
  readonly text: string;
} {
  if (result.resultType === "MISSED") return { tone: "none", text: texts.missed };
  if (result.isCancelled) return { tone: "none", text: texts.cancelled };
  if (result.hasErrors || result.hasFailures) return { tone: "bad", text: texts.failed };
  return result.isDegraded ? { tone: "warn", text: texts.degraded } : { tone: "ok", text: texts.passed };
}
