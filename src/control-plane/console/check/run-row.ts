import type { CheckResult } from "#contract/check-results.ts";

/** What the list of runs tells of each. */
export const runFields = [
  "id",
  "resultType",
  "startedAt",
  "created_at",
  "runLocation",
  "responseTime",
  "hasFailures",
  "hasErrors",
  "isDegraded",
  "isCancelled",
  "errorMessage",
] as const satisfies readonly (keyof CheckResult)[];

export type RunRow = Pick<CheckResult, (typeof runFields)[number]>;
