import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Secret } from "#daemon/secret.ts";
import type { Service } from "#daemon/service.ts";
import { AppError } from "#domain/app-error.ts";
import type { WatchdogOutcome } from "../metrics/metrics.ts";
import type { ChannelHttp } from "../outgoing/http-client.ts";
import type { Works } from "./works.ts";

export interface WatchdogDeps {
  /** A ping token may be in it. */
  readonly url: Secret;
  readonly everyMs: number;
  readonly works: Pick<Works, "states">;
  readonly http: ChannelHttp;
  readonly count: (outcome: WatchdogOutcome) => void;
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

/** What stays as it is, is logged so often. */
const logEveryMs = 10 * 60_000;

/**
 * A dead man's switch: tells an address that this control plane gets all of its work done, and says nothing while it does not. Who is told
 * notices when it stays away.
 */
export function createWatchdog({ url, everyMs, works, http, count, monotonicMs, log }: WatchdogDeps): Service {
  let last: { readonly outcome: WatchdogOutcome; readonly loggedMs: number } | undefined;
  let isFirst = true;

  function note(outcome: WatchdogOutcome, reason: string): void {
    count(outcome);
    const isNew = last === undefined || last.outcome !== outcome;
    if (!isNew && (outcome === "told" || monotonicMs() - (last?.loggedMs ?? 0) < logEveryMs)) return;
    last = { outcome, loggedMs: monotonicMs() };
    if (outcome === "told") log.info({}, "the watchdog is told that this control plane is alive");
    else if (outcome === "failed") log.warn({ reason }, "could not ping the watchdog");
    else log.warn({ reason }, "not pinging the watchdog, because a part of this control plane does not work");
  }

  async function turn(signal: AbortSignal): Promise<number> {
    // One that ends again and again within an interval is not alive.
    if (isFirst) {
      isFirst = false;
      return everyMs;
    }
    const failing = Object.entries(works.states()).filter(([, { status }]) => status === "failing");
    if (failing.length > 0) note("withheld", failing.map(([work, { reason = "" }]) => `${work}: ${reason}`).join("; "));
    else await tell(signal);
    return everyMs;
  }

  async function tell(signal: AbortSignal): Promise<void> {
    try {
      const { status } = await http.send({ method: "GET", url: new URL(url.reveal()), headers: {}, body: null }, signal);
      if (status >= 200 && status < 300) note("told", "");
      else note("failed", `it answered ${status}`);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError)) throw error;
      note("failed", error.message);
    }
  }

  return loop("watchdog", turn, (error) => {
    log.error({ err: error }, "pinging the watchdog failed");
    return everyMs;
  });
}
