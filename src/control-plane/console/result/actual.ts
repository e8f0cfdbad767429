import type { CheckResult } from "#contract/check-results.ts";
import { type Assertion, assertionSources, type EvaluatedAssertion } from "#contract/checks/assertion.ts";
import { evaluateAssertions, jsonSources, textSources } from "#domain/assertions/evaluate.ts";
import type { AssertionFacts } from "#domain/assertions/facts.ts";

/** Larger ones are not searched once more for a page. */
const maxTextLength = 65_536;

/**
 * What an assertion saw that held: results keep that only of those that did not. It is read from what is stored, so of texts, which stand on the page
 * anyway, and of those that are cut off there is nothing.
 */
export function actualOf(result: CheckResult, { source, property, regex }: EvaluatedAssertion): unknown {
  const known = assertionSources.find((one) => one === source);
  const facts = factsOf(result);
  if (known === undefined || facts === null || textSources.has(known)) return undefined;
  if (jsonSources.has(known) && facts.json === undefined && facts.text() === "") return undefined;
  // A comparison that no present value passes tells what it saw.
  const asked: Assertion = { source: known, property, comparison: "IS_NULL", target: "", regex: regex ?? null };
  return evaluateAssertions([asked], facts)[0]?.actual;
}

function factsOf(result: CheckResult): AssertionFacts | null {
  const { apiCheckResult, dnsCheckResult, icmpCheckResult, sslCheckResult, responseTime } = result;
  const base = { statusCode: null, responseTimeMs: responseTime, headers: {}, text: () => "" };
  const http = apiCheckResult?.response ?? null;
  if (http !== null) {
    const isWhole = !http.truncated && http.bodyEncoding === undefined && http.body.length <= maxTextLength;
    return { ...base, statusCode: http.status, headers: lowerCased(http.headers), text: () => (isWhole ? http.body : "") };
  }
  const dns = dnsCheckResult?.response ?? null;
  if (dns !== null) return { ...base, responseCode: dns.responseCode, json: () => dns.answer };
  const pings = icmpCheckResult?.response ?? null;
  if (pings !== null) return { ...base, json: () => pings, fields: { LATENCY: pings.latency } };
  const tls = sslCheckResult?.response ?? null;
  return tls === null ? base : { ...base, json: () => tls, fields: tlsFields(tls, sslCheckResult ?? {}) };
}

function tlsFields(
  tls: NonNullable<NonNullable<CheckResult["sslCheckResult"]>["response"]>,
  { tlsVersion, baselineVerdict, baselineGrade }: Partial<NonNullable<CheckResult["sslCheckResult"]>>,
): NonNullable<AssertionFacts["fields"]> {
  const { sctCount, intermediateDaysUntilExpiry } = tls;
  return {
    CERTIFICATE: { ...tls.certificate, sctCount, intermediateDaysUntilExpiry },
    CONNECTION: { ...tls, tlsVersion, baselineVerdict, baselineGrade, baselineScore: tls.securityBaseline?.score },
  };
}

function lowerCased(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const text = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), text(value)]));
}
