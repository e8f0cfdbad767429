import { withDeadline } from "#daemon/deadline.ts";
import type { Logger } from "#daemon/logger.ts";
import { attemptsAlone, type DeliveryOutcome, endless } from "#domain/alerting/delivery-plan.ts";
import { messageOf } from "#domain/alerting/digest-message.ts";
import { hasCode } from "#domain/app-error.ts";
import type { Sealing } from "../keys/sealing.ts";
import type { StoredChannel } from "../kinds/alert-channel.ts";
import { loggedConfig } from "../secrets/channel-secrets.ts";
import type { AlertDeliveryStore, ClaimedDelivery, DeliveryRecord, DocumentRow, ToldDelivery } from "../storage/storage.ts";
import { factsOfAlert, resultIdOf } from "./alert-facts.ts";
import type { ChannelSenders } from "./channels/channel-sender.ts";
import { sendToChannel } from "./channels/send-to-channel.ts";
import { episodeLink, linkForMs } from "./episode-links.ts";

export interface AttemptDeps {
  readonly alertDeliveries: Pick<AlertDeliveryStore, "told">;
  readonly senders: ChannelSenders;
  readonly sealing: Sealing;
  readonly hashOf: (text: string) => string;
  readonly publicUrl: () => string;
  readonly log: Logger;
}

/** What came of one. */
export interface Attempt {
  /** As far as it could be read. */
  readonly told: ToldDelivery;
  readonly outcome: DeliveryOutcome;
}

const sendMs = 60_000;
const internal = "not sent: an internal error, which the log of the control plane tells";

/**
 * Reads what a delivery tells, makes its message and sends it. Whatever goes wrong is an outcome, so that it is recorded and comes to an end.
 *
 * @throws whatever `signal` was aborted with
 */
export async function attemptDelivery(
  { alertDeliveries, publicUrl, hashOf, log, ...deps }: AttemptDeps,
  channel: DocumentRow<StoredChannel>,
  { deliveryId, attempts, cuts }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  let told: ToldDelivery = { alerts: [], notices: [] };
  const { id: channelId, accountId } = channel;
  const respondLink = (episodeId: number, atMs: number): string =>
    episodeLink({ hashOf, publicUrl }, { accountId, episodeId, channelId, expiresAtMs: atMs + linkForMs });
  const lost = endless(cuts);
  if (lost !== undefined) return { told, outcome: lost };
  try {
    told = await alertDeliveries.told(channel.id, deliveryId);
    const made = messageOfTold(told, deliveryId, publicUrl(), respondLink);
    if ("error" in made) {
      log.error({ err: made.error, channelId: channel.id }, "could not create an alert message");
      return { told, outcome: { ok: false, status: internal, isRetryable: false, isReceiverDown: false } };
    }
    const { message } = made;
    if (message === undefined) return { told, outcome: { ok: true, status: "nothing is left to tell: the check was deleted" } };
    const outcome = await withDeadline(signal, sendMs, "telling the channel", (bounded) =>
      sendToChannel(channel, deps, message, deliveryId, bounded),
    );
    return { told, outcome };
  } catch (error) {
    signal.throwIfAborted();
    const isLate = hasCode(error, "deadline_exceeded");
    if (!isLate) log.error({ err: error, channelId: channel.id }, "could not send an alert message");
    const status = isLate ? error.message : internal;
    // What cannot be sent spoils what it is told with: it is given up before anything joins it.
    return { told, outcome: { ok: false, status, isRetryable: isLate || attempts < attemptsAlone, isReceiverDown: isLate } };
  }
}

/** The same alerts make the same message each time, so an error is final: to try again would only hold up what waits behind it. */
function messageOfTold(
  { alerts, notices }: ToldDelivery,
  deliveryId: string,
  publicUrl: string,
  respondLink: (episodeId: number, atMs: number) => string,
): { readonly message: ReturnType<typeof messageOf> } | { readonly error: unknown } {
  try {
    return { message: messageOf({ alerts: alerts.map((alert) => factsOfAlert(alert, publicUrl, respondLink)), notices }, deliveryId) };
  } catch (error) {
    return { error };
  }
}

/** For the list of notifications. */
export function recordOf(
  channel: DocumentRow<StoredChannel>,
  { alerts }: ToldDelivery,
  { ok, status }: DeliveryOutcome,
  sentAtMs: number,
): DeliveryRecord {
  return {
    accountId: channel.accountId,
    channelId: channel.id,
    channelType: channel.definition.type,
    config: loggedConfig(channel.definition.config),
    status: ok ? "SUCCESS" : "FAILURE",
    result: status,
    sentAtMs,
    alerts: alerts.map((alert) => ({ id: alert.id, checkResultId: resultIdOf(alert) ?? "" })),
  };
}
