/** A channel as a check or a group names it. */
export interface ChannelChoice {
  readonly alertChannelId: number;
  readonly activated: boolean;
}

/** What a check or a group wants its subscriptions to become; nothing given leaves them. */
export interface SubscriptionsWanted {
  /** Replaces them all. Of two that name one channel the last counts. */
  readonly named?: readonly ChannelChoice[];
  /** On creation, beside the named ones: every channel of the account, or those that subscribe themselves to what is new. */
  readonly joining?: "all" | "automatic";
}
