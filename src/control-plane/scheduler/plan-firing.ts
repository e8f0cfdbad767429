import { planRun } from "#domain/run-plan.ts";
import { datedRun, dueDecision, firstUnsettledMs } from "#domain/schedule.ts";
import { gapsOf, type Interruption, isPausedAt } from "#domain/schedule-gaps.ts";
import type { DueCheck, Firing } from "../storage/storage.ts";

/** A slot that came just before a maintenance window began still runs; later, it would run into the maintenance. */
const justBeforeMs = 5_000;

/**
 * What a due check does now: which slot it runs and where, which slots nobody ran, and when it is due again. Nothing makes up for slots that
 * maintenance paused, and a check that runs nowhere has none.
 */
export function planFiring(due: DueCheck, nowMs: number, interruptions: readonly Interruption[] = []): Firing {
  const { fire, dueMs, nextDueMs } = dueDecision({ ...due, nowMs });
  const { periodMs, settledMs, relivedMs, relives, roundRobin, pauses } = due;
  const still = { nextDueMs, settledMs, relivedMs, relives, roundRobin, run: null, gaps: [] };
  if (!fire || due.locationIds.length === 0) return still;
  const runs = !isPausedAt(pauses, dueMs) && (!isPausedAt(pauses, nowMs) || nowMs - dueMs <= justBeforeMs);
  const gaps = gapsOf({ firstMs: firstUnsettledMs(due), lastMs: runs ? dueMs - periodMs : dueMs, periodMs }, pauses, interruptions);
  if (!runs) return { ...still, gaps, settledMs: Math.max(settledMs ?? dueMs, dueMs) };
  const plan = planRun({
    locations: due.locationIds.map(String),
    privateLocations: [],
    runParallel: due.runParallel,
    roundRobinIndex: roundRobin,
  });
  const { runAtMs, ...state } = datedRun(dueMs, due);
  return {
    ...state,
    nextDueMs,
    roundRobin: plan.nextRoundRobinIndex,
    run: { dueMs: runAtMs, locationIds: plan.locations.map(Number) },
    gaps,
  };
}
