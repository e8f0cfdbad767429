import { oneLine } from "../alerting/plain-text.ts";

/** A part of a run, and how long it took. */
export interface Phase {
  /** As results call it: `dns`, `firstByte`; of a script what the step is called. */
  readonly name: string;
  readonly isStep: boolean;
  readonly ms: number;
}

/** `wait` is the agent's own. */
const noPhase: ReadonlySet<string> = new Set(["total", "wait"]);
const [mostPhases, longestName] = [200, 200];

/** @param seen the member of the check type, as it is stored */
export function phasesOf(seen: Readonly<Record<string, unknown>>): readonly Phase[] {
  const times = objectIn(objectIn(seen["response"])?.["timingPhases"] ?? seen["timingPhases"]);
  if (times !== null) {
    const entries = Object.entries(times).filter((one): one is [string, number] => typeof one[1] === "number" && !noPhase.has(one[0]));
    return entries.map(([name, ms]) => ({ name, isStep: false, ms }));
  }
  const steps = Array.isArray(seen["steps"]) ? seen["steps"].map(objectIn) : [];
  return steps.flatMap((step) => stepPhase(step)).slice(0, mostPhases);
}

/** What a script does itself; what a step of its own consists of is part of it. */
function stepPhase(step: Readonly<Record<string, unknown>> | null): readonly Phase[] {
  const { title, durationMs, depth } = step ?? {};
  if (typeof title !== "string" || typeof durationMs !== "number" || depth !== 0) return [];
  return [{ name: oneLine(title, longestName), isStep: true, ms: durationMs }];
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : null;
}
