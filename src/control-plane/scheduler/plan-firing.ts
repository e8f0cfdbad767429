import { planRun } from "#domain/run-plan.ts";
import { dueDecision } from "#domain/schedule.ts";
import type { DueCheck, Firing } from "../storage/storage.ts";

/** A run that makes up for a longer stop is dated to its real start, or its whole wait in the queue would be over already. */
const datedBackMs = 60_000;

/** What a due check does now: where it runs, and when it is due again. Nothing makes up for runs that maintenance paused. */
export function planFiring(due: DueCheck, nowMs: number): Firing {
  const decision = dueDecision({ ...due, nowMs });
  if (!decision.fire || due.isPaused) return { nextDueMs: decision.nextDueMs, roundRobin: due.roundRobin, run: null };
  const plan = planRun({
    locations: due.locationIds.map(String),
    privateLocations: [],
    runParallel: due.runParallel,
    roundRobinIndex: due.roundRobin,
  });
  const locationIds = plan.locations.map(Number);
  const dueMs = nowMs - decision.dueMs > datedBackMs ? nowMs : decision.dueMs;
  return {
    nextDueMs: decision.nextDueMs,
    roundRobin: plan.nextRoundRobinIndex,
    run: locationIds.length === 0 ? null : { dueMs, locationIds },
  };
}
