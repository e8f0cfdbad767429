import type { Assertion } from "#contract/checks/assertion.ts";
import type { CheckType, SettingsOf } from "#contract/checks/index.ts";
import { assertionProblems, patternProblems } from "./assertions/problems.ts";
import { grpcRequestProblems } from "./grpc-request.ts";
import type { InputProblem } from "./invalid-input.ts";

/** What each type holds against its request that a schema cannot say, beside assertions. A type without an entry does not compile. */
const ofTypes: { readonly [T in CheckType]: (request: SettingsOf<T>["request"]) => readonly InputProblem[] } = {
  API: nothing,
  URL: nothing,
  TCP: expectProblems,
  DNS: nothing,
  ICMP: nothing,
  SSL: nothing,
  GRPC: (request) => grpcRequestProblems(request, { mayHoldTemplates: true }),
};

/**
 * What is wrong with a request before its templates are filled in, each with its path; empty when nothing is.
 *
 * @param request parsed with the schema of the type
 */
export function requestProblems(type: CheckType, request: unknown): readonly InputProblem[] {
  const ofType = ofTypes[type] as (request: unknown) => readonly InputProblem[]; // it was parsed with the type's schema
  const { assertions } = request as { readonly assertions: readonly Assertion[] };
  const problems = assertions.flatMap((assertion, index) =>
    assertionProblems(assertion).map((message) => ({ path: `request.assertions[${index}]`, message: `cannot be evaluated: ${message}` })),
  );
  return [...problems, ...ofType(request)];
}

function nothing(): readonly InputProblem[] {
  return [];
}

function expectProblems({ expect }: SettingsOf<"TCP">["request"]): readonly InputProblem[] {
  const problems = expect === null ? [] : patternProblems(expect);
  return problems.map((message) => ({ path: "request.expect", message: `cannot be matched: ${message}` }));
}
