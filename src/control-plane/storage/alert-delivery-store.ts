import type { AlertChannelType } from "#contract/alert-channels.ts";
import type { NotificationStatus } from "#contract/alert-notifications.ts";
import type { CheckAlertType } from "#contract/check-alerts.ts";
import type { ChannelSwitches } from "#domain/alerting/channel-switches.ts";
import type { NextStep } from "#domain/alerting/delivery-plan.ts";
import type { ToldNotice } from "#domain/alerting/digest-message.ts";
import type { CheckAlertRow } from "./alerting-stores.ts";
import type { Page } from "./page.ts";

/* What each channel is still to be told, see `storage.ts`. */

/** What waits for one channel. */
export interface WaitingChannel {
  readonly channelId: number;
  readonly accountId: number;
  /** Notices of locations are counted with them. */
  readonly alerts: number;
  /** Of the oldest, which is told first: how long from now, 0 or less where it is due. */
  readonly dueInMs: number;
  /** The oldest was tried before. */
  readonly isRepeated: boolean;
}

/** An alert with what a message says of it. */
export interface ToldAlert extends CheckAlertRow {
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly groupName: string | null;
  /** The episode that it belongs to, while that is open. */
  readonly openEpisodeId: number | null;
  readonly locationName: string;
  /** Of an HTTP answer, as it came; null where it is not known. */
  readonly statusText: string | null;
  /** Where a script failed; null of other checks, and of one that failed in no step. */
  readonly failedStep: string | null;
  /** The result's page shows what its browser showed then. */
  readonly hasScreenshot: boolean;
  /** Of ALERT_SSL. */
  readonly certificate: { readonly domain: string; readonly daysRemaining: number } | null;
  /** Alerts of the same error so far, and when it was seen first. */
  readonly sameError: { readonly alerts: number; readonly firstSeenMs: number } | null;
}

/** One message that this process is to send until its claim ends. */
export interface ClaimedDelivery {
  /** The same for every attempt. */
  readonly deliveryId: string;
  /** This one included. */
  readonly attempts: number;
  /** Begun since one ended, this one included. */
  readonly cuts: number;
  /** Since its oldest alert was due first. */
  readonly waitedMs: number;
}

/** What follows an attempt that was recorded. */
export interface AfterAttempt {
  /** As it was claimed: whoever claimed it since goes on alone. */
  readonly attempts: number;
  readonly step: NextStep;
  /** What waited so long is given up with `step`. */
  readonly retryForMs: number;
}

/** What was given up: a message without its other alerts. Instants are the wall clock's. */
export interface GivenUpRow {
  readonly id: number;
  readonly channelId: number;
  /** Null: a notice. */
  readonly alert: {
    readonly id: number;
    readonly createdAtMs: number;
    readonly alertType: CheckAlertType;
    readonly checkUuid: string;
    readonly name: string;
  } | null;
  readonly sinceMs: number;
  readonly givenUpAtMs: number;
  readonly attempts: number;
  readonly because: string;
}

/** What a message tells; the oldest first. */
export interface ToldDelivery {
  readonly alerts: readonly ToldAlert[];
  readonly notices: readonly ToldNotice[];
}

/** How much of one account becomes deliveries in one transaction. */
export interface ExpandLimits {
  readonly alerts: number;
  /** An alert is one for each channel that follows its check; with many channels it is fewer alerts, one at least. */
  readonly deliveries: number;
}

/** What became deliveries. */
export interface ExpandedAlerts {
  readonly types: readonly CheckAlertType[];
  /** An account may have more of them. */
  readonly isMore: boolean;
}

/** What came of an attempt, for the list of notifications. */
export interface DeliveryRecord {
  readonly accountId: number;
  readonly channelId: number;
  readonly channelType: AlertChannelType;
  readonly config: Readonly<Record<string, unknown>>;
  readonly status: NotificationStatus;
  readonly result: string;
  readonly sentAtMs: number;
  readonly alerts: readonly { readonly id: number; readonly checkResultId: string }[];
}

export interface AlertDeliveryStore {
  /**
   * Makes deliveries of alerts that nobody was told of: one for each channel that is subscribed to the check, or to its group where the check
   * says nothing of the channel, and that wants to hear of it. Of each account so many, so that none waits until another has no more. All or
   * nothing of an account, so no alert is lost and none comes twice.
   */
  expand(
    nowMs: number,
    limits: ExpandLimits,
    wants: (channel: ChannelSwitches, alert: Pick<CheckAlertRow, "alertType">) => boolean,
  ): Promise<ExpandedAlerts>;
  /** What is still to be told of everything, and since when its oldest alert is stored. */
  backlog(): Promise<{ readonly waiting: number; readonly oldestMs: number | null }>;
  /** Channels for which something waits that nobody has claimed; who waits longest first. */
  waiting(nowMs: number): Promise<readonly WaitingChannel[]>;
  /** The oldest `count`, or what was tried together before; undefined where somebody else was faster. */
  claim(channelId: number, count: number, nowMs: number, untilMs: number): Promise<ClaimedDelivery | undefined>;
  /** What a claimed message is to tell. Apart from the claim, so that what cannot be read is an attempt that failed. */
  told(channelId: number, deliveryId: string): Promise<ToldDelivery>;
  /** Whoever sends goes on doing so. @returns false: somebody else claimed it meanwhile */
  renew(channelId: number, claimed: Pick<ClaimedDelivery, "deliveryId" | "attempts">, nowMs: number, untilMs: number): Promise<boolean>;
  /**
   * Writes what came of an attempt, and what follows; null: nothing. What is given up stands in a list of its own, and another channel of its
   * checks is to be told.
   */
  settle(deliveryId: string, record: DeliveryRecord, after: AfterAttempt | null): Promise<void>;
  /** The newest first. */
  givenUp(accountId: number, filter: GivenUpFilter): Promise<Page<GivenUpRow>>;
  /** What a channel gave up waits for it once more. @returns how many; undefined: the account has no such channel */
  sendAgain(accountId: number, channelId: number, nowMs: number): Promise<number | undefined>;
}

export interface GivenUpFilter {
  readonly channelId?: number | undefined;
  readonly page: number;
  readonly limit: number;
}
