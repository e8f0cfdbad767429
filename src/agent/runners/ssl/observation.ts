import type { X509Certificate } from "node:crypto";
import type { BaselineResult, SslCheckResult, SslConfig } from "#contract/checks/ssl.ts";
import type { AssertionFacts } from "#domain/assertions/facts.ts";
import { gradeBaseline } from "#domain/ssl-baseline.ts";
import type { DialTrace } from "../../net/connection.ts";
import { identityError } from "../../net/tls.ts";
import type { Observation, ProbeFailure } from "../check-runner.ts";
import { between, toMicro } from "../phase.ts";
import { daysUntilExpiry, describeCertificate, distinguishedName, extensionsOf, isSelfSigned } from "./certificate.ts";
import { wayOf } from "./chain.ts";
import type { Sighting } from "./examination.ts";
import { judgeStaple } from "./ocsp-staple.ts";

/** What one attempt did so far. */
export interface Attempt {
  readonly config: SslConfig;
  readonly host: string;
  /** What is asked for and verified. */
  readonly serverName: string;
  readonly startedMs: number;
  readonly trace: DialTrace;
  /** When the talk in the clear was done; the connect's time where there is none. */
  startTlsMs: number | null;
}

type Response = NonNullable<SslCheckResult["response"]>;

/** What the result, its response and its assertions tell alike. */
interface Summary {
  readonly cipherSuite: string;
  readonly daysUntilExpiry: number;
  readonly handshakeTimeMs: number;
  readonly chainTrusted: boolean;
  readonly hostnameVerified: boolean;
}

/**
 * The observation of a handshake that came about. `responseTimeMs` is the handshake's.
 *
 * @param nowMs the wall clock's, which certificates are dated by
 */
export function seen(
  attempt: Attempt,
  sighting: Sighting,
  roots: readonly X509Certificate[],
  nowMs: number,
  stoppedMs: number,
): Observation<"SSL"> {
  const [leaf] = sighting.chain;
  const timingPhases = phasesOf(attempt);
  const summary: Summary = {
    cipherSuite: sighting.cipher,
    daysUntilExpiry: daysUntilExpiry(leaf, nowMs),
    handshakeTimeMs: timingPhases.handshake,
    chainTrusted: sighting.chainError === null,
    hostnameVerified: identityError(leaf, attempt.serverName) === null,
  };
  const tlsVersion = sighting.protocol.replace(/^TLSv(1)$/, "TLS$1.0").replace("TLSv", "TLS");
  const { intermediates, ...more } = lookCloser(attempt, sighting, tlsVersion, roots, nowMs);
  const intermediateDays = intermediates.map((intermediate) => daysUntilExpiry(intermediate, nowMs));
  const response: Response = {
    ...responseOf(attempt, sighting, summary),
    ...more,
    intermediateDaysUntilExpiry: intermediateDays.length === 0 ? null : Math.min(...intermediateDays),
    timingPhases,
  };
  const { securityBaseline: baseline } = response;
  return {
    startedMs: attempt.startedMs,
    stoppedMs,
    responseTimeMs: timingPhases.handshake,
    statusCode: null,
    metrics: metricsOf(response, summary, tlsVersion),
    failure: null,
    facts: factsOf(response, tlsVersion),
    result: {
      ...summary,
      tlsVersion,
      ...(baseline && { baselineVerdict: baseline.verdict, baselineGrade: baseline.grade }),
      failureCategory: categoryOf(attempt.config, sighting, summary, baseline),
      requestError: null,
      request: requestOf(attempt),
      assertions: null,
      response,
    },
  };
}

/** The observation of an attempt without a handshake. */
export function failed(attempt: Attempt, { code, message, side }: ProbeFailure, stoppedMs: number): Observation<"SSL"> {
  const responseTimeMs = stoppedMs - attempt.startedMs;
  return {
    startedMs: attempt.startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: { handshakeTimeMs: null, daysUntilExpiry: null, tlsVersion: null, keySizeBits: null, baselineScore: null, trustBits: null },
    failure: { code, message, side },
    facts: { statusCode: null, responseTimeMs, headers: {}, text: () => "" },
    result: {
      failureCategory: failureCategoryOf(attempt, code),
      requestError: `${code}: ${message}`,
      request: requestOf(attempt),
      assertions: null,
      response: null,
    },
  };
}

type Closer = Pick<
  Response,
  "ocspStapled" | "ocspStatus" | "sctCount" | "incompleteChain" | "missingIntermediate" | "securityBaseline" | "certificate" | "chain"
> & { readonly intermediates: readonly X509Certificate[] };

/** What the certificates themselves, their staple and the baseline say. */
function lookCloser({ config }: Attempt, sighting: Sighting, tlsVersion: string, roots: readonly X509Certificate[], nowMs: number): Closer {
  const [leaf] = sighting.chain;
  const { issuer, intermediates } = wayOf(sighting.chain, roots);
  const chain = sighting.chain.map((certificate) => describeCertificate(certificate, nowMs));
  const { sctCount, mustStaple } = extensionsOf(leaf);
  const ocspStatus = judgeStaple(sighting.staple, leaf, issuer, nowMs);
  const facts = { tlsVersion, cipherSuite: sighting.cipher, chain, mustStaple, ocspStatus, sctCount };
  return {
    intermediates,
    ocspStapled: ocspStatus !== "none",
    ocspStatus,
    sctCount,
    incompleteChain: issuer === null,
    missingIntermediate: issuer === null ? distinguishedName(leaf.issuer) : "",
    securityBaseline: config.securityBaseline.enabled ? gradeBaseline(config.securityBaseline, facts) : null,
    certificate: chain[0] ?? null,
    chain,
  };
}

function responseOf({ config, host, serverName, trace }: Attempt, sighting: Sighting, summary: Summary) {
  return {
    ...summary,
    resolvedIp: trace.connection?.remoteAddress ?? host,
    port: config.port,
    serverName,
    protocol: sighting.protocol,
    alpn: sighting.alpn,
    chainTrustReason: sighting.chainError ?? "trusted",
    chainTrustDetail: trustDetail(sighting),
  };
}

function trustDetail({ chain: [leaf], chainError }: Sighting): string {
  if (chainError === null) return "the chain leads to an authority that is trusted here";
  if (isSelfSigned(leaf) && chainError !== "CERT_HAS_EXPIRED") return "the certificate is signed by itself";
  return trustDetails[chainError] ?? `the verification ended with ${chainError}`;
}

const notTrusted = "its issuer was neither sent nor is it trusted here";
const trustDetails: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "a certificate in it has expired",
  CERT_NOT_YET_VALID: "a certificate in it is not valid yet",
  SELF_SIGNED_CERT_IN_CHAIN: "it ends in a root that is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: notTrusted,
  UNABLE_TO_GET_ISSUER_CERT: notTrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: notTrusted,
  CERT_SIGNATURE_FAILURE: "a signature in it is wrong",
  INVALID_CA: "a certificate in it issued others and may not",
  INVALID_PURPOSE: "a certificate in it is not for servers",
  PATH_LENGTH_EXCEEDED: "it is longer than an authority in it allows",
};

function phasesOf({ startedMs, trace, startTlsMs }: Attempt): Response["timingPhases"] {
  const length = (fromMs: number | null, toMs: number | null): number => between(fromMs, toMs) ?? 0;
  const dns = length(startedMs, trace.lookupMs);
  const connection = length(trace.lookupMs, trace.connectMs);
  const clear = length(trace.connectMs, startTlsMs);
  const handshake = length(startTlsMs, trace.secureConnectMs);
  return { dns, connection, startTls: clear, handshake, total: toMicro(dns + connection + clear + handshake) };
}

/** `trustBits`: 1 the host name is verified, 2 the chain is trusted, 4 an OCSP response was stapled. */
function metricsOf(
  { certificate, securityBaseline, ocspStapled }: Response,
  { handshakeTimeMs, daysUntilExpiry: days, hostnameVerified, chainTrusted }: Summary,
  tlsVersion: string,
): Readonly<Record<string, number | null>> {
  return {
    handshakeTimeMs,
    daysUntilExpiry: days,
    tlsVersion: Number(tlsVersion.replace("TLS", "")) || null,
    keySizeBits: certificate?.keySizeBits ?? null,
    baselineScore: securityBaseline?.score ?? null,
    trustBits: (hostnameVerified ? 1 : 0) + (chainTrusted ? 2 : 0) + (ocspStapled ? 4 : 0),
  };
}

function factsOf(response: Response, tlsVersion: string): AssertionFacts {
  const { certificate, chain: _chain, securityBaseline, timingPhases: _phases, ...connection } = response;
  return {
    statusCode: null,
    responseTimeMs: response.handshakeTimeMs ?? 0,
    headers: {},
    text: () => JSON.stringify(response),
    json: () => response,
    fields: {
      CERTIFICATE: {
        ...certificate,
        sctCount: response.sctCount,
        intermediateDaysUntilExpiry: response.intermediateDaysUntilExpiry,
      },
      CONNECTION: {
        ...connection,
        tlsVersion,
        baselineVerdict: securityBaseline?.verdict ?? null,
        baselineGrade: securityBaseline?.grade ?? null,
        baselineScore: securityBaseline?.score ?? null,
      },
    },
  };
}

function requestOf({ config, serverName }: Attempt): Record<string, unknown> {
  const { securityBaseline: _baseline, clientCertificateMode: _mode, ...asked } = config;
  return { ...asked, serverName };
}

/** What the check's own rules will fail it for, the first that applies; null for none. */
function categoryOf(
  { skipChainValidation }: SslConfig,
  { chainError }: Sighting,
  { daysUntilExpiry: days, hostnameVerified }: Summary,
  baseline: BaselineResult | null,
): SslCheckResult["failureCategory"] {
  if (days < 0) return "expired";
  if (chainError === "CERT_NOT_YET_VALID") return "not_yet_valid";
  if (chainError !== null && !skipChainValidation) return chainError === "CERT_HAS_EXPIRED" ? "expired" : "chain";
  if (!hostnameVerified) return "hostname";
  return baseline?.verdict === "fail" ? "baseline" : null;
}

function failureCategoryOf({ trace }: Attempt, code: string): SslCheckResult["failureCategory"] {
  if (code === "EDNS" || code === "ENOTFOUND" || (code === "ETIMEDOUT" && trace.lookupMs === null)) return "dns";
  if (code === "ETIMEDOUT") return "timeout";
  return trace.connectMs === null ? "connection" : "handshake";
}
