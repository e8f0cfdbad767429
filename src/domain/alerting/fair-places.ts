/** Has a place at which one channel is told, or waits for one. */
export interface Placed {
  readonly accountId: number;
  /** Its receiver took long the last time. */
  readonly isSlow: boolean;
}

export interface PlaceLimits {
  /** Of all accounts together, but that an account's first place is always there. */
  readonly total: number;
  readonly account: number;
  /** Of an account's own, for its slow receivers: its others do not wait for them. */
  readonly slow: number;
}

/**
 * Who gets a place now. Accounts take turns, those with the fewest places first, so that nobody who wants little waits for somebody who wants
 * much; an account's own are in the order of `waiting`. Where a message goes does not matter: what many use, such as a chat or a mail server, is
 * shared like all else.
 */
export function fairPlaces<T extends Placed>(waiting: readonly T[], taken: readonly Placed[], limits: PlaceLimits): readonly T[] {
  const takenBy = Map.groupBy(taken, ({ accountId }) => accountId);
  const wishes = [...Map.groupBy(waiting, ({ accountId }) => accountId)].flatMap(([accountId, own]) => {
    const before = takenBy.get(accountId) ?? [];
    return wishesOf(own, before, limits).map((one, index) => ({ one, place: before.length + index + 1 }));
  });
  const ranked = wishes.toSorted((a, b) => a.place - b.place);
  return ranked.filter(({ place }, index) => place === 1 || taken.length + index < limits.total).map(({ one }) => one);
}

/** Of one account, in order: what it may have beside what it has. */
function wishesOf<T extends Placed>(waiting: readonly T[], taken: readonly Placed[], { account, slow }: PlaceLimits): readonly T[] {
  let slowLeft = slow - taken.filter(({ isSlow }) => isSlow).length;
  const fitting = waiting.filter(({ isSlow }) => !isSlow || slowLeft-- > 0);
  return fitting.slice(0, Math.max(0, account - taken.length));
}
