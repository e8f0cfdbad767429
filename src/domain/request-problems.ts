import type { Assertion } from "#contract/checks/assertion.ts";
import type { ProbeType, SettingsOf } from "#contract/checks/index.ts";
import { assertionProblems, latencyProperties, patternProblems } from "./assertions/problems.ts";
import { grpcRequestProblems } from "./grpc-request.ts";
import type { InputProblem } from "./invalid-input.ts";

/** What each type holds against its request that a schema cannot say, beside assertions. A type without an entry does not compile. */
const ofTypes: { readonly [T in ProbeType]: (request: SettingsOf<T>["request"]) => readonly InputProblem[] } = {
  API: nothing,
  URL: nothing,
  TCP: expectProblems,
  DNS: nothing,
  ICMP: nothing,
  SSL: nothing,
  GRPC: (request) => grpcRequestProblems(request, { mayHoldTemplates: true }),
  TRACEROUTE: traceProblems,
};

/**
 * What is wrong with a request before its templates are filled in, each with its path; empty when nothing is.
 *
 * @param request parsed with the schema of the type
 */
export function requestProblems(type: ProbeType, request: unknown): readonly InputProblem[] {
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

/** By SCTP nobody traces: it needs raw sockets, and kernels that know it. Stored before, it stays readable, and each run says so. */
function traceProblems({ protocol, assertions }: SettingsOf<"TRACEROUTE">["request"]): readonly InputProblem[] {
  const unspoken = { path: "request.protocol", message: "must be TCP, UDP or ICMP: paths are not traced by SCTP" };
  const times = assertions.flatMap(({ source, property }, index) =>
    source !== "RESPONSE_TIME" || property === "" || latencyProperties.has(property)
      ? []
      : [{ path: `request.assertions[${index}].property`, message: "must be avg, min, max or stdDev, or empty for the average" }],
  );
  return [...(protocol === "SCTP" ? [unspoken] : []), ...times];
}

function expectProblems({ expect }: SettingsOf<"TCP">["request"]): readonly InputProblem[] {
  const problems = expect === null ? [] : patternProblems(expect);
  return problems.map((message) => ({ path: "request.expect", message: `cannot be matched: ${message}` }));
}
