import type { z } from "zod";
import { ApiCheckResult, ApiCheckSettings } from "./api.ts";

/**
 * Every check type that Outpost runs, once. Adding a type starts with a line here: `settings` is what a
 * runner gets, `result` the member of a stored result, `metrics` the phases that analytics keep (ms).
 */
export const checkTypes = {
  API: {
    settings: ApiCheckSettings,
    result: ApiCheckResult,
    resultMember: "apiCheckResult",
    metrics: ["wait", "dns", "tcp", "tls", "firstByte", "download"],
    runLimitMs: 30_000,
  },
} as const satisfies Record<string, CheckTypeEntry>;

interface CheckTypeEntry {
  readonly settings: z.ZodType;
  readonly result: z.ZodType;
  readonly resultMember: string;
  readonly metrics: readonly string[];
  readonly runLimitMs: number;
}

export type CheckType = keyof typeof checkTypes;
export type SettingsOf<T extends CheckType> = z.output<(typeof checkTypes)[T]["settings"]>;
export type ResultOf<T extends CheckType> = z.output<(typeof checkTypes)[T]["result"]>;

export function isCheckType(name: string): name is CheckType {
  return Object.hasOwn(checkTypes, name);
}
