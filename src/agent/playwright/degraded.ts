import { z } from "zod";
import { longestDegradation, mostDegradations, type PlaywrightError, type PlaywrightTest } from "#contract/checks/playwright-run.ts";
import { entries } from "./lenient.ts";

/** What `markCheckAsDegraded` writes, or the script itself: whatever is in it, a script wrote it. */
const Reason = z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]).transform(cut);
const Reasons = entries(Reason, mostDegradations);
const Marks = z.union([z.array(z.unknown()).pipe(Reasons), z.looseObject({ messages: Reasons }).transform(({ messages }) => messages)]);
export const mostMarkBytes = 64 * 1024;

/** Why a script said in `degraded.json` that its check is degraded, with as many reasons as it gave; null where it did not. */
export function reasonsIn(text: string): readonly string[] | null {
  if (text === "") return null;
  try {
    return Marks.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function cut(reason: string): string {
  return reason.slice(0, longestDegradation);
}

/** Degraded is what was marked and failed in soft assertions at most. A time-out never is. */
export function outcomeWith(
  isMarked: boolean,
  outcome: "passed" | "failed",
  errors: readonly PlaywrightError[],
  tests: readonly PlaywrightTest[],
): "passed" | "failed" | "degraded" {
  if (!isMarked) return outcome;
  if (outcome === "passed") return "degraded";
  const isSoftOnly = errors.length > 0 && errors.every(({ isSoft }) => isSoft);
  return isSoftOnly && tests.every(({ status }) => status !== "timedOut" && status !== "interrupted") ? "degraded" : "failed";
}
