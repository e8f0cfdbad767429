import type { AlertChannelType } from "#contract/alert-channels.ts";
import type { NotificationStatus } from "#contract/alert-notifications.ts";
import type { CheckAlertType } from "#contract/check-alerts.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { ToldNotice } from "#domain/alerting/digest-message.ts";
import type { DocumentAddress, DocumentChange, DocumentRow, NewDocument } from "./document-store.ts";
import type { Page } from "./page.ts";
import { type ChannelChoice } from "./subscriptions-wanted.ts";

/* Who is told of what, and what they were told, see `storage.ts`. Channels themselves are documents. */

/** What a channel is subscribed to: a check or a group. */
export type SubscriptionTarget = { readonly checkUuid: string } | { readonly groupId: number };

export interface TargetChoice {
  readonly target: SubscriptionTarget;
  readonly activated: boolean;
}

export interface SubscriptionRow {
  readonly id: number;
  readonly channelId: number;
  /** Of these two one is null. */
  readonly checkUuid: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
}

/**
 * The one relation between channels and what they tell of. Checks and groups write their side of it with themselves
 * (`stores/alert-subscriptions.ts`).
 */
export interface AlertSubscriptionStore {
  /** By channel, the oldest first. The channels must be of the account that asks. */
  ofChannels(channelIds: readonly number[]): Promise<ReadonlyMap<number, readonly SubscriptionRow[]>>;
  /** By inside id of the check, in the order of the channels. */
  ofChecks(checkIds: readonly number[]): Promise<ReadonlyMap<number, readonly ChannelChoice[]>>;
  ofGroups(groupIds: readonly number[]): Promise<ReadonlyMap<number, readonly ChannelChoice[]>>;
  /**
   * @param atMost channels that the account may have
   * @throws {AppError} conflict when it has as many, invalid_input when a target is not there, naming it as an entry of `subscriptions`
   */
  createChannel<D>(channel: NewDocument<D>, targets: readonly TargetChoice[], atMost: number): Promise<DocumentRow<D>>;
  /** @param targets replace all; absent: they stay @throws {AppError} invalid_input as `createChannel` */
  updateChannel<D>(
    accountId: number,
    address: DocumentAddress,
    change: (before: DocumentRow<D>) => DocumentChange<D>,
    targets: readonly TargetChoice[] | undefined,
    nowMs: number,
  ): Promise<DocumentRow<D> | undefined>;
  /** One subscription, made or changed; undefined when there is no such channel. @throws {AppError} invalid_input for a target that is not there */
  subscribe(accountId: number, channelId: number, choice: TargetChoice): Promise<SubscriptionRow | undefined>;
}

/** Which run an alert tells of, since when and how often it failed. */
export interface AlertCause {
  /** Null where no agent ran anything. */
  readonly result: { readonly id: number; readonly runAtMs: number } | null;
  readonly errorGroup: number | null;
  readonly failingSinceMs: number | null;
  readonly failedRuns: number;
  /** 0: it is no reminder. */
  readonly reminder: number;
}

/** A check changed how it stands, and whoever follows it was to be told. */
export interface CheckAlertRow extends AlertCause {
  readonly id: number;
  readonly checkUuid: string;
  /** The check's name then. */
  readonly name: string;
  readonly alertType: CheckAlertType;
  readonly checkType: CheckTypeName;
  readonly runLocation: string;
  /** Milliseconds. */
  readonly responseTime: number;
  readonly error: string | null;
  readonly statusCode: string | null;
  readonly startedAtMs: number;
  readonly createdAtMs: number;
}

/** Instants: from the first, before the second. */
export interface AlertFilter {
  readonly page: number;
  readonly limit: number;
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface CheckAlertStore {
  /** Newest first; of one check where `checkId` is given, and of some types where `types` is. */
  list(
    accountId: number,
    filter: AlertFilter & { readonly checkId?: number; readonly types?: readonly CheckAlertType[] },
  ): Promise<Page<CheckAlertRow>>;
  /**
   * Removes up to `limit` alerts from before, with what was told of them and of locations; what is still to be told stays. And as many episodes
   * that ended before, and who was told of certificates
   * that nobody saw for as long, 30 days at least.
   *
   * @returns whether there may be more
   */
  prune(keepMs: number, nowMs: number, limit: number): Promise<boolean>;
}

/** How checks stand. Results and pings move it where they are stored. */
export interface AlertStateStore {
  /** Tells what is due by time, and what changed settings make of it, of so many checks at most. @returns how many were due */
  tick(nowMs: number, limit: number): Promise<number>;
}

/** One attempt to tell one channel of one alert, or of a location. */
export interface NotificationRow {
  readonly id: number;
  readonly about: NotifiedAlert | ToldNotice;
  readonly channelId: number;
  readonly channelType: AlertChannelType;
  readonly status: NotificationStatus;
  /** The channel's configuration then, as it is read back: without its secrets. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What the channel's service answered. */
  readonly result: string | null;
  readonly sentAtMs: number;
}

export interface NotifiedAlert {
  readonly id: number;
  readonly createdAtMs: number;
  readonly checkUuid: string;
  readonly checkType: CheckTypeName;
  readonly alertType: CheckAlertRow["alertType"];
  readonly checkResultId: string;
}

export interface AlertNotificationStore {
  /** Newest first. `failed`: those that did not arrive, or those that are not among them. `alertIds`: what was told of these alerts. */
  list(
    accountId: number,
    filter: AlertFilter & { readonly channelId?: number; readonly failed?: boolean; readonly alertIds?: readonly number[] },
  ): Promise<Page<NotificationRow>>;
}
