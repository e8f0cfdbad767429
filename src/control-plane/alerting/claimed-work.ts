import type { Logger } from "#daemon/logger.ts";
import type { AlertDeliveryStore, ClaimedDelivery } from "../storage/storage.ts";

export interface ClaimDeps {
  readonly alertDeliveries: Pick<AlertDeliveryStore, "renew">;
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** Renewed while an attempt lasts: who lets it pass is gone, and somebody else sends again under the same id. */
export const claimMs = 15_000;
const renewEveryMs = 4_000;

/** Works on a message while its claim is this process's. @throws what `work` throws where somebody else has it: nothing is to be recorded then */
export async function whileClaimed<T>(
  { alertDeliveries, nowMs, log }: ClaimDeps,
  claimed: ClaimedDelivery & { readonly channelId: number },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    const isMine = await alertDeliveries.renew(claimed.channelId, claimed, nowMs(), nowMs() + claimMs);
    if (!isMine) lost.abort(new Error("somebody else tells the channel, as this process was late"));
  };
  const timer = setInterval(() => {
    renew().catch((error: unknown) => log.warn({ err: error, channelId: claimed.channelId }, "could not renew a claim; retrying"));
  }, renewEveryMs);
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    clearInterval(timer);
  }
}
