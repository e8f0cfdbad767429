import type { LocationNotice } from "#domain/alerting/notice-message.ts";

/** A notice that this process is to send until its claim ends. */
export interface ClaimedNotice {
  readonly id: number;
  readonly accountId: number;
  readonly channelId: number;
  /** The same for every attempt. */
  readonly deliveryId: string;
  /** This one included. */
  readonly attempts: number;
  readonly notice: LocationNotice;
}

/** What is known of locations and checks from which no data comes. */
export interface SilenceStore {
  /**
   * Looks at every location, and writes a notice for each channel that the checks concerned use.
   *
   * @param upSinceMs nobody could be heard of before: silence begins then at the earliest
   * @returns how many notices were written
   */
  look(nowMs: number, upSinceMs: number): Promise<number>;
  /** The oldest that are due and that nobody has claimed. */
  claim(nowMs: number, untilMs: number, limit: number): Promise<readonly ClaimedNotice[]>;
  /** After an attempt. @param dueAtMs of the next one; null: there is none */
  settle(noticeId: number, dueAtMs: number | null): Promise<void>;
}
