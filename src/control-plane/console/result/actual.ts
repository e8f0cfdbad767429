import type { CheckResult } from "#contract/check-results.ts";
import type { ApiCheckResult } from "#contract/checks/api.ts";
import { type Assertion, assertionSources, type EvaluatedAssertion } from "#contract/checks/assertion.ts";
import type { DnsCheckResult } from "#contract/checks/dns.ts";
import type { IcmpCheckResult } from "#contract/checks/icmp.ts";
import type { SslCheckResult } from "#contract/checks/ssl.ts";
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
  if (known === undefined || textSources.has(known)) return undefined;
  if (jsonSources.has(known) && facts.json === undefined && facts.text() === "") return undefined;
  // A comparison that no present value passes tells what it saw.
  const asked: Assertion = { source: known, property, comparison: "IS_NULL", target: "", regex: regex ?? null };
  return evaluateAssertions([asked], facts)[0]?.actual;
}

const nothing = { statusCode: null, headers: {}, text: () => "" };

function factsOf(result: CheckResult): AssertionFacts {
  return { ...nothing, responseTimeMs: result.responseTime, ...seenFacts(result) };
}

type Seen = Partial<AssertionFacts>;

function seenFacts({ apiCheckResult, dnsCheckResult, icmpCheckResult, sslCheckResult }: CheckResult): Seen {
  if (apiCheckResult !== null) return httpFacts(apiCheckResult);
  if (dnsCheckResult !== null) return dnsFacts(dnsCheckResult);
  if (icmpCheckResult !== null) return pingFacts(icmpCheckResult);
  return sslCheckResult === null ? {} : tlsFacts(sslCheckResult);
}

function httpFacts({ response }: ApiCheckResult): Seen {
  if (response === null) return {};
  const { status, headers, body, bodyEncoding, truncated } = response;
  const isWhole = !truncated && bodyEncoding === undefined && body.length <= maxTextLength;
  return { statusCode: status, headers: lowerCased(headers), text: () => (isWhole ? body : "") };
}

function dnsFacts({ response }: DnsCheckResult): Seen {
  return response === null ? {} : { responseCode: response.responseCode, json: () => response.answer };
}

function pingFacts({ response }: IcmpCheckResult): Seen {
  return response === null ? {} : { json: () => response, fields: { LATENCY: response.latency } };
}

function tlsFacts({ response, tlsVersion, baselineVerdict, baselineGrade }: SslCheckResult): Seen {
  if (response === null) return {};
  const { sctCount, intermediateDaysUntilExpiry, securityBaseline, certificate } = response;
  const baselineScore = securityBaseline?.score;
  const fields = {
    CERTIFICATE: { ...certificate, sctCount, intermediateDaysUntilExpiry },
    CONNECTION: { ...response, tlsVersion, baselineVerdict, baselineGrade, baselineScore },
  };
  return { json: () => response, fields };
}

function lowerCased(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const text = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), text(value)]));
}
