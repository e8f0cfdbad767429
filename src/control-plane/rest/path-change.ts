import type { CheckResult } from "#contract/check-results.ts";
import { comparePaths, tracedPath } from "#domain/traceroute-path.ts";
import type { ResultRow, ResultStore } from "../storage/storage.ts";
import { membersOf } from "./result-view.ts";

/** Results that are looked through: a name of several addresses has a path for each, and some runs see none. */
const lookedAt = 10;

/**
 * Tells of a final result with a path how it differs from the last one at the same location that it can be compared with. That is looked up
 * when one result is read, so that storing results and lists of them cost nothing.
 */
export async function withPathChange(results: Pick<ResultStore, "list">, row: ResultRow, view: CheckResult): Promise<CheckResult> {
  const { tracerouteCheckResult: seen } = view;
  const now = seen === null ? null : tracedPath(seen);
  if (seen === null || now === null || row.resultType !== "FINAL") return view;
  const { checkId, locationCode, runAtMs } = row;
  const before = { checkId, locationCode, toMs: runAtMs, resultTypes: ["FINAL"], limit: lookedAt, withDetails: true } as const;
  const { items } = await results.list(before);
  for (const item of items) {
    const { tracerouteCheckResult: last } = membersOf(item, []);
    const path = last === null ? null : tracedPath(last);
    const compared = path === null ? null : comparePaths(path, now);
    if (compared === null || compared.is === "incomparable") continue;
    return { ...view, tracerouteCheckResult: { ...seen, pathChange: compared.is === "changed" ? compared.words : null } };
  }
  return { ...view, tracerouteCheckResult: { ...seen, pathChange: null } };
}
