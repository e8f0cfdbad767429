import { SubscriberAddress } from "#contract/status-pages/subscriptions.ts";
import { hasCode } from "#domain/app-error.ts";
import type { StatusPageDefinition } from "#domain/status-pages.ts";
import { askAgainAfterMs, confirmWithinMs } from "#domain/subscriber-news.ts";
import type { FormRequest, FormRoute } from "../http/form-routes.ts";
import { hostOf, type PageAnswer } from "../http/page-routes.ts";
import { createRateLimiter } from "../http/rate-limit.ts";
import { statusPageUrlClaim } from "../kinds/page-addresses.ts";
import { type PageFinderDeps, pageFinder } from "../pages/public/page-domain.ts";
import type { DocumentRow, FollowedPage, SubscriberStore } from "../storage/storage.ts";
import { type LinkDeps, subscriptionOf } from "./links.ts";
import {
  askForAddress,
  confirmed,
  confirmQuestion,
  deadLink,
  mailIsOnItsWay,
  nothingToFollow,
  tooManyWishes,
  unsubscribed,
  unsubscribeQuestion,
} from "./subscriber-pages.ts";

export interface SubscriberRouteDeps extends PageFinderDeps, Pick<LinkDeps, "hashOf"> {
  readonly subscribers: SubscriberStore;
  /** Whether this installation sends mails at all. */
  readonly canSendMail: boolean;
  readonly nowMs: () => number;
}

/** Each of them is a mail to somebody. */
const wishesPerAddress = { requests: 30, windowSeconds: 60 };

/** How people begin and end to follow a status page by mail: a wish, a confirmation by the mailbox's owner, one click to end it. */
export function subscriberRoutes(deps: SubscriberRouteDeps): readonly FormRoute[] {
  return [...confirmRoutes(deps), ...unsubscribeRoutes(deps), wishRoute(deps)];
}

function confirmRoutes({ subscribers, hashOf, nowMs }: SubscriberRouteDeps): readonly FormRoute[] {
  const path = "/subscriptions/{token}/confirm";
  const asked = async ({ params }: FormRequest): Promise<FollowedPage | undefined> => {
    const uuid = subscriptionOf(hashOf, "confirm", params["token"] ?? "");
    const found = uuid === undefined ? undefined : await subscribers.find(uuid);
    return found !== undefined && isTooLate(found, nowMs()) ? undefined : found;
  };
  return [
    {
      method: "GET",
      path,
      answer: async (request) => {
        const found = await asked(request);
        if (found === undefined) return deadLink();
        const { status, address } = found.subscription.definition;
        return status === "VERIFIED" ? confirmed(found.page.name) : confirmQuestion(found.page.name, address);
      },
    },
    {
      method: "POST",
      path,
      answer: async (request) => {
        const found = await asked(request);
        const isVerified = found !== undefined && (await subscribers.verify(found.subscription.uuid, nowMs()));
        return isVerified ? confirmed(found.page.name) : deadLink();
      },
    },
  ];
}

function unsubscribeRoutes({ subscribers, hashOf }: SubscriberRouteDeps): readonly FormRoute[] {
  const path = "/subscriptions/{token}/unsubscribe";
  const uuidOf = ({ params }: FormRequest): string | undefined => subscriptionOf(hashOf, "unsubscribe", params["token"] ?? "");
  return [
    {
      method: "GET",
      path,
      answer: async (request) => {
        const uuid = uuidOf(request);
        if (uuid === undefined) return deadLink();
        const found = await subscribers.find(uuid);
        return found === undefined ? unsubscribed() : unsubscribeQuestion(found.page.name, found.subscription.definition.address);
      },
    },
    {
      // RFC 8058: mail programs post here by themselves when their button is pressed.
      method: "POST",
      path,
      answer: async (request) => {
        const uuid = uuidOf(request);
        if (uuid === undefined) return deadLink();
        await subscribers.end(uuid);
        return unsubscribed();
      },
    },
  ];
}

function wishRoute(deps: SubscriberRouteDeps): FormRoute {
  const count = createRateLimiter({ subscribe: wishesPerAddress }, deps.nowMs);
  return {
    method: "POST",
    path: "/status/{url}/subscribe",
    answer: async (request) => {
      try {
        count("subscribe", request.ip);
      } catch (error) {
        if (!hasCode(error, "rate_limited")) throw error;
        return tooManyWishes(Number(error.attributes["retryAfterSeconds"]));
      }
      return wish(deps, request);
    },
  };
}

function isTooLate({ subscription }: FollowedPage, nowMs: number): boolean {
  const { definition, createdAtMs, updatedAtMs } = subscription;
  return definition.status === "PENDING" && (updatedAtMs ?? createdAtMs) < nowMs - confirmWithinMs;
}

async function wish(deps: SubscriberRouteDeps, { params, form, headers }: FormRequest): Promise<PageAnswer> {
  const { subscribers, canSendMail, nowMs } = deps;
  const page = await pageFinder<StatusPageDefinition>(deps, "status-page", (url) => [statusPageUrlClaim(url)]).find({
    params,
    host: hostOf(headers),
  });
  if (page === undefined || !canSendMail) return nothingToFollow();
  const { name } = page.definition.settings;
  const typed = (form.get("address") ?? "").trim();
  const { success, data: address } = SubscriberAddress.safeParse(typed);
  if (!success) return askForAddress(name, typed);
  await ask(subscribers, page, address, nowMs());
  return mailIsOnItsWay(name, address);
}

async function ask(subscribers: SubscriberStore, page: DocumentRow, address: string, nowMs: number): Promise<void> {
  const subscription = { accountId: page.accountId, pageId: page.id, address, isVerified: false };
  const made = await subscribers.subscribe([subscription], nowMs);
  if (made === 0) await subscribers.askAgain(subscription, nowMs - askAgainAfterMs, nowMs);
}
