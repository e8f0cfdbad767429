import type { ResultOf } from "#contract/checks/index.ts";

/** Why it is not trusted, in one long sentence. */
export const distrust =
  "the chain ends at a certificate that signed itself and is not among the authorities that the agent trusts, CN=mail-legacy.shop.example,O=The Shop with the long name,C=DE";

const certificate = {
  subject: "CN=mail-legacy.shop.example\nO=The Shop with the long name\nC=DE",
  issuer: "CN=mail-legacy.shop.example\nO=The Shop with the long name\nC=DE",
  subjectAlternativeNames: ["mail-legacy.shop.example"],
  serialNumber: "0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9",
  fingerprint256: Array.from({ length: 32 }, (_, index) => (index + 160).toString(16).toUpperCase()).join(":"),
  validFrom: "2024-01-01T00:00:00.000Z",
  validTo: "2034-01-01T00:00:00.000Z",
  daysUntilExpiry: 2_600,
  keyType: "rsa",
  keySizeBits: 1_024,
  signatureAlgorithm: "sha1WithRSAEncryption",
  isCa: true,
  selfSigned: true,
};

/** What a host sent that signed its certificate itself. */
export const untrustedChain: NonNullable<ResultOf<"SSL">["response"]> = {
  resolvedIp: "10.40.7.25",
  port: 443,
  serverName: "mail-legacy.shop.example",
  protocol: "TLSv1.2",
  cipherSuite: "ECDHE-RSA-AES128-GCM-SHA256",
  alpn: null,
  ocspStapled: false,
  ocspStatus: "none",
  sctCount: 0,
  chainTrusted: false,
  hostnameVerified: true,
  chainTrustReason: "DEPTH_ZERO_SELF_SIGNED_CERT",
  chainTrustDetail: distrust,
  intermediateDaysUntilExpiry: null,
  incompleteChain: true,
  missingIntermediate: "CN=The authority of the shop whose certificate nobody sends along,O=The Shop with the long name,OU=Operations,C=DE",
  daysUntilExpiry: 2_600,
  handshakeTimeMs: 52,
  securityBaseline: {
    verdict: "fail",
    grade: "F",
    score: 15,
    findings: [
      { rule: "minKeySize", severity: "fail", passed: false, message: "the key has 1,024 bits; the baseline asks for 2,048 bits at least" },
      {
        rule: "sctPresent",
        severity: "degrade",
        passed: false,
        message: "the certificate has no signed timestamp of any log, and the baseline asks for one",
      },
    ],
  },
  certificate,
  chain: [certificate],
  timingPhases: { dns: 1, connection: 2, startTls: 0, handshake: 52, total: 55 },
};
