import { describe, expect, it } from "vitest";
import { type CheckType, checkTypes, type ResultOf, type SettingsOf } from "#contract/checks/index.ts";
import { checkRules } from "#domain/check-rules.ts";
import { judgeAttempt, type Verdict } from "#domain/verdict.ts";
import { checkDetails } from "../support/check-details.ts";

interface Given {
  readonly settings?: object;
  readonly request?: object;
  readonly failure?: { readonly code: string; readonly message: string } | null;
  readonly response?: object | null;
  readonly responseTimeMs?: number;
}

const requests = {
  TCP: { hostname: "db.example", port: 5432 },
  DNS: { query: "www.example", recordType: "A" },
  ICMP: { hostname: "host.example" },
  SSL: { sslConfig: { hostname: "www.example", alertDaysBeforeExpiry: 20 } },
  GRPC: { url: "grpc.example", grpcConfig: { service: "shop.Orders", method: "Get" } },
  TRACEROUTE: { url: "host.example" },
} as const;
const limits = {
  degradedResponseTime: 500,
  maxResponseTime: 1_000,
  degradedPacketLossThreshold: 10,
  maxPacketLossThreshold: 20,
};

function judge<T extends keyof typeof requests>(
  type: T,
  { settings, request, failure = null, response, responseTimeMs = 10 }: Given,
): Verdict {
  const parsed = checkTypes[type as CheckType].settings.parse({ ...limits, request: { ...requests[type], ...request }, ...settings });
  const detail = checkDetails[type];
  const seen = response === null ? null : { ...(detail.response as object), ...response };
  const result = { ...detail, response: seen } as unknown as ResultOf<T>;
  const rules = checkRules[type](parsed as SettingsOf<T>, { responseTimeMs, statusCode: null, failure, result });
  return judgeAttempt({ ...rules, statusCode: null, failure, assertions: null });
}

const outcome = ({ hasFailures, isDegraded }: Verdict): string => (hasFailures ? "fails" : isDegraded ? "is degraded" : "passes");
const failing = (code: string) => ({ failure: { code, message: "it did not work" }, response: null });

describe("a TCP check", () => {
  it.each([
    ["that connects", {}, "passes"],
    ["that takes long", { responseTimeMs: 501 }, "is degraded"],
    ["that takes too long", { responseTimeMs: 1_001 }, "fails"],
    ["that is refused", failing("ECONNREFUSED"), "fails"],
    ["that should fail and is refused", { ...failing("ECONNREFUSED"), settings: { shouldFail: true } }, "passes"],
    ["that should fail and times out", { ...failing("ETIMEDOUT"), responseTimeMs: 10_000, settings: { shouldFail: true } }, "passes"],
    ["that should fail and finds no such host", { ...failing("ENOTFOUND"), settings: { shouldFail: true } }, "fails"],
    ["that should fail and may not be made", { ...failing("EPOLICY"), settings: { shouldFail: true } }, "fails"],
    ["that should fail and connects", { settings: { shouldFail: true } }, "fails"],
  ] as [string, Given, string][])("%s %s", (_, given, expected) => {
    expect(outcome(judge("TCP", given))).toBe(expected);
  });
});

describe("a DNS monitor", () => {
  const wantsNxdomain = { request: { assertions: [{ source: "RESPONSE_CODE", comparison: "EQUALS", target: "NXDOMAIN" }] } };
  it.each([
    ["with an answer", {}, "passes"],
    ["with NXDOMAIN", { response: { responseCode: "NXDOMAIN" } }, "fails"],
    ["with NXDOMAIN that an assertion judges", { ...wantsNxdomain, response: { responseCode: "NXDOMAIN" } }, "passes"],
    ["without an answer", failing("ETIMEDOUT"), "fails"],
  ] as [string, Given, string][])("%s %s", (_, given, expected) => {
    expect(outcome(judge("DNS", given))).toBe(expected);
  });
});

describe("an ICMP monitor", () => {
  it.each([
    ["at the degrading threshold", { response: { packetLoss: 10 } }, "passes"],
    ["above it", { response: { packetLoss: 10.1 } }, "is degraded"],
    ["at the failing threshold", { response: { packetLoss: 20 } }, "is degraded"],
    ["above that", { response: { packetLoss: 20.1 } }, "fails"],
    [
      "without thresholds",
      { response: { packetLoss: 90 }, settings: { degradedPacketLossThreshold: null, maxPacketLossThreshold: null } },
      "passes",
    ],
    ["without a reply", { failure: { code: "ETIMEDOUT", message: "no reply" }, response: { packetLoss: 100 } }, "fails"],
  ] as [string, Given, string][])("%s %s", (_, given, expected) => {
    expect(outcome(judge("ICMP", given))).toBe(expected);
  });
});

describe("a gRPC monitor", () => {
  const assertions = (source: string) => ({ assertions: [{ source, comparison: "EQUALS", target: "5" }] });
  const fine = { grpcStatusCode: 0, grpcStatusMessage: "" };
  it.each<[string, Given, string]>([
    ["that ends with OK", { response: fine }, "passes"],
    ["that ends with another status", {}, "fails"],
    ["whose status an assertion judges", { request: assertions("GRPC_STATUS_CODE") }, "passes"],
    ["of a service that is not serving", { response: { ...fine, healthStatus: 2 } }, "fails"],
    ["of a service that is serving", { response: { ...fine, healthStatus: 1 } }, "passes"],
    [
      "whose health an assertion judges",
      { response: { ...fine, healthStatus: 2 }, request: assertions("GRPC_HEALTHCHECK_STATUS") },
      "passes",
    ],
    ["that is slow", { response: fine, responseTimeMs: 501 }, "is degraded"],
    ["that is too slow", { response: fine, responseTimeMs: 1_001 }, "fails"],
    ["without an answer", failing("ECONNREFUSED"), "fails"],
  ])("%s", (_title, given, expected) => {
    expect(outcome(judge("GRPC", given))).toBe(expected);
  });

  it("says the status, its number and the server's words", () => {
    expect(judge("GRPC", {}).errorMessage).toBe("expected the gRPC status OK, got NOT_FOUND (5): no order 42");
  });
});

describe("an SSL monitor", () => {
  const relaxed = { request: { sslConfig: { hostname: "www.example", alertDaysBeforeExpiry: 20, skipChainValidation: true } } };
  const well = {
    chainTrusted: true,
    chainTrustReason: "trusted",
    hostnameVerified: true,
    daysUntilExpiry: 90,
    ocspStatus: "good",
    securityBaseline: null,
  };
  const untrusted = { chainTrusted: false, chainTrustReason: "DEPTH_ZERO_SELF_SIGNED_CERT" };
  const finding = (severity: string, passed: boolean) => ({
    securityBaseline: { verdict: "pass", grade: "B", score: 80, findings: [{ rule: "r", severity, passed, message: "weak" }] },
  });
  it.each([
    ["of a good certificate", {}, {}, "passes"],
    ["20 days before expiry", {}, { daysUntilExpiry: 20 }, "passes"],
    ["19 days before expiry", {}, { daysUntilExpiry: 19 }, "is degraded"],
    ["19 days before an intermediate's expiry", {}, { intermediateDaysUntilExpiry: 19 }, "is degraded"],
    ["of an expired certificate", relaxed, { daysUntilExpiry: -1, chainTrusted: false, chainTrustReason: "CERT_HAS_EXPIRED" }, "fails"],
    ["of a certificate of tomorrow", relaxed, { chainTrusted: false, chainTrustReason: "CERT_NOT_YET_VALID" }, "fails"],
    ["of an untrusted chain", {}, untrusted, "fails"],
    ["of an untrusted chain that is not asked about", relaxed, untrusted, "passes"],
    ["of another host's certificate", relaxed, { hostnameVerified: false }, "fails"],
    ["of a revoked certificate", relaxed, { ocspStatus: "revoked" }, "fails"],
    ["that breaks a failing rule", {}, finding("fail", false), "fails"],
    ["that breaks a degrading rule", {}, finding("degrade", false), "is degraded"],
    ["that breaks an ignored rule", {}, finding("ignore", false), "passes"],
    ["that keeps a failing rule", {}, finding("fail", true), "passes"],
  ] as [string, Given, object, string][])("%s %s", (_, given, response, expected) => {
    const verdict = judge("SSL", { ...given, response: { ...well, ...response } });
    expect(outcome(verdict)).toBe(expected);
    expect(verdict.errorMessage === null).toBe(expected === "passes");
  });

  it("without a handshake fails by that alone", () => {
    expect(judge("SSL", failing("ECONNREFUSED"))).toMatchObject({ hasErrors: true, errorMessage: "ECONNREFUSED: it did not work" });
  });
});

describe("a traceroute monitor", () => {
  it.each([
    ["whose target answers in time", { responseTimeMs: 500 }, "passes"],
    ["whose target takes long", { responseTimeMs: 501 }, "is degraded"],
    ["whose target takes too long", { responseTimeMs: 1_001 }, "fails"],
    ["whose target is not reached", failing("ETIMEDOUT"), "fails"],
  ] as [string, Given, string][])("%s %s", (_, given, expected) => {
    expect(outcome(judge("TRACEROUTE", given))).toBe(expected);
  });

  it("that does not reach its target is judged by that alone", () => {
    const settings = checkTypes.TRACEROUTE.settings.parse({ ...limits, request: requests.TRACEROUTE });
    const failure = { code: "ETIMEDOUT", message: "10.0.0.1 was not reached" };
    const seen = { failure, responseTimeMs: 0, statusCode: null, result: checkDetails.TRACEROUTE };
    expect(checkRules.TRACEROUTE(settings, seen).measures).toEqual([]);
  });
});
