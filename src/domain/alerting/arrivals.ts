import type { NotificationStatus } from "#contract/alert-notifications.ts";

/** Whether one alert arrived at one channel. `lost`: it failed, and nobody tries again. */
export type ArrivalState = "delivered" | "waiting" | "given-up" | "lost";

export interface Arrival {
  readonly alertId: number;
  readonly channelId: number;
  readonly state: ArrivalState;
  /** Of the last attempt; null: there was none. */
  readonly atMs: number | null;
  /** What the service said to it. */
  readonly answer: string | null;
}

export interface AlertAtChannel {
  readonly alertId: number;
  readonly channelId: number;
}

export interface Attempted extends AlertAtChannel {
  readonly status: NotificationStatus;
  readonly atMs: number;
  readonly answer: string | null;
}

/** By alert and channel, from every attempt (oldest first), and from what still waits or was given up. */
export function arrivalsOf(
  attempts: readonly Attempted[],
  waiting: readonly AlertAtChannel[],
  givenUp: readonly AlertAtChannel[],
): readonly Arrival[] {
  const found = new Map<string, Arrival>();
  for (const { alertId, channelId, status, atMs, answer } of attempts) {
    const before = found.get(keyOf({ alertId, channelId }));
    if (before?.state === "delivered") continue;
    found.set(keyOf({ alertId, channelId }), { alertId, channelId, state: status === "SUCCESS" ? "delivered" : "lost", atMs, answer });
  }
  const mark = (ones: readonly AlertAtChannel[], state: ArrivalState): void => {
    for (const { alertId, channelId } of ones) {
      const before = found.get(keyOf({ alertId, channelId })) ?? { atMs: null, answer: null };
      found.set(keyOf({ alertId, channelId }), { ...before, alertId, channelId, state });
    }
  };
  mark(givenUp, "given-up");
  mark(waiting, "waiting");
  return [...found.values()];
}

function keyOf({ alertId, channelId }: AlertAtChannel): string {
  return `${alertId} ${channelId}`;
}
