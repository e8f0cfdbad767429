import type { AssertionDraft } from "./imported.ts";

/** Above this, the statuses to be excluded one by one are too many to read. */
const maxExcluded = 60;

/**
 * Assertions that hold for exactly these statuses. All assertions of a check must hold, so a list becomes its range without the
 * statuses between.
 *
 * @returns `isExact` false when the list has too many gaps: then its whole range is allowed
 */
export function allowStatuses(statuses: readonly number[]): { readonly assertions: readonly AssertionDraft[]; readonly isExact: boolean } {
  const wanted = new Set(statuses);
  const [low, high] = [Math.min(...wanted), Math.max(...wanted)];
  if (low === high) return { assertions: [status("EQUALS", low)], isExact: true };
  const range = [status("GREATER_THAN", low - 1), status("LESS_THAN", high + 1)];
  const between = Array.from({ length: high - low }, (_, index) => low + index).filter((one) => !wanted.has(one));
  if (between.length > maxExcluded) return { assertions: range, isExact: false };
  return { assertions: [...range, ...between.map((one) => status("NOT_EQUALS", one))], isExact: true };
}

/** Any status of the class: 2 is 200 to 299. */
export function allowStatusClass(digit: number): AssertionDraft[] {
  return [status("GREATER_THAN", digit * 100 - 1), status("LESS_THAN", (digit + 1) * 100)];
}

/** Whatever status came: otherwise one of 400 or more fails the check (behaviour 2.2). */
export const anyStatus: AssertionDraft = { source: "STATUS_CODE", comparison: "GREATER_THAN", target: "0" };

function status(comparison: AssertionDraft["comparison"], target: number): AssertionDraft {
  return { source: "STATUS_CODE", comparison, target: String(target) };
}
