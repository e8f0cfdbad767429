import type { ApiAssertion } from "#contract/checks/api.ts";
import { decimalOf, quoted } from "./comparison.ts";
import { targetProblem } from "./evaluate.ts";
import { jsonPathOf } from "./json-path.ts";
import { patternOf } from "./pattern.ts";

/** What is wrong with an assertion whatever the response: told when the check is saved. Empty when nothing is. */
export function assertionProblems(assertion: ApiAssertion): string[] {
  const { source, comparison, property, target, regex } = assertion;
  const problems: string[] = [];
  if (source === "JSON_BODY") problems.push(...problemOf(jsonPathOf(property)));
  if (source === "TEXT_BODY") problems.push(...problemOf(patternOf(property)));
  if (source === "HEADERS" && regex) problems.push(...problemOf(patternOf(regex)));
  const unfit = targetProblem(assertion);
  if (unfit !== undefined) problems.push(unfit);
  else if ((comparison === "GREATER_THAN" || comparison === "LESS_THAN") && decimalOf(target) === undefined) {
    problems.push(`the target ${quoted(target)} is not a number`);
  }
  return problems;
}

function problemOf(compiled: object | { readonly problem: string }): string[] {
  return "problem" in compiled ? [compiled.problem] : [];
}
