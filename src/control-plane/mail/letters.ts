import type { Logger } from "#daemon/logger.ts";
import type { Service } from "#daemon/service.ts";
import { deliverMail, type MailDeps, usualMailLimits } from "./deliver-mail.ts";
import type { MailText } from "./mail-document.ts";

/** Mails to people that a page sends while they wait for it, without a queue: who gets none asks again. */
export interface Letters extends Service {
  /** Whether this installation sends mails at all. */
  readonly canSend: boolean;
  /** @returns whether the mail server took it */
  readonly send: (to: string, text: MailText) => Promise<boolean>;
  /** What goes on after the page was answered, so that nobody learns by the time it takes what was done. */
  readonly behind: (work: () => Promise<void>) => void;
}

/** Somebody looks at a page that does not come. */
const wholeMs = 10_000;
/** Whoever floods us does not take all memory and connections. */
const maxBehind = 100;

export function createLetters({
  mail,
  log,
  nowMs,
}: {
  readonly mail: MailDeps;
  readonly log: Logger;
  readonly nowMs: () => number;
}): Letters {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const limits = { ...(mail.limits ?? usualMailLimits), wholeMs };

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error }, "did not send a mail to a person");
    }
  }

  return {
    name: "letters",
    canSend: mail.smtp !== null,
    async send(to, text) {
      const deliveryId = crypto.randomUUID();
      const outcome = await deliverMail({ ...mail, limits }, { to, ...text, atMs: nowMs(), deliveryId, thread: null }, stopping.signal);
      // An address is no business of a log's, and servers repeat it.
      const told = { deliveryId, status: outcome.status.replaceAll(to, "…") };
      if (outcome.ok) log.info(told, "sent a mail to a person");
      else log.warn(told, "could not send a mail to a person");
      return outcome.ok;
    },
    behind(work) {
      if (running.size >= maxBehind) {
        log.warn({ running: running.size }, "too many mails to people at once; dropped one");
        return;
      }
      const mine: Promise<void> = attempt(work).finally(() => running.delete(mine));
      running.add(mine);
    },
    start: async () => undefined,
    async stop(deadline) {
      deadline.addEventListener("abort", () => stopping.abort(deadline.reason));
      if (deadline.aborted) stopping.abort(deadline.reason);
      await Promise.all(running);
    },
  };
}
