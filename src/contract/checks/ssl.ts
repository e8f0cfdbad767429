import { z } from "zod";
import { plainText } from "../primitives.ts";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, comparisons, EvaluatedAssertions, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits, timedSettings } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";
import { StartTls } from "./connection.ts";
import { ignoredScripts, ignoredScriptsUpdate } from "./ignored.ts";

/** One assertion of an SSL monitor (behaviour 2.1). */
export const SslAssertion = assertionSchema(
  "SslAssertion",
  ["CERTIFICATE", "CONNECTION", "RESPONSE_TIME", "JSON_RESPONSE", "TEXT_RESPONSE"],
  comparisons,
);
export type SslAssertion = z.output<typeof SslAssertion>;

/** What a rule of the baseline does to the check that breaks it. */
export const Severity = z.enum(["fail", "degrade", "ignore"]);
export type Severity = z.output<typeof Severity>;

const TlsVersion = z.enum(["TLS1.2", "TLS1.3"]);
const KeySize = z.int().min(1024).max(16_384);

function rule<S extends Severity>(severity: S) {
  return z.object({ severity: Severity.default(severity) }).prefault({});
}
function tlsRule<V extends z.output<typeof TlsVersion>, S extends Severity>(value: V, severity: S) {
  return z.object({ value: TlsVersion.default(value), severity: Severity.default(severity) }).prefault({});
}
function keyRule<S extends Severity>(value: number, severity: S) {
  return z.object({ value: KeySize.default(value), severity: Severity.default(severity) }).prefault({});
}

/** The rules that a connection is graded by, each with what breaking it does to the check. */
export const SecurityBaseline = z
  .object({
    enabled: z.boolean().default(true),
    minTLSVersion: tlsRule("TLS1.2", "fail"),
    minKeySizeBits: keyRule(2048, "fail").describe("RSA bits; elliptic curves count by their equivalent strength"),
    weakSignatureAlgorithm: rule("fail"),
    weakCipherSuite: rule("fail"),
    knownBadCA: rule("fail"),
    recommendedTLSVersion: tlsRule("TLS1.3", "ignore"),
    recommendedKeySizeBits: keyRule(3072, "ignore"),
    ocspMustStapleRespected: rule("ignore"),
    sctPresent: rule("ignore"),
  })
  .meta({ id: "SecurityBaseline" });
export type SecurityBaseline = z.output<typeof SecurityBaseline>;

const RuleUpdate = z.object({ severity: Severity.optional() }).default({});
const TlsRuleUpdate = z.object({ value: TlsVersion.optional(), severity: Severity.optional() }).default({});
const KeyRuleUpdate = z.object({ value: KeySize.optional(), severity: Severity.optional() }).default({});

/** The rules in a partial update; an empty rule changes nothing. */
const SecurityBaselineUpdate = z
  .object({
    enabled: z.boolean().optional(),
    minTLSVersion: TlsRuleUpdate,
    minKeySizeBits: KeyRuleUpdate,
    weakSignatureAlgorithm: RuleUpdate,
    weakCipherSuite: RuleUpdate,
    knownBadCA: RuleUpdate,
    recommendedTLSVersion: TlsRuleUpdate,
    recommendedKeySizeBits: KeyRuleUpdate,
    ocspMustStapleRespected: RuleUpdate,
    sctPresent: RuleUpdate,
  })
  .meta({ id: "SecurityBaselineUpdate" });

const Host = z.string().min(1).max(2048).regex(plainText, "must not hold control characters");

const configFields = {
  hostname: Host,
  port: z.int().min(1).max(65_535),
  serverName: z
    .union([Host, z.literal("")])
    .nullable()
    .optional()
    .describe("name to ask for and to verify (SNI); the host name when absent, null or empty"),
  ipFamily: z.enum(["IPv4", "IPv6"]),
  skipChainValidation: z.boolean().describe("an untrusted chain does not fail the check; it is still told"),
  handshakeTimeoutMs: z.int().min(1000).max(30_000),
  alertDaysBeforeExpiry: z.int().min(1).max(365).describe("the check is degraded from this many days before the leaf expires"),
  securityBaseline: SecurityBaseline,
  clientCertificateMode: z.enum(["auto", "explicit"]).optional().describe("kept and given back"),
  startTls: StartTls.nullable().describe("begin in the clear and turn to TLS the protocol's own way"),
};

/** Where an SSL monitor looks and by what it grades. `startTls` is ours. */
export const SslConfig = z
  .object({
    ...withDefaults(configFields, {
      port: 443,
      ipFamily: "IPv4",
      skipChainValidation: false,
      handshakeTimeoutMs: 10_000,
      alertDaysBeforeExpiry: 20,
      startTls: null,
    }),
    securityBaseline: SecurityBaseline.prefault({}),
  })
  .meta({ id: "SslConfig" });
export type SslConfig = z.output<typeof SslConfig>;

const requestFields = {
  sslClientCertificateId: z.guid().min(1).nullable().optional().describe("kept and given back"),
  assertions: z.array(SslAssertion).max(maxAssertions),
};

/** The request of an SSL monitor (reference). */
export const SslRequest = z.object({ sslConfig: SslConfig, ...withDefaults(requestFields, { assertions: [] }) }).meta({ id: "SslRequest" });
export type SslRequest = z.output<typeof SslRequest>;

/** The request in a partial update: what is omitted keeps its value, at any depth; arrays replace. */
export const SslRequestUpdate = z
  .object({
    ...requestFields,
    assertions: requestFields.assertions.optional(),
    sslConfig: z
      .object({ ...configFields, securityBaseline: SecurityBaselineUpdate })
      .partial()
      .required({ hostname: true })
      .meta({ id: "SslConfigUpdate" }),
  })
  .meta({ id: "SslRequestUpdate" });

/** What a runner needs to know of an SSL monitor, and what the verdict is judged by. An empty server name is none. */
export const SslCheckSettings = z.object({
  request: SslRequest.overwrite(({ sslConfig, ...request }) => ({
    ...request,
    sslConfig: { ...sslConfig, serverName: sslConfig.serverName || null },
  })),
  ...timedSettings,
});
export type SslCheckSettings = z.output<typeof SslCheckSettings>;

/** The schemas of SSL monitors (behaviour 2.3). */
export const sslCheck = checkSchemas("SSL", {
  id: "SslCheck",
  title: "SSL monitor",
  writable: responseTimeLimits(30_000),
  defaults: { degradedResponseTime: 3000, maxResponseTime: 10_000 },
  request: SslRequest,
  requestUpdate: SslRequestUpdate,
  accepts: { create: ignoredScripts, update: ignoredScriptsUpdate },
});

/** One certificate of a chain, as sent. Names are written as in RFC 4514; instants are ISO 8601. */
export const SslCertificate = z.object({
  subject: z.string(),
  issuer: z.string(),
  subjectAlternativeNames: z.array(z.string()),
  serialNumber: z.string(),
  fingerprint256: z.string(),
  validFrom: z.string(),
  validTo: z.string(),
  daysUntilExpiry: z.number().describe("whole days, negative once expired"),
  keyType: z.string().describe("rsa, ec, ed25519 …"),
  keySizeBits: z.number().int(),
  signatureAlgorithm: z.string(),
  isCa: z.boolean(),
  selfSigned: z.boolean(),
});
export type SslCertificate = z.infer<typeof SslCertificate>;

/** One rule of the baseline, as applied. */
export const BaselineFinding = z.object({
  rule: z.string(),
  severity: Severity,
  passed: z.boolean(),
  message: z.string().describe("what was seen and what is wanted, in a sentence"),
});
export type BaselineFinding = z.infer<typeof BaselineFinding>;

export const baselineGrades = ["A+", "A", "B", "C", "D", "F"] as const;
export const BaselineResult = z.object({
  verdict: z.enum(["pass", "degrade", "fail"]),
  grade: z.enum(baselineGrades),
  score: z.number().int().min(0).max(100),
  findings: z.array(BaselineFinding).max(100),
});
export type BaselineResult = z.infer<typeof BaselineResult>;

const seen = {
  cipherSuite: z.string().optional(),
  daysUntilExpiry: z.number().optional(),
  handshakeTimeMs: z.number().optional(),
  chainTrusted: z.boolean().optional(),
  hostnameVerified: z.boolean().optional(),
};

/** `sslCheckResult`: what one attempt of an SSL monitor saw (reference). */
export const SslCheckResult = z
  .object({
    ...seen,
    tlsVersion: z.string().optional(),
    baselineVerdict: z.string().optional(),
    baselineGrade: z.string().optional(),
    failureCategory: z
      .enum(["dns", "connection", "handshake", "expired", "not_yet_valid", "hostname", "chain", "baseline", "timeout"])
      .nullable(),
    requestError: z.string().nullable(),
    request: z.record(z.string(), z.unknown()),
    assertions: EvaluatedAssertions,
    response: z
      .object({
        ...seen,
        resolvedIp: z.string(),
        port: z.number().int(),
        serverName: z.string(),
        protocol: z.string(),
        alpn: z.string().nullable(),
        ocspStapled: z.boolean(),
        ocspStatus: z.string().describe("good, revoked, unknown, invalid or none"),
        sctCount: z.number().int().describe("signed certificate timestamps in the certificate (RFC 6962)"),
        chainTrustReason: z.string().describe("trusted, or the verification's error code"),
        chainTrustDetail: z.string(),
        intermediateDaysUntilExpiry: z
          .number()
          .nullable()
          .optional()
          .describe("of the certificate between leaf and trusted authority that expires first; null when there is none"),
        incompleteChain: z.boolean(),
        missingIntermediate: z.string().describe("issuer that was not sent; empty when none is missing"),
        securityBaseline: BaselineResult.nullable(),
        certificate: SslCertificate.nullable(),
        chain: z.array(SslCertificate).max(100).describe("as sent, the leaf first"),
        timingPhases: z.object({ dns: z.number(), connection: z.number(), startTls: z.number(), handshake: z.number(), total: z.number() }),
      })
      .nullable(),
  })
  .meta({ id: "SslCheckResult" });
export type SslCheckResult = z.infer<typeof SslCheckResult>;

export const sslTraits = { ...probeTraits, shownTime: "handshakeTimeMs" } as const satisfies CheckTraits;
