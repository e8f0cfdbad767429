import type { StoredIncidentUpdate } from "#domain/incidents.ts";
import type { ToldMaintenance } from "#domain/maintenance-news.ts";
import type { SubscriptionDefinition } from "#domain/status-pages.ts";
import type { DocumentRow } from "./document-store.ts";

/** Whom a page is to tell. */
export interface NewSubscription {
  readonly accountId: number;
  readonly pageId: number;
  readonly address: string;
  readonly isVerified: boolean;
}

/** Which of those who follow a page are wanted. */
export interface FollowerFilter {
  /** Part of their address, in any case; empty: all. */
  readonly search: string;
  /** Beginning at 1. */
  readonly page: number;
  readonly limit: number;
}

/** Some of those who follow a page. */
export interface Followers {
  readonly items: readonly DocumentRow<SubscriptionDefinition>[];
  /** How many the search finds. */
  readonly total: number;
  /** Of all, whatever was searched. */
  readonly verified: number;
  readonly pending: number;
}

/** A subscription with the page that it is of. */
export interface FollowedPage {
  readonly subscription: DocumentRow<SubscriptionDefinition>;
  readonly page: { readonly name: string; readonly url: string };
}

/** One mail that this process is to send until its claim ends. */
export interface ClaimedMail {
  readonly id: number;
  /** The same for every attempt. */
  readonly deliveryId: string;
  /** This one included. */
  readonly attempts: number;
  readonly createdAtMs: number;
  readonly subscription: { readonly uuid: string; readonly address: string };
  readonly page: { readonly name: string; readonly url: string };
  /** Without news and maintenance it asks for confirmation. */
  readonly news: IncidentNews | null;
  readonly maintenance: MaintenanceTold | null;
}

export interface MaintenanceTold extends ToldMaintenance {
  /** The same for all that is told of the occurrence. */
  readonly thread: string;
}

export interface IncidentNews {
  readonly incident: { readonly uuid: string; readonly name: string; readonly severity: string; readonly services: readonly string[] };
  readonly update: StoredIncidentUpdate;
}

/** Who follows status pages, and the mails that they are to get: news of incidents and the question whether they want them. */
export interface SubscriberStore {
  /**
   * Subscribes the addresses that are not subscribed yet, in any case, and asks those that are not verified to confirm.
   *
   * @returns how many it were
   */
  subscribe(subscriptions: readonly NewSubscription[], nowMs: number): Promise<number>;
  /** Asks once more who has not confirmed yet and was asked last at `askedBeforeMs` or earlier. */
  askAgain(subscription: NewSubscription, askedBeforeMs: number, nowMs: number): Promise<void>;
  find(uuid: string): Promise<FollowedPage | undefined>;
  /** Those who follow a page of the account, the oldest first. */
  ofPage(accountId: number, pageUuid: string, filter: FollowerFilter): Promise<Followers>;
  /** From now on it is told of incidents. @returns whether there is one */
  verify(uuid: string, nowMs: number): Promise<boolean>;
  /** @returns whether there was one */
  end(uuid: string): Promise<boolean>;
  /** Makes mails of news: one for each verified subscription of a page that shows a service of the incident. All or nothing. @returns how many */
  expand(nowMs: number): Promise<number>;
  /**
   * Makes mails of what maintenance windows tell since the last call in any process: one for each verified subscription of a page that shows the
   * window. The first call of all tells nothing. All or nothing. @returns how many
   */
  announce(nowMs: number): Promise<number>;
  /** The oldest mails that are due; who is claimed is due again at `untilMs`. Mails about what was deleted meanwhile or is true no more go. */
  claim(nowMs: number, untilMs: number, limit: number): Promise<readonly ClaimedMail[]>;
  /** After an attempt. @param dueAtMs of the next one; null: there is none */
  settle(mailId: number, dueAtMs: number | null, nowMs: number): Promise<void>;
  /** Forgets who was asked last before and did not confirm. @returns how many */
  forgetUnconfirmed(askedBeforeMs: number): Promise<number>;
}
