import { comparisons } from "#contract/checks/assertion.ts";
import type { AssertionChoices } from "../check-type.ts";

/** What the assertions of a type are chosen from, by their schema. */
export function assertionChoices(schema: {
  readonly shape: {
    readonly source: { readonly options: readonly string[] };
    readonly comparison: { readonly options: readonly string[] };
  };
}): AssertionChoices {
  return {
    sources: schema.shape.source.options,
    comparisons: comparisons.filter((one) => schema.shape.comparison.options.includes(one)),
  };
}
