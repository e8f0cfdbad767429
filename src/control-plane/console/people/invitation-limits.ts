import { hasCode } from "#domain/app-error.ts";
import { createRateLimiter } from "../../http/rate-limit.ts";

/** Each mail goes to somebody who may not have asked for it. */
const limits = {
  account: { requests: 50, windowSeconds: 3_600 },
  mailbox: { requests: 5, windowSeconds: 86_400 },
} as const;

/** Why no invitation is mailed now, and when the next one is. */
export interface TooManyInvitations {
  readonly limit: keyof typeof limits;
  readonly seconds: number;
}

/** Counts one mail with an invitation, before it is made. @returns undefined where it may go */
export type CountInvitation = (accountUuid: string, email: string) => TooManyInvitations | undefined;

/** A mailbox is counted for all accounts together. */
export function createInvitationLimits(nowMs: () => number): CountInvitation {
  const count = createRateLimiter(limits, nowMs);
  const tooMany = (limit: keyof typeof limits, caller: string): TooManyInvitations | undefined => {
    try {
      count(limit, caller);
      return undefined;
    } catch (error) {
      if (!hasCode(error, "rate_limited")) throw error;
      return { limit, seconds: Number(error.attributes["retryAfterSeconds"]) };
    }
  };
  return (accountUuid, email) => tooMany("account", accountUuid) ?? tooMany("mailbox", email.normalize("NFC").toLowerCase());
}
