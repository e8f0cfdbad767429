/**
 * Rows are integers inside and UUIDs outside. The UUID carries the integer, so no index from one to the other is
 * needed. It is no secret: every look-up by it also names the account.
 */
export interface IdParts {
  /** Epoch milliseconds, 48 bits: UUIDs sort by time. */
  readonly ms: number;
  /** 0..4095: what the id names. */
  readonly slot: number;
  /** 0..2^53-1. */
  readonly n: number;
}

/** A UUID of version 8 (RFC 9562 §5.8): 48 bits time, 12 bits slot, 62 bits integer. Arguments outside their bits are a bug. */
export function uuidFrom(slot: number, ms: number, n: number): string {
  if (!fits(slot, 4_095) || !fits(ms, 2 ** 48 - 1) || !fits(n, Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`no UUID for slot ${slot}, ms ${ms}, n ${n}`);
  }
  const time = hex(ms, 12);
  const low = hex(n, 16);
  // The variant's two bits, 10, are the top of the 62-bit integer's first digit, which a safe integer leaves 0.
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hex(slot, 3)}-8${low.slice(1, 4)}-${low.slice(4)}`;
}

/** What `uuidFrom` was given; null for any text that it did not make. */
export function partsOf(uuid: string): IdParts | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/i.exec(uuid);
  if (match === null) return null;
  const [, high = "", middle = "", slot = "", top = "", low = ""] = match;
  const n = Number.parseInt(top + low, 16);
  return Number.isSafeInteger(n) ? { ms: Number.parseInt(high + middle, 16), slot: Number.parseInt(slot, 16), n } : null;
}

function fits(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= max;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
