import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { confirmWithinMs, nextMailAtMs } from "#domain/subscriber-news.ts";
import { deliverMail, type Mail, type MailDeps } from "../mail/deliver-mail.ts";
import type { MailText } from "../mail/mail-document.ts";
import { confirmationMail, maintenanceMail, type NewsLinks, newsMail } from "../mail/subscriber-mail.ts";
import type { ClaimedMail, SubscriberStore } from "../storage/storage.ts";
import { type LinkDeps, subscriptionLink } from "./links.ts";

export interface SubscriberMailerDeps extends LinkDeps {
  readonly subscribers: SubscriberStore;
  readonly mail: MailDeps;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly log: Logger;
  /** Between two looks where nothing waits. */
  readonly restMs?: number;
}

/** Sent at the same moment, by a connection each. */
const batchSize = 10;
/** Longer than a mail may take: who lets it pass is gone, and somebody else sends again under the same id. */
const claimMs = 120_000;
const forgetEveryMs = 3_600_000;
/** Minutes are as exact as maintenance is announced. */
const announceEveryMs = 5_000;

/**
 * Mails to those who follow status pages, apart from alerts so that neither waits for the other. At least once: a mail is claimed before and
 * settled after it, and repeated under the same id where that is missing.
 */
export function createSubscriberMailer(deps: SubscriberMailerDeps): Service {
  const { subscribers, nowMs, monotonicMs, log, restMs = 1_000 } = deps;
  let forgetAtMs = monotonicMs();
  let announceAtMs = forgetAtMs;

  async function turn(signal: AbortSignal): Promise<number> {
    if (monotonicMs() >= announceAtMs) {
      announceAtMs = monotonicMs() + announceEveryMs;
      const announced = await subscribers.announce(nowMs());
      if (announced > 0) log.info({ mails: announced }, "notifying subscribers about maintenance");
    }
    const made = await subscribers.expand(nowMs());
    if (made > 0) log.info({ mails: made }, "notifying subscribers about an incident");
    for (let count = batchSize; count === batchSize && !signal.aborted; ) {
      const claimed = await subscribers.claim(nowMs(), nowMs() + claimMs, batchSize);
      await Promise.all(claimed.map((mail) => send(mail, signal)));
      count = claimed.length;
    }
    if (monotonicMs() >= forgetAtMs) {
      forgetAtMs = monotonicMs() + forgetEveryMs;
      const forgotten = await subscribers.forgetUnconfirmed(nowMs() - confirmWithinMs);
      if (forgotten > 0) log.info({ subscriptions: forgotten }, "deleted unconfirmed subscriptions");
    }
    return restMs;
  }

  async function send(claimed: ClaimedMail, signal: AbortSignal): Promise<void> {
    const { id, attempts, createdAtMs, subscription } = claimed;
    const outcome = await deliverMail(deps.mail, mailOf(deps, claimed), signal);
    const againAtMs = outcome.ok || !outcome.isRetryable ? null : nextMailAtMs(attempts, createdAtMs, nowMs());
    await subscribers.settle(id, againAtMs, nowMs());
    // An address is no business of a log's, and servers repeat it.
    const status = outcome.status.replaceAll(subscription.address, "…");
    const told = { subscription: subscription.uuid, attempts, status };
    if (outcome.ok) log.debug(told, "notified a subscriber");
    else if (againAtMs === null) log.warn(told, "could not notify a subscriber");
    else log.debug(told, "could not notify a subscriber; retrying");
  }

  return loop("subscriber mails", turn, (error) => {
    log.error({ err: error }, "looking for mails to subscribers failed; retrying");
    return 5_000;
  });
}

function mailOf(deps: LinkDeps, { subscription, page, news, maintenance, deliveryId, createdAtMs }: ClaimedMail): Mail {
  const common = { to: subscription.address, atMs: createdAtMs, deliveryId };
  const told = (links: NewsLinks): (MailText & Pick<Mail, "thread">) | null => {
    if (news !== null) return { ...newsMail(page.name, news.incident, news.update, links), thread: `incident.${news.incident.uuid}` };
    return maintenance && { ...maintenanceMail(page.name, maintenance, links), thread: `maintenance.${maintenance.thread}` };
  };
  const unsubscribe = subscriptionLink(deps, "unsubscribe", subscription.uuid);
  const links = { page: `${deps.publicUrl().replace(/\/+$/, "")}/status/${page.url}`, unsubscribe };
  const mail = told(links);
  if (mail === null)
    return { ...common, ...confirmationMail(page.name, subscriptionLink(deps, "confirm", subscription.uuid)), thread: null };
  return {
    ...common,
    ...mail,
    // RFC 2369 and RFC 8058: the mail program's own button, which takes one click.
    headers: { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}
