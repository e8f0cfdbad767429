import type { Assertion } from "#contract/checks/assertion.ts";
import { decimalOf, quoted } from "./comparison.ts";
import { jsonSources, targetProblem, textSources } from "./evaluate.ts";
import { jsonPathOf } from "./json-path.ts";
import { patternOf } from "./pattern.ts";

/** The figures of several round trips. */
export const latencyProperties: ReadonlySet<string> = new Set(["avg", "min", "max", "stdDev"]);

/** What is wrong with an assertion whatever the response: told when the check is saved. Empty when nothing is. */
export function assertionProblems(assertion: Assertion): string[] {
  const { source, comparison, property, target, regex } = assertion;
  const problems: string[] = [];
  if (jsonSources.has(source)) problems.push(...problemOf(jsonPathOf(property)));
  if (textSources.has(source)) problems.push(...patternProblems(property));
  if (source === "LATENCY" && !latencyProperties.has(property)) {
    problems.push(`the property must be avg, min, max or stdDev, received ${quoted(property)}`);
  }
  if ((source === "HEADERS" || source === "GRPC_METADATA") && regex) problems.push(...patternProblems(regex));
  const unfit = targetProblem(assertion);
  if (unfit !== undefined) problems.push(unfit);
  else if ((comparison === "GREATER_THAN" || comparison === "LESS_THAN") && decimalOf(target) === undefined) {
    problems.push(`the target ${quoted(target)} is not a number`);
  }
  return problems;
}

/** What is wrong with a regular expression; empty when nothing is. */
export function patternProblems(source: string): string[] {
  return problemOf(patternOf(source));
}

function problemOf(compiled: object | { readonly problem: string }): string[] {
  return "problem" in compiled ? [compiled.problem] : [];
}
