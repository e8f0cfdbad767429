/**
 * What `toSorted(compare).slice(from, to)` answers, without putting the rest in order: comparing names costs, and lists show fifty of thousands.
 */
export function sortedSlice<T>(items: readonly T[], compare: (a: T, b: T) => number, from: number, to: number): readonly T[] {
  const all = [...items];
  const [first, last] = [Math.max(0, from), Math.min(all.length, to)];
  if (first >= last) return [];
  if (first > 0) place(all, compare, first, 0);
  if (last < all.length) place(all, compare, last, first);
  return all.slice(first, last).toSorted(compare);
}

/** Moves items so that none before `at` comes after one from there on; those before `low` stay. */
function place<T>(all: T[], compare: (a: T, b: T) => number, at: number, low: number): void {
  let [from, to] = [low, all.length - 1];
  while (from < to) {
    const pivot = middle(all, compare, from, to);
    let [left, right] = [from, to];
    while (left <= right) {
      while (compare(itemAt(all, left), pivot) < 0) left += 1;
      while (compare(itemAt(all, right), pivot) > 0) right -= 1;
      if (left > right) break;
      [all[left], all[right]] = [itemAt(all, right), itemAt(all, left)];
      left += 1;
      right -= 1;
    }
    if (at <= right) to = right;
    else if (at >= left) from = left;
    else return;
  }
}

/** Of the first, the last and the one between them: lists that are in order already are not the worst case. */
function middle<T>(all: readonly T[], compare: (a: T, b: T) => number, from: number, to: number): T {
  const three = [itemAt(all, from), itemAt(all, (from + to) >> 1), itemAt(all, to)].toSorted(compare);
  return itemAt(three, 1);
}

/** An index that the loops above keep within the list. */
function itemAt<T>(all: readonly T[], index: number): T {
  return all[index] as T;
}
