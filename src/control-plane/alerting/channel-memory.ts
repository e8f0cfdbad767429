import { type Breaker, breakerAfter, closedBreaker, restMs } from "#domain/alerting/breaker.ts";
import type { DeliveryOutcome } from "#domain/alerting/delivery-plan.ts";
import { type ChannelBudget, nextMessage } from "#domain/alerting/digest-plan.ts";
import type { Placed } from "#domain/alerting/fair-places.ts";
import type { WaitingChannel } from "../storage/storage.ts";

interface Remembered {
  readonly sentAtMs: readonly number[];
  readonly breaker: Breaker;
  /** The last attempt took long, whatever came of it. */
  readonly isSlow: boolean;
  /** Something had no room in its budget since the last message. */
  readonly isHeldBack: boolean;
}

const nothing: Remembered = { sentAtMs: [], breaker: closedBreaker, isSlow: false, isHeldBack: false };
const hourMs = 3_600_000;
const slowMs = 2_000;

export interface ReadyChannel extends Placed {
  readonly channelId: number;
  /** How many of the alerts that wait its next message takes. */
  readonly count: number;
}

/** What came of an attempt. */
export interface EndedAttempt {
  /** Made so far, this one included. */
  readonly attempts: number;
  readonly outcome: DeliveryOutcome;
  readonly tookMs: number;
}

/** What this process knows of the pace of channels, by monotonic time: `nowMs` here is no time of day. After a restart it begins anew: at worst a channel gets one budget more. */
export class ChannelMemory {
  readonly #budget: ChannelBudget;
  readonly #channels = new Map<number, Remembered>();

  constructor(budget: ChannelBudget) {
    this.#budget = budget;
  }

  /** Those of `waiting` that may be told now. */
  ready(waiting: readonly WaitingChannel[], nowMs: number): readonly ReadyChannel[] {
    const counted = waiting.map((channel) => ({
      channelId: channel.channelId,
      accountId: channel.accountId,
      isSlow: this.#channels.get(channel.channelId)?.isSlow ?? false,
      count: this.#countFor(channel, nowMs),
    }));
    return counted.filter(({ count }) => count > 0);
  }

  /** 0: not now. What is repeated was counted when it was sent first. */
  #countFor({ channelId, alerts, dueInMs, isRepeated }: WaitingChannel, nowMs: number): number {
    const known = this.#channels.get(channelId) ?? nothing;
    if (dueInMs > 0 || restMs(known.breaker, nowMs) > 0) return 0;
    if (isRepeated) return 1;
    const next = nextMessage(alerts, known.sentAtMs, this.#budget, nowMs, known.isHeldBack);
    if (next.kind === "wait") this.#channels.set(channelId, { ...known, isHeldBack: true });
    return next.kind === "send" ? next.count : 0;
  }

  /** Channels that rest because their receivers are down. */
  openBreakers(nowMs: number): number {
    return [...this.#channels.values()].filter(({ breaker }) => restMs(breaker, nowMs) > 0).length;
  }

  remember(channelId: number, { attempts, outcome, tookMs }: EndedAttempt, nowMs: number): void {
    const known = this.#channels.get(channelId) ?? nothing;
    const recent = known.sentAtMs.filter((at) => at > nowMs - hourMs);
    const isFirst = attempts === 1;
    this.#channels.set(channelId, {
      sentAtMs: isFirst ? [...recent, nowMs] : recent,
      breaker: breakerAfter(known.breaker, outcome, nowMs),
      isSlow: tookMs >= slowMs,
      isHeldBack: !isFirst && known.isHeldBack,
    });
  }
}
