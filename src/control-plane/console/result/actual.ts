import type { CheckResult } from "#contract/check-results.ts";
import { type Assertion, assertionSources, type EvaluatedAssertion } from "#contract/checks/assertion.ts";
import { evaluateAssertions, jsonSources, textSources } from "#domain/assertions/evaluate.ts";
import type { AssertionFacts } from "#domain/assertions/facts.ts";
import { detailsOf } from "../check-types/details-of.ts";

/**
 * What an assertion saw that held: results keep that only of those that did not. It is read from what is stored, so of texts, which stand on the page
 * anyway, and of those that are cut off there is nothing.
 */
export function actualOf(result: CheckResult, { source, property, regex }: EvaluatedAssertion): unknown {
  const known = assertionSources.find((one) => one === source);
  const facts = factsOf(result);
  if (known === undefined || textSources.has(known)) return undefined;
  if (jsonSources.has(known) && facts.json === undefined && facts.text() === "") return undefined;
  // A comparison that no present value passes tells what it saw.
  const asked: Assertion = { source: known, property, comparison: "IS_NULL", target: "", regex: regex ?? null };
  return evaluateAssertions([asked], facts)[0]?.actual;
}

const nothing = { statusCode: null, headers: {}, text: () => "" };

function factsOf(result: CheckResult): AssertionFacts {
  return { ...nothing, responseTimeMs: result.responseTime, ...detailsOf(result).facts() };
}
