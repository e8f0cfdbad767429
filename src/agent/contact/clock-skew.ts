import { noticeableSkewMs } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import type { AgentClock } from "../host/clock.ts";
import type { ControlPlaneClient } from "./control-plane-client.ts";

/** How far this machine's clock is from the control plane's, by the Date of its replies. For people: nothing is decided by it. */
export interface ClockSkew {
  /** Milliseconds ahead of the control plane, to the second; null before its first reply. */
  aheadMs(): number | null;
  /** "86400 s ahead of the control plane's", or null while the two agree. */
  text(): string | null;
}

/**
 * Looks at each reply on its way. A late look at one reply (a process that slept) is not yet a wrong clock; a wrong one is right again below
 * half the limit, so that a clock about the limit does not fill the log.
 */
export function watchClock(
  client: ControlPlaneClient,
  clock: Pick<AgentClock, "wallMs">,
  log: Pick<Logger, "info" | "warn">,
): { readonly client: ControlPlaneClient; readonly skew: ClockSkew } {
  let aheadMs: number | null = null;
  let isTold = false;

  function observe(date: string | string[] | undefined): void {
    const seenMs = skewOf(date, clock.wallMs());
    if (seenMs === null) return;
    const isOff = isTold ? Math.abs(seenMs) >= noticeableSkewMs / 2 : isNoticeable(seenMs) && isNoticeable(aheadMs ?? 0);
    aheadMs = seenMs;
    if (isOff === isTold) return;
    isTold = isOff;
    const fields = { aheadSeconds: Math.round(seenMs / 1000) };
    if (isOff)
      log.warn(fields, "this machine's clock is not the control plane's; set it by a time service, else certificates look invalid");
    else log.info(fields, "this machine's clock agrees with the control plane's again");
  }

  return {
    client: {
      async send(request, signal) {
        const reply = await client.send(request, signal);
        observe(reply.headers["date"]);
        return reply;
      },
      close: () => client.close(),
    },
    skew: { aheadMs: () => aheadMs, text: () => (aheadMs === null ? null : skewText(aheadMs)) },
  };
}

/** Milliseconds by which `wallMs` is ahead of a Date header; null where there is none. */
export function skewOf(date: string | string[] | undefined, wallMs: number): number | null {
  const serverMs = Date.parse(String(date ?? ""));
  return Number.isNaN(serverMs) ? null : wallMs - serverMs;
}

function isNoticeable(aheadMs: number): boolean {
  return Math.abs(aheadMs) >= noticeableSkewMs;
}

/** "86400 s ahead of the control plane's"; null for what nobody needs to know. */
export function skewText(aheadMs: number): string | null {
  if (!isNoticeable(aheadMs)) return null;
  return `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? "ahead of" : "behind"} the control plane's`;
}
