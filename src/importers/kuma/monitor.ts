import type { ImportedType } from "../imported.ts";
import type { Fields } from "../yaml-text.ts";

/** A check of a monitor, without what all checks of it share. */
export interface MonitorCheck {
  readonly checkType: ImportedType;
  /** What tells it from the other checks of the monitor. */
  readonly nameSuffix?: string;
  readonly [field: string]: unknown;
}

/** Kuma writes 0 and 1, and false and true. */
export function isOn(value: unknown): boolean {
  return value === true || value === 1;
}

/** Kuma's time-outs are in seconds. */
export function timeoutOf({ timeout }: Fields): number | undefined {
  return typeof timeout === "number" && timeout > 0 ? timeout * 1_000 : undefined;
}
