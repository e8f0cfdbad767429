import { createHash, type KeyObject, verify, X509Certificate } from "node:crypto";
import { validFromMs, validToMs } from "../../net/certificate-dates.ts";
import { type DerElement, DerError, derChildren, derContent, derTags, oidText, readDer } from "../../net/der.ts";

/** `invalid`: no answer, not for this certificate, not of these days, or not signed by its issuer. `none`: nothing was stapled. */
export type OcspStatus = "good" | "revoked" | "unknown" | "invalid" | "none";

const basicResponseOid = "1.3.6.1.5.5.7.48.1.1";
const ocspSigningOid = "1.3.6.1.5.5.7.3.9";
const digests: Readonly<Record<string, string>> = { "1.3.14.3.2.26": "sha1", "2.16.840.1.101.3.4.2.1": "sha256" };
const signatures: Readonly<Record<string, string | null>> = {
  "1.2.840.113549.1.1.5": "sha1",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.3.101.112": null,
  "1.3.101.113": null,
};
/** Clocks differ; what is newer than ours by so much is still taken (ms). */
const clockToleranceMs = 300_000;
const maxResponders = 5;

/**
 * What a stapled OCSP response (RFC 6960) says about `leaf`. It counts only if it is for this certificate, of these days, and
 * signed by its issuer or by a responder that the issuer named; RSASSA-PSS signatures are not taken.
 *
 * @param staple as sent; null when nothing was
 * @param issuer null when it is not known; then nothing can be believed
 */
export function judgeStaple(staple: Buffer | null, leaf: X509Certificate, issuer: X509Certificate | null, nowMs: number): OcspStatus {
  if (staple === null || staple.length === 0) return "none";
  if (issuer === null) return "invalid";
  try {
    const response = basicResponse(staple);
    if (!isSignedFor(response, issuer, nowMs)) return "invalid";
    const answers = derChildren(derContent(response.answers, derTags.sequence));
    return statusOf(answers, leaf, issuer, nowMs) ?? "invalid";
  } catch (error) {
    if (error instanceof DerError) return "invalid";
    throw error;
  }
}

interface BasicResponse {
  /** What the signature is over. */
  readonly signedBytes: Buffer;
  readonly algorithm: string;
  readonly signature: Buffer;
  readonly responders: readonly Buffer[];
  readonly answers: DerElement | undefined;
}

function basicResponse(staple: Buffer): BasicResponse {
  const [status, responseBytes] = derChildren(derContent(readDer(staple), derTags.sequence));
  if (derContent(status, derTags.enumerated)[0] !== 0) throw new DerError("the responder did not answer");
  const [type, wrapped] = derChildren(derContent(readDer(derContent(responseBytes, 0xa0)), derTags.sequence));
  if (oidText(derContent(type, derTags.oid)) !== basicResponseOid) throw new DerError("an answer of another type");
  const basic = readDer(derContent(wrapped, derTags.octetString));
  const [signed, algorithm, signature, certificates] = derChildren(derContent(basic, derTags.sequence));
  const parts = derChildren(derContent(signed, derTags.sequence));
  const [oid] = derChildren(derContent(algorithm, derTags.sequence));
  return {
    signedBytes: signed?.whole ?? Buffer.alloc(0),
    algorithm: oidText(derContent(oid, derTags.oid)),
    signature: derContent(signature, derTags.bitString).subarray(1),
    responders: certificates === undefined ? [] : derChildren(readDer(certificates.content).content).map(({ whole }) => whole),
    answers: parts.find(({ tag }) => tag === derTags.sequence),
  };
}

function isSignedFor(response: BasicResponse, issuer: X509Certificate, nowMs: number): boolean {
  if (verifies(response, issuer)) return true;
  return response.responders.slice(0, maxResponders).some((bytes) => {
    const responder = certificateOrNull(bytes);
    return responder !== null && isDelegated(responder, issuer, nowMs) && verifies(response, responder);
  });
}

/** A responder that the issuer signed for this purpose (RFC 6960 §4.2.2.2). */
function isDelegated(responder: X509Certificate, issuer: X509Certificate, nowMs: number): boolean {
  const isCurrent = validFromMs(responder) <= nowMs && nowMs <= validToMs(responder);
  if (!isCurrent || !(responder.keyUsage ?? []).includes(ocspSigningOid) || !responder.checkIssued(issuer)) return false;
  const key = keyOrNull(issuer);
  return key !== null && responder.verify(key);
}

function verifies({ signedBytes, algorithm, signature }: BasicResponse, signer: X509Certificate): boolean {
  const digest = signatures[algorithm];
  const key = keyOrNull(signer);
  if (digest === undefined || key === null) return false;
  try {
    return verify(digest, signedBytes, key, signature);
  } catch {
    return false; // a key of another kind than the signature
  }
}

/** The status in the answer that is about `leaf` and of these days; null when there is none. */
function statusOf(answers: readonly DerElement[], leaf: X509Certificate, issuer: X509Certificate, nowMs: number): OcspStatus | null {
  for (const answer of answers) {
    const [id, status, thisUpdate, next] = derChildren(derContent(answer, derTags.sequence));
    if (!isAbout(id, leaf, issuer) || status === undefined) continue;
    const from = instantOf(thisUpdate);
    const to = next?.tag === 0xa0 ? instantOf(readDer(next.content)) : Number.POSITIVE_INFINITY;
    if (from - clockToleranceMs > nowMs || nowMs > to + clockToleranceMs) continue;
    return ({ 0x80: "good", 0xa1: "revoked", 0x82: "unknown" } as const)[status.tag] ?? null;
  }
  return null;
}

/** CertID: serial number, and digests of the issuer's name and key. */
function isAbout(id: DerElement | undefined, leaf: X509Certificate, issuer: X509Certificate): boolean {
  const [algorithm, nameHash, keyHash, serial] = derChildren(derContent(id, derTags.sequence));
  const [oid] = derChildren(derContent(algorithm, derTags.sequence));
  const digest = digests[oidText(derContent(oid, derTags.oid))];
  if (digest === undefined) return false;
  const { name, key } = nameAndKeyOf(issuer);
  const digestOf = (bytes: Buffer): Buffer => createHash(digest).update(bytes).digest();
  return (
    BigInt(`0x0${derContent(serial, derTags.integer).toString("hex")}`) === BigInt(`0x0${leaf.serialNumber}`) &&
    derContent(nameHash, derTags.octetString).equals(digestOf(name)) &&
    derContent(keyHash, derTags.octetString).equals(digestOf(key))
  );
}

/** The subject as it is encoded, and the bits of the key without their wrapping. */
function nameAndKeyOf({ raw }: X509Certificate): { readonly name: Buffer; readonly key: Buffer } {
  const [signed] = derChildren(derContent(readDer(raw), derTags.sequence));
  const parts = derChildren(derContent(signed, derTags.sequence));
  // [version], serial, algorithm, issuer, validity, subject, key …
  const first = parts[0]?.tag === 0xa0 ? 1 : 0;
  const [, bits] = derChildren(derContent(parts[first + 5], derTags.sequence));
  return { name: parts[first + 4]?.whole ?? Buffer.alloc(0), key: derContent(bits, derTags.bitString).subarray(1) };
}

/** GeneralizedTime as RFC 5280 §4.1.2.5.2 has it: `20261120175338Z`. */
function instantOf(element: DerElement | undefined): number {
  const text = derContent(element, 0x18).toString("latin1");
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) throw new DerError("an instant in another form");
  const [, year, month, day, hour, minute, second] = match;
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(instant)) throw new DerError("an instant that is none");
  return instant;
}

function certificateOrNull(bytes: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(bytes);
  } catch {
    return null;
  }
}

function keyOrNull(certificate: X509Certificate): KeyObject | null {
  try {
    return certificate.publicKey;
  } catch {
    return null;
  }
}
