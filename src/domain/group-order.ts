/** What the order of a group's checks follows from. */
export interface OrderedCheck {
  /** The store's, in the order of creation. */
  readonly id: number;
  readonly groupOrder: number | null;
}

/** For sorting: by `groupOrder`, those without one last, then the oldest first (spec 2.10). */
export function compareInGroup(a: OrderedCheck, b: OrderedCheck): number {
  const [left, right] = [a.groupOrder ?? Number.POSITIVE_INFINITY, b.groupOrder ?? Number.POSITIVE_INFINITY];
  return left === right ? a.id - b.id : left - right;
}
