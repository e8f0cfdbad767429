import type { Logger } from "#daemon/logger.ts";
import type { WorkReport } from "#daemon/work-report.ts";
import { AppError } from "#domain/app-error.ts";

/** What a control plane has to do all the time. */
export const works = ["reading", "writing", "scheduling", "delivering"] as const;
export type Work = (typeof works)[number];

export interface WorkState {
  readonly status: "ok" | "failing";
  /** In ISO 8601: of this status. */
  readonly since: string;
  /** Why it fails. */
  readonly reason?: string;
  /** How long it took when it was done last: writing tells a disk or a database that is slow. */
  readonly tookMs?: number;
}

export interface Works {
  readonly reportOf: (work: Work) => WorkReport;
  /** For what no later success mends. */
  readonly giveUp: (work: Work, reason: string) => void;
  readonly states: () => Readonly<Record<Work, WorkState>>;
}

/** Every loop tells something much more often. */
const longestSilenceMs = 60_000;

interface Kept extends WorkState {
  readonly isGivenUp: boolean;
  readonly heardMs: number;
}

interface WorksDeps {
  readonly nowMs: () => number;
  /** Milliseconds that no step of the clock moves. */
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

/**
 * Whether each work gets done, since when, and why not; each change is told in the log once. A loop that is silent for a minute fails, too.
 * Reading has no loop: probes read.
 */
export function createWorks({ nowMs, monotonicMs, log }: WorksDeps): Works {
  const now = () => ({ since: new Date(nowMs()).toISOString(), heardMs: monotonicMs() });
  const kept = new Map<Work, Kept>(works.map((work) => [work, { status: "ok", isGivenUp: false, ...now() }]));
  const of = (work: Work): Kept => kept.get(work) as Kept; // each is there from the start

  function worked(work: Work, tookMs?: number): void {
    const before = of(work);
    if (before.isGivenUp) return;
    const took = tookMs === undefined ? {} : { tookMs };
    if (before.status === "ok") return void kept.set(work, { ...before, ...took, heardMs: monotonicMs() });
    kept.set(work, { status: "ok", isGivenUp: false, ...took, ...now() });
    log.info({ work, since: before.since }, "it works again");
  }

  function failed(work: Work, reason: string, isGivenUp = false): void {
    const before = of(work);
    if (before.isGivenUp) return;
    if (before.status === "failing" && !isGivenUp) return void kept.set(work, { ...before, reason });
    kept.set(work, { status: "failing", reason, isGivenUp, ...now() });
    log.error({ work, reason }, "it does not work any more");
  }

  function lookForSilence(): void {
    for (const work of works) {
      const silentMs = monotonicMs() - of(work).heardMs;
      if (work !== "reading" && of(work).status === "ok" && silentMs > longestSilenceMs)
        failed(work, `nothing was done for ${longestSilenceMs / 1_000} s`);
    }
  }

  return {
    reportOf: (work) => ({ worked: (tookMs) => worked(work, tookMs), failed: (error) => failed(work, reasonOf(error)) }),
    giveUp: (work, reason) => failed(work, reason, true),
    states() {
      lookForSilence();
      const shown = ({ isGivenUp: _isGivenUp, heardMs: _heardMs, ...state }: Kept): WorkState => state;
      return Object.fromEntries(works.map((work) => [work, shown(of(work))])) as Record<Work, WorkState>;
    },
  };
}

/** Probes need no key: they are told no more than what this program says of a store. */
function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : "an error that the log has";
}
