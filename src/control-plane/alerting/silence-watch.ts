import { withDeadline } from "#daemon/deadline.ts";
import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { type DeliveryOutcome, stepAfter } from "#domain/alerting/delivery-plan.ts";
import { noticeMessage } from "#domain/alerting/notice-message.ts";
import { hasCode } from "#domain/app-error.ts";
import type { StoredChannel } from "../resources/alert-channels.ts";
import type { Sealing } from "../sealing.ts";
import type { ClaimedNotice, DocumentStore, SilenceStore } from "../storage/storage.ts";
import type { ChannelSenders } from "./channels/channel-sender.ts";
import { sendToChannel } from "./channels/send-to-channel.ts";

export interface SilenceWatchDeps {
  readonly silences: SilenceStore;
  readonly documents: Pick<DocumentStore, "find">;
  readonly senders: ChannelSenders;
  readonly sealing: Sealing;
  readonly nowMs: () => number;
  readonly log: Logger;
}

const turnMs = 5_000;
/** Sent at the same moment; the turn waits for the slowest. */
const batchSize = 100;
const sendMs = 30_000;
/** Longer than sending may take: who lets it pass is gone, and somebody else sends again under the same id. */
const claimMs = 120_000;

/**
 * Tells channels of locations whose agents went silent and of checks from which no data comes. At least once: an attempt is claimed before and
 * recorded after it, and repeated under the same delivery id where the record is missing.
 */
export function createSilenceWatch(deps: SilenceWatchDeps): Service {
  const { silences, nowMs, log } = deps;
  const upSinceMs = nowMs();

  async function turn(signal: AbortSignal): Promise<number> {
    const notices = await silences.look(nowMs(), upSinceMs);
    if (notices > 0) log.info({ notices }, "channels are told of locations or checks without data, or that they are back");
    for (let count = batchSize; count === batchSize && !signal.aborted; ) {
      const claimed = await silences.claim(nowMs(), nowMs() + claimMs, batchSize);
      await Promise.all(claimed.map((notice) => tell(notice, signal)));
      count = claimed.length;
    }
    return turnMs;
  }

  async function tell(claimed: ClaimedNotice, signal: AbortSignal): Promise<void> {
    const { id, accountId, channelId, attempts } = claimed;
    const outcome = await send(deps, claimed, signal);
    const step = stepAfter(outcome, attempts, nowMs());
    await silences.settle(id, step.kind === "again" ? step.dueAtMs : null);
    const told = { accountId, channelId, attempts, kind: claimed.notice.kind, status: outcome.status };
    if (step.kind === "given_up") log.warn({ ...told, because: step.because }, "a channel could not be told of a location");
    else log.debug({ ...told, step: step.kind }, "a channel was told of a location or will be asked again");
  }

  return loop("silence watch", turn, (error) => {
    log.error({ err: error }, "looking for locations without data failed; trying again");
    return turnMs;
  });
}

async function send(
  deps: SilenceWatchDeps,
  { accountId, channelId, deliveryId, notice }: ClaimedNotice,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const channel = await deps.documents.find<StoredChannel>(accountId, "alert-channel", { id: channelId });
  if (channel === undefined) return { ok: true, status: "nothing is left to tell: the channel was deleted" };
  try {
    const message = noticeMessage(notice);
    return await withDeadline(signal, sendMs, "telling the channel", (bounded) =>
      sendToChannel(channel, deps, message, deliveryId, bounded),
    );
  } catch (error) {
    signal.throwIfAborted();
    const isLate = hasCode(error, "deadline_exceeded");
    if (!isLate) deps.log.error({ err: error, channelId }, "a message could not be made");
    const status = isLate ? error.message : "not sent: an internal error, which the log of the control plane tells";
    return { ok: false, status, isRetryable: true, isReceiverDown: isLate };
  }
}
