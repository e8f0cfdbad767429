import type { X509Certificate } from "node:crypto";
import type { SslCertificate } from "#contract/checks/ssl.ts";
import { validFromMs, validToMs } from "../../net/certificate-dates.ts";
import { DerError, derChildren, derContent, derTags, oidText, readDer } from "../../net/der.ts";

/** A certificate with more names is told with its first ones. */
const maxNames = 200;
/** Of one name: a certificate may have 100 KB, and what is no text grows sixfold where it is escaped. */
const maxNameLength = 2_000;
const dayMs = 86_400_000;

/** What a certificate says, for people and assertions. */
export function describeCertificate(certificate: X509Certificate, nowMs: number): SslCertificate {
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    subjectAlternativeNames: alternativeNames(certificate.subjectAltName),
    serialNumber: certificate.serialNumber,
    fingerprint256: certificate.fingerprint256,
    validFrom: new Date(orLongPast(validFromMs(certificate))).toISOString(),
    validTo: new Date(orLongPast(validToMs(certificate))).toISOString(),
    daysUntilExpiry: daysUntilExpiry(certificate, nowMs),
    ...keyOf(certificate),
    signatureAlgorithm: signatureAlgorithmOf(certificate),
    isCa: certificate.ca,
    selfSigned: isSelfSigned(certificate),
  };
}

/** Whole days, negative once expired. */
export function daysUntilExpiry(certificate: X509Certificate, nowMs: number): number {
  return Math.floor((orLongPast(validToMs(certificate)) - nowMs) / dayMs);
}

/** A date that cannot be read counts as long past; OpenSSL does not trust it either. */
function orLongPast(ms: number): number {
  return Number.isNaN(ms) ? 0 : ms;
}

export function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.checkIssued(certificate);
}

/** One line as in RFC 4514. Node.js gives one line per part, the most general first, and its values already escaped so. */
export function distinguishedName(lines: string | undefined): string {
  return (lines ?? "").split("\n").toReversed().join(",").slice(0, maxNameLength);
}

/** `DNS:example.com`, `IP Address:10.0.0.1`; names that hold a comma or a quote come as JSON strings. */
function alternativeNames(text: string | undefined): string[] {
  const names = text?.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  return names.slice(0, maxNames).map((name) => name.trim().slice(0, maxNameLength));
}

const bitsOfCurves: Readonly<Record<string, number>> = {
  prime192v1: 192,
  secp192r1: 192,
  secp224r1: 224,
  prime256v1: 256,
  secp256k1: 256,
  brainpoolP256r1: 256,
  secp384r1: 384,
  brainpoolP384r1: 384,
  brainpoolP512r1: 512,
  secp521r1: 521,
};
const bitsOfTypes: Readonly<Record<string, number>> = { ed25519: 256, ed448: 456 };

/** Keys that OpenSSL cannot read have no type and no bits. */
function keyOf(certificate: X509Certificate): Pick<SslCertificate, "keyType" | "keySizeBits"> {
  try {
    const { asymmetricKeyType: keyType = "", asymmetricKeyDetails } = certificate.publicKey;
    const { modulusLength, namedCurve } = asymmetricKeyDetails ?? {};
    return { keyType, keySizeBits: modulusLength ?? bitsOfCurves[namedCurve ?? ""] ?? bitsOfTypes[keyType] ?? 0 };
  } catch {
    return { keyType: "unknown", keySizeBits: 0 };
  }
}

/** RSASSA-PSS has its digest among its parameters, and SHA-1 where there is none (RFC 4055 §3.1). */
function signatureAlgorithmOf({ signatureAlgorithm, raw }: X509Certificate): string {
  const name = signatureAlgorithm ?? "unknown";
  if (name !== "rsassaPss") return name;
  return derOr(`${name} with an unknown digest`, () => {
    const [, algorithm] = derChildren(derContent(readDer(raw), derTags.sequence));
    const [, parameters] = derChildren(derContent(algorithm, derTags.sequence));
    const digest = derChildren(derContent(parameters, derTags.sequence)).find(({ tag }) => tag === 0xa0);
    if (digest === undefined) return `${name} with SHA1`;
    const [oid] = derChildren(readDer(digest.content).content);
    return `${name} with ${digestNames[oidText(derContent(oid, derTags.oid))] ?? "an unknown digest"}`;
  });
}

const digestNames: Readonly<Record<string, string>> = {
  "1.3.14.3.2.26": "SHA1",
  "2.16.840.1.101.3.4.2.1": "SHA256",
  "2.16.840.1.101.3.4.2.2": "SHA384",
  "2.16.840.1.101.3.4.2.3": "SHA512",
};

const sctListOid = "1.3.6.1.4.1.11129.2.4.2";
const tlsFeatureOid = "1.3.6.1.5.5.7.1.24";
/** `status_request` among TLS features (RFC 7633). */
const statusRequest = 5;

export interface Extensions {
  /** Signed certificate timestamps in the certificate (RFC 6962 §3.3). */
  readonly sctCount: number;
  /** The certificate demands an OCSP staple (RFC 7633). */
  readonly mustStaple: boolean;
}

/** The extensions that Node.js does not tell of. Those that are broken count as absent. */
export function extensionsOf({ raw }: X509Certificate): Extensions {
  return derOr({ sctCount: 0, mustStaple: false }, () => {
    const [signed] = derChildren(derContent(readDer(raw), derTags.sequence));
    const list = derChildren(derContent(signed, derTags.sequence)).find(({ tag }) => tag === 0xa3);
    const values = new Map<string, Buffer>();
    for (const extension of list === undefined ? [] : derChildren(readDer(list.content).content)) {
      const parts = derChildren(derContent(extension, derTags.sequence));
      values.set(oidText(derContent(parts[0], derTags.oid)), derContent(parts.at(-1), derTags.octetString));
    }
    const scts = values.get(sctListOid);
    const features = values.get(tlsFeatureOid);
    return {
      sctCount: scts === undefined ? 0 : countTimestamps(derContent(readDer(scts), derTags.octetString)),
      mustStaple: features !== undefined && derChildren(readDer(features).content).some(({ content }) => content.at(-1) === statusRequest),
    };
  });
}

/** A list of TLS: two bytes of length, then entries with two bytes of length each. */
function countTimestamps(list: Buffer): number {
  let count = 0;
  for (let at = 2; at + 2 <= list.length; count += 1) {
    at += 2 + list.readUInt16BE(at);
    if (at > list.length) return count;
  }
  return count;
}

function derOr<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DerError) return fallback;
    throw error;
  }
}
