import { z } from "zod";
import type { PlaywrightError, PlaywrightTest } from "#contract/checks/playwright-run.ts";

/** What the helper package `markCheckAsDegraded` writes; whatever is in it, a script wrote it. */
const Marks = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]);
export const mostMarkBytes = 64 * 1024;

/** Whether a script said in `degraded.json` that its check is degraded. */
export function isMarked(text: string): boolean {
  if (text === "") return false;
  try {
    return Marks.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Degraded is what was marked and failed in soft assertions at most. A time-out never is. */
export function outcomeWith(
  isDegraded: boolean,
  outcome: "passed" | "failed",
  errors: readonly PlaywrightError[],
  tests: readonly PlaywrightTest[],
): "passed" | "failed" | "degraded" {
  if (!isDegraded) return outcome;
  if (outcome === "passed") return "degraded";
  const isSoftOnly = errors.length > 0 && errors.every(({ isSoft }) => isSoft);
  return isSoftOnly && tests.every(({ status }) => status !== "timedOut" && status !== "interrupted") ? "degraded" : "failed";
}
