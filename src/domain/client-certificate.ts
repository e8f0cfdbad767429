import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { InputProblem } from "./invalid-input.ts";

/** PEM texts as a user sends them. */
export interface CertificateTexts {
  readonly cert: string;
  readonly ca: string | null;
  readonly key: string;
  readonly passphrase: string | null;
}

interface CertificateProblem extends InputProblem {
  readonly path: keyof CertificateTexts;
}

/** What keeps a client certificate from being used. */
export function certificateProblems({ cert, ca, key, passphrase }: CertificateTexts): readonly CertificateProblem[] {
  const problems: CertificateProblem[] = [];
  const chain = certificatesIn(cert);
  if (typeof chain === "string") problems.push({ path: "cert", message: chain });
  const trusted = ca === null || ca.trim() === "" ? [] : certificatesIn(ca);
  if (typeof trusted === "string") problems.push({ path: "ca", message: trusted });
  const opened = openedKey(key, passphrase);
  if ("message" in opened) problems.push(opened);
  else if (typeof chain !== "string" && chain[0]?.checkPrivateKey(opened.key) === false)
    problems.push({ path: "key", message: "does not belong to the certificate in cert" });
  return problems;
}

/** Anything else between them is ignored, as every reader of PEM does. */
function certificatesIn(text: string): readonly X509Certificate[] | string {
  // It is read back, and a key must not be.
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return "must hold certificates only, received a private key";
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return "must be PEM with at least one certificate";
  const parsed = blocks.map(parsedCertificate);
  const broken = parsed.indexOf(undefined);
  return broken === -1
    ? parsed.flatMap((certificate) => certificate ?? [])
    : `must be PEM; certificate ${broken + 1} of ${blocks.length} cannot be read`;
}

function parsedCertificate(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined; // the only way to ask
  }
}

const privateKeys = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----([^-]*)-----END \1PRIVATE KEY-----/g;

function openedKey(text: string, passphrase: string | null): { readonly key: KeyObject } | CertificateProblem {
  const [block, another] = text.matchAll(privateKeys);
  if (block === undefined || another !== undefined) return { path: "key", message: "must be PEM with one private key" };
  const [pem, label, body = ""] = block;
  if (label === "ENCRYPTED " && isSlowToOpen(Buffer.from(body, "base64")))
    return { path: "key", message: `must be encrypted with at most ${maxIterations} iterations, or with a scrypt of the usual cost` };
  const isEncrypted = label === "ENCRYPTED " || body.includes("4,ENCRYPTED");
  return isEncrypted ? encryptedKey(pem, passphrase) : plainKey(pem);
}

function plainKey(pem: string): { readonly key: KeyObject } | CertificateProblem {
  try {
    return { key: createPrivateKey(pem) };
  } catch {
    return { path: "key", message: "cannot be read" }; // the only way to ask
  }
}

function encryptedKey(key: string, passphrase: string | null): { readonly key: KeyObject } | CertificateProblem {
  if (!passphrase) return { path: "passphrase", message: "is required: the key is encrypted" };
  try {
    return { key: createPrivateKey({ key, format: "pem", passphrase }) };
  } catch {
    return { path: "key", message: "cannot be read with this passphrase" }; // the only way to ask
  }
}

const maxIterations = 1_000_000;
/** N x r x p: sixteen times the default of OpenSSL. */
const maxScryptCost = 2_097_152;
/** 1.3.6.1.4.1.11591.4.11 (RFC 7914 §7). */
const scryptOid = Buffer.from("2b06010401da47040b", "hex");

/**
 * Opening an encrypted key costs what its own parameters say (PKCS #5, RFC 8018), with large ones hours of this process. They are the only
 * integers in its first part. What cannot be read here counts as slow.
 */
function isSlowToOpen(der: Buffer): boolean {
  const algorithm = element(der, element(der, 0)?.start ?? der.length);
  if (algorithm === undefined) return true;
  const numbers = integersIn(der, algorithm.start, algorithm.end, 0);
  const isScrypt = der.subarray(algorithm.start, algorithm.end).includes(scryptOid);
  if (isScrypt) return numbers.reduce((product, n) => product * Math.max(1, n), 1) > maxScryptCost;
  return numbers.some((n) => n > maxIterations);
}

interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** The DER element at `at`; undefined where there is none. */
function element(der: Buffer, at: number): Element | undefined {
  const [tag, first] = [der[at], der[at + 1]];
  if (tag === undefined || first === undefined || first === 0x80) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthBytes;
  if (lengthBytes > 4 || start > der.length) return undefined;
  const end = start + (lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes));
  return end > der.length ? undefined : { tag, start, end };
}

const integerTag = 0x02;
const constructed = 0x20;
const maxDepth = 8;

/** At any depth. What cannot be read counts as an endless number. */
function integersIn(der: Buffer, from: number, to: number, depth: number): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < to; ) {
    const one = element(der, at);
    if (one === undefined || depth > maxDepth) return [Number.POSITIVE_INFINITY];
    if (one.tag === integerTag) found.push(Number(`0x0${der.subarray(one.start, one.end).toString("hex")}`));
    if (one.tag & constructed) found.push(...integersIn(der, one.start, one.end, depth + 1));
    at = one.end;
  }
  return found;
}
