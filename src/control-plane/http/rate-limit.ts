import { AppError } from "#domain/app-error.ts";
import type { AuditActor } from "../storage/storage.ts";
import { networkOf } from "./network-of.ts";

/** Counts one request of a caller against a class. @throws {AppError} rate_limited */
export type CountRequest = (limitClass: string, caller: string) => void;

export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

interface Window {
  count: number;
  readonly endsAtMs: number;
}

/** Whose window it is: of a person one, however often he signed in, and whether he sends forms or his pages call operations. */
export function actorId(actor: AuditActor): string {
  return "keyId" in actor ? actor.keyId : `user ${actor.userId}`;
}

/** Whoever floods us from a million addresses does not fill our memory: the oldest window goes. */
const maxWindows = 100_000;

/**
 * Fixed windows per caller and class, in memory: each process counts for itself. Finished windows go as new ones
 * come, so memory follows the number of active callers. Of callers that are remote addresses the network counts.
 *
 * @returns a function that counts one request. It throws AppError rate_limited when the window is full.
 */
export function createRateLimiter(limits: Readonly<Record<string, RateLimit | undefined>>, nowMs: () => number): CountRequest {
  const windows = new Map<string, Window>();
  let sweepAtMs = 0;

  return (limitClass, caller) => {
    const limit = limits[limitClass];
    if (limit === undefined) return;
    const now = nowMs();
    if (now >= sweepAtMs) {
      for (const [id, window] of windows) if (window.endsAtMs <= now) windows.delete(id);
      sweepAtMs = now + 10_000;
    }
    const id = `${limitClass} ${networkOf(caller)}`;
    let window = windows.get(id);
    // It ends later than a new one would: the clock was set back.
    const isOver = window === undefined || window.endsAtMs <= now || window.endsAtMs > now + limit.windowSeconds * 1000;
    if (window === undefined || isOver) {
      window = { count: 0, endsAtMs: now + limit.windowSeconds * 1000 };
      windows.set(id, window);
      const oldest = windows.keys().next();
      if (windows.size > maxWindows && oldest.done !== true) windows.delete(oldest.value);
    }
    window.count += 1;
    if (window.count <= limit.requests) return;
    throw new AppError("rate_limited", `More than ${limit.requests} requests in ${limit.windowSeconds} seconds (limit "${limitClass}")`, {
      attributes: {
        retryAfterSeconds: Math.ceil((window.endsAtMs - now) / 1000),
        limit: limit.requests,
        windowSeconds: limit.windowSeconds,
      },
    });
  };
}
