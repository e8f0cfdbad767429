import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import type { WorkReport } from "#daemon/work-report.ts";
import type { Gap, GapReason } from "#domain/schedule-gaps.ts";
import type { DueCheck, Firing, ScheduleStore, StorageSignals } from "../storage/storage.ts";
import { Interruptions } from "./interruptions.ts";
import { planFiring } from "./plan-firing.ts";

export interface SchedulerDeps {
  readonly schedule: Pick<ScheduleStore, "fireDue" | "nextDueMs">;
  readonly signals: Pick<StorageSignals, "onScheduleChanged">;
  readonly nowMs: () => number;
  /** Milliseconds on a clock that is never set. */
  readonly monotonicMs: () => number;
  /** Seconds between a run's due time and its firing, for the metrics. */
  readonly observeLag: (seconds: number) => void;
  readonly countGaps: (reason: GapReason, slots: number) => void;
  readonly report: WorkReport;
  readonly log: Logger;
}

/** Checks claimed in one transaction. */
const batchSize = 500;
/**
 * From one look to the next. What falls due meanwhile is fired together, as each transaction costs as much as many runs; a check that is alone is
 * fired when it is due.
 */
const sliceMs = 40;
/** Longest rest: bounds what a jump of the wall clock or a lost signal can cost. */
const longestRestMs = 5_000;
const firstBackoffMs = 250;
const longestBackoffMs = 30_000;

/** Fires due checks, then rests until the next one is due or a check changes. Errors slow it down and never stop it. */
export function createScheduler(deps: SchedulerDeps): Service {
  const { schedule, nowMs, log } = deps;
  let changed = new AbortController();
  const interruptions = new Interruptions(deps);
  let failures = 0;

  async function turn(signal: AbortSignal): Promise<number> {
    changed = new AbortController();
    const beganMs = deps.monotonicMs();
    const now = interruptions.begin();
    // By check: a transaction that is made again asks again.
    const gaps = new Map<number, readonly Gap[]>();
    const claimed = await schedule.fireDue(now, batchSize, (due) => {
      const firing = fire(due, now);
      gaps.set(due.checkId, firing.gaps);
      return firing;
    });
    failures = 0;
    interruptions.worked(claimed < batchSize);
    deps.report.worked();
    tellGaps([...gaps.values()].flat());
    if (claimed >= batchSize) return 0;
    // Where several were due, others are soon: to look again costs less than to ask when.
    const dueMs = claimed > 1 ? 0 : await schedule.nextDueMs();
    await rest(sliceMs - (deps.monotonicMs() - beganMs), signal);
    const untilDueMs = dueMs === null ? longestRestMs : Math.min(longestRestMs, dueMs - nowMs());
    await rest(untilDueMs, AbortSignal.any([signal, changed.signal]));
    return 0;
  }

  function fire(due: DueCheck, now: number): Firing {
    const firing = planFiring(due, now, interruptions.known());
    if (firing.run !== null) deps.observeLag(Math.max(0, now - firing.run.dueMs) / 1000);
    return firing;
  }

  function tellGaps(gaps: readonly Gap[]): void {
    for (const [reason, ofReason] of Map.groupBy(gaps, (gap) => gap.reason)) {
      const slots = ofReason.reduce((sum, gap) => sum + gap.slots, 0);
      deps.countGaps(reason, slots);
      log.warn({ reason, gaps: ofReason.length, slots }, "recorded slots without a run as gaps");
    }
  }

  const turns = loop("scheduler", turn, (error) => {
    failures += 1;
    interruptions.failed();
    deps.report.failed(error);
    const restMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(failures, 10));
    log.error({ err: error, restMs }, "scheduling failed; retrying");
    return restMs;
  });
  let unsubscribe = (): void => {};
  return {
    name: "scheduler",
    async start() {
      unsubscribe = deps.signals.onScheduleChanged(() => changed.abort());
      await turns.start();
    },
    async stop(deadline) {
      unsubscribe();
      await turns.stop(deadline);
    },
  };
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, signal);
}
