import { type JobRef, tellProgress } from "#contract/agent-protocol.ts";
import type { RunProgress } from "#contract/run-progress.ts";
import { sleep } from "#daemon/sleep.ts";
import type { ControlPlane } from "./retrying-client.ts";

/** Between two that are told of one job. */
const restMs = 1_000;
const tryLimitMs = 5_000;

/** Tells how far a job is: the newest that is known, at most once a second, until `signal` aborts. What does not arrive is not missed. */
export function createProgressTeller(controlPlane: Pick<ControlPlane, "once">) {
  return ({ jobId, fence }: JobRef, signal: AbortSignal): ((progress: RunProgress) => void) => {
    let next: RunProgress | null = null;
    let isTelling = false;
    async function tell(): Promise<void> {
      isTelling = true;
      try {
        while (next !== null) {
          const progress = next;
          next = null;
          await controlPlane.once(tellProgress, { jobId, fence, progress }, { signal, limitMs: tryLimitMs }).catch(() => undefined);
          await sleep(restMs, signal);
        }
      } finally {
        isTelling = false;
      }
    }
    return (progress) => {
      next = progress;
      if (!isTelling && !signal.aborted) tell().catch(() => undefined); // the run has ended
    };
  };
}
