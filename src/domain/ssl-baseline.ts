import type { BaselineFinding, BaselineResult, SecurityBaseline, SslCertificate } from "#contract/checks/ssl.ts";

/** What a handshake showed, as far as the baseline looks at it. */
export interface BaselineFacts {
  /** `TLS1.3`. */
  readonly tlsVersion: string;
  /** IANA's name, `TLS_AES_128_GCM_SHA256`. */
  readonly cipherSuite: string;
  /** As sent, the leaf first; at least the leaf. */
  readonly chain: readonly SslCertificate[];
  /** The leaf says that it is only to be taken with an OCSP staple (RFC 7633). */
  readonly mustStaple: boolean;
  /** `good`, `revoked`, `unknown`, `invalid` or `none`. */
  readonly ocspStatus: string;
  readonly sctCount: number;
}

type Rule = Exclude<keyof SecurityBaseline, "enabled">;
type Outcome = Pick<BaselineFinding, "passed" | "message">;

/**
 * What breaking each rule costs of 100 points, whatever its severity: severities decide about the check, points about the
 * grade. What makes the connection breakable costs half and more; what is only recommended costs little.
 */
const points: Readonly<Record<Rule, number>> = {
  minTLSVersion: 60,
  knownBadCA: 60,
  minKeySizeBits: 50,
  weakSignatureAlgorithm: 50,
  weakCipherSuite: 50,
  ocspMustStapleRespected: 20,
  recommendedTLSVersion: 10,
  recommendedKeySizeBits: 5,
  sctPresent: 5,
};

/** The lowest score of each grade; below all of them it is F. */
const grades = [
  ["A+", 100],
  ["A", 85],
  ["B", 75],
  ["C", 60],
  ["D", 45],
] as const;

/**
 * Grades a connection. The verdict is the worst severity among broken rules. Trust, expiry and the host name are not the
 * baseline's: the check's own rules judge them.
 */
export function gradeBaseline(baseline: SecurityBaseline, facts: BaselineFacts): BaselineResult {
  const findings = rules.map(([rule, look]) => ({ rule, severity: baseline[rule].severity, ...look(facts, baseline) }));
  const broken = findings.filter(({ passed }) => !passed);
  const score = Math.max(0, 100 - broken.reduce((sum, { rule }) => sum + points[rule], 0));
  const verdict = (["fail", "degrade"] as const).find((worst) => broken.some(({ severity }) => severity === worst)) ?? "pass";
  return { verdict, grade: grades.find(([, least]) => score >= least)?.[0] ?? "F", score, findings };
}

const rules: readonly (readonly [Rule, (facts: BaselineFacts, baseline: SecurityBaseline) => Outcome])[] = [
  ["minTLSVersion", ({ tlsVersion }, { minTLSVersion }) => atLeastVersion(tlsVersion, minTLSVersion.value, "is required")],
  ["minKeySizeBits", (facts, { minKeySizeBits }) => atLeastKey(facts, minKeySizeBits.value, "are required")],
  ["weakSignatureAlgorithm", strongSignatures],
  ["weakCipherSuite", strongCipher],
  ["knownBadCA", goodAuthorities],
  [
    "recommendedTLSVersion",
    ({ tlsVersion }, { recommendedTLSVersion }) => atLeastVersion(tlsVersion, recommendedTLSVersion.value, "is recommended"),
  ],
  ["recommendedKeySizeBits", (facts, { recommendedKeySizeBits }) => atLeastKey(facts, recommendedKeySizeBits.value, "are recommended")],
  ["ocspMustStapleRespected", stapled],
  ["sctPresent", logged],
];

/** Versions are one digit each, so that their names order as they do. */
function atLeastVersion(version: string, least: string, wish: string): Outcome {
  return { passed: version >= least, message: `the connection speaks ${version}; ${least} or later ${wish}` };
}

/** The leaf and what it was issued by count, but not a root: its key is the trust store's matter. */
function atLeastKey({ chain }: BaselineFacts, leastBits: number, wish: string): Outcome {
  const keys = judged(chain).map((certificate) => ({ ...certificate, rsaBits: rsaEquivalentBits(certificate) }));
  const weakest = keys.reduce((a, b) => (b.rsaBits < a.rsaBits ? b : a));
  const equivalent = weakest.keyType.startsWith("rsa") ? "" : `, as strong as ${weakest.rsaBits} bits of RSA`;
  return {
    passed: weakest.rsaBits >= leastBits,
    message: `the weakest key is ${weakest.keyType} of ${weakest.keySizeBits} bits${equivalent}; ${leastBits} bits of RSA or as strong ${wish}`,
  };
}

/** Comparable strengths of NIST SP 800-57 part 1, table 2. Signatures made against quantum computers count as the strongest. */
export function rsaEquivalentBits({ keyType, keySizeBits }: Pick<SslCertificate, "keyType" | "keySizeBits">): number {
  if (/^(ml-dsa|slh-dsa)/.test(keyType)) return 15_360;
  if (!/^(ec|ed25519|ed448)$/.test(keyType)) return keySizeBits;
  if (keySizeBits >= 512) return 15_360;
  if (keySizeBits >= 384) return 7_680;
  if (keySizeBits >= 255) return 3_072;
  return keySizeBits >= 224 ? 2_048 : 1_024;
}

/** Signatures by digests that collide: MD2, MD4, MD5, SHA-1. */
function strongSignatures({ chain }: BaselineFacts): Outcome {
  const weak = judged(chain).find(({ signatureAlgorithm }) => /md[245]|sha-?1(?!\d)/i.test(signatureAlgorithm));
  if (weak === undefined) return { passed: true, message: "all certificates are signed with strong digests" };
  return { passed: false, message: `the certificate of ${weak.subject} is signed with ${weak.signatureAlgorithm}, which can be forged` };
}

/** What RFC 9325 §4.1 forbids, and what has blocks of 64 bits (Sweet32): no encryption, no authentication, keys under 112 bits. */
const weakCiphers = /_NULL_|_NULL$|EXPORT|_RC[24]_|_DES_|_DES40_|_3DES_|_IDEA_|_MD5$|_anon_/;

function strongCipher({ cipherSuite }: BaselineFacts): Outcome {
  const passed = !weakCiphers.test(cipherSuite);
  return { passed, message: `the cipher suite is ${cipherSuite}${passed ? "" : ", which is weak"}` };
}

/**
 * Authorities that the root programmes removed for misissuance or broken control, and those of software that intercepts.
 * Written as they stand in names (RFC 4514). DigiCert's later ones carry some of the names, but not the organisation.
 */
const badAuthorities: readonly RegExp[] = [
  /\bO=DigiNotar\b/i,
  /\bO=CNNIC\b/i,
  /\bO=China Internet Network Information Center\b/i,
  /\bO=WoSign CA Limited\b/i,
  /\bO=StartCom Ltd\b/i,
  /\bO=StartCom CA\b/i,
  /\bO=TrustCor Systems\b/i,
  /\bO=Certinomis\b/i,
  /\bO=PROCERT\b/i,
  /\bO=Symantec Corporation\b/i,
  /\bO=VeriSign\\, Inc\./i,
  /\bO=GeoTrust Inc\./i,
  /\bO=thawte\\, Inc\./i,
  /\bO=Superfish\\, Inc\./i,
  /\bCN=eDellRoot\b/i,
  /\bCN=DSDTestProvider\b/i,
  /\bCN=Qaznet Trust Network\b/i,
];

function goodAuthorities({ chain }: BaselineFacts): Outcome {
  const names = chain.map(({ issuer }) => issuer);
  const bad = names.find((name) => badAuthorities.some((pattern) => pattern.test(name)));
  if (bad === undefined) return { passed: true, message: "no authority in the chain is known as bad" };
  return { passed: false, message: `the chain was issued by ${bad}, an authority that the trust stores removed` };
}

function stapled({ mustStaple, ocspStatus }: BaselineFacts): Outcome {
  if (!mustStaple) return { passed: true, message: "the certificate does not demand an OCSP staple" };
  return { passed: ocspStatus === "good", message: `the certificate demands an OCSP staple; the staple that came: ${ocspStatus}` };
}

function logged({ sctCount }: BaselineFacts): Outcome {
  return { passed: sctCount > 0, message: `the certificate holds ${sctCount} signed certificate timestamps` };
}

/** The leaf always; of the others those that are no root. */
function judged(chain: readonly SslCertificate[]): readonly SslCertificate[] {
  return chain.filter(({ selfSigned }, index) => index === 0 || !selfSigned);
}
