/**
 * Deep equality of two JSON values, whatever the order of keys. A loop, because what a target sends may be a
 * million levels deep. `visit` is told how many values each step looks at, and may throw to give up.
 */
export function sameJson(left: unknown, right: unknown, visit: (values: number) => void = () => {}): boolean {
  const pending: [unknown, unknown][] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    const others = Object.keys(b).length;
    visit(keys.length + others);
    if (keys.length !== others) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      pending.push([a[key], b[key]]);
    }
  }
  return true;
}

/** An object or an array, not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
