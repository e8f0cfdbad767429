import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { BoundedCache } from "#domain/bounded-cache.ts";
import { validFromMs, validToMs } from "./certificate-dates.ts";
import { derChildren, derContent, derTags, readDer, writeDer } from "./der.ts";

/** Makes certificates that say of a server what its own says, for whoever stands between it and a client of ours. Its keys are in this process alone. */
export interface MirrorAuthority {
  /** PEM, for clients that are told of authorities. */
  readonly certificate: string;
  /** SHA-256 of its public key, for clients that are told of keys. */
  readonly keyHash: string;
  /**
   * What a client is shown in the place of `leaf`, with its names and dates. A client judges them as it would judge the server's own.
   *
   * @param problem what the server's chain was found to have, as OpenSSL's code; null: nothing
   * @param sendsAuthority whether the authority is among what is sent, but never with a problem: who knows it by its key takes everything then
   */
  contextFor(leaf: X509Certificate, problem: string | null, sendsAuthority: boolean): SecureContext;
}

interface Signer {
  readonly name: Buffer;
  readonly key: KeyObject;
}

/** Of one run; a server may change its certificate meanwhile. */
const rememberedContexts = 50;
const [utf8String, utcTime, set] = [0x0c, 0x17, 0x31];
const context = (number: number): number => 0xa0 + number;
const sequence = (...parts: readonly Buffer[]): Buffer => writeDer(derTags.sequence, ...parts);
const oid = (hex: string): Buffer => writeDer(derTags.oid, Buffer.from(hex, "hex"));
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const commonName = oid("550403");
const subjectAltName = oid("551d11");
/** Critical: an authority (RFC 5280 §4.2.1.9). */
const ofAuthorities = sequence(oid("551d13"), Buffer.of(0x01, 1, 0xff), writeDer(derTags.octetString, sequence(Buffer.of(0x01, 1, 0xff))));
/** From 2020 to 2049: clocks may be wrong, and it lives as long as a run. */
const always = sequence(...["200101000000Z", "491231235959Z"].map((text) => writeDer(utcTime, Buffer.from(text))));

export function createMirrorAuthority(): MirrorAuthority {
  const pair = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [own, ofLeaves, strange] = [pair(), pair(), pair()];
  const known: Signer = { name: nameOf("Outpost, for the client certificates of this run"), key: own.privateKey };
  /** No client knows it, as none knows the authority of the server. */
  const stranger: Signer = { name: nameOf("an authority that is not known"), key: strange.privateKey };
  const spki = spkiOf(own.publicKey);
  const certificate = pemOf(signed(known, { subject: known.name, validity: always, spki, extensions: [ofAuthorities] }));
  const key = ofLeaves.privateKey.export({ type: "pkcs8", format: "pem" });
  const contexts = new BoundedCache<SecureContext>(rememberedContexts, (text) => {
    const { leaf, isKnown, sendsAuthority } = JSON.parse(text) as { leaf: string; isKnown: boolean; sendsAuthority: boolean }; // made below
    const made = pemOf(mirrored(new X509Certificate(leaf), isKnown ? known : stranger, spkiOf(ofLeaves.publicKey)));
    return createSecureContext({ cert: sendsAuthority ? made + certificate : made, key });
  });
  return {
    certificate,
    keyHash: createHash("sha256").update(spki).digest("base64"),
    contextFor: (leaf, problem, sendsAuthority) =>
      contexts.get(
        JSON.stringify({
          leaf: leaf.toString(),
          isKnown: problem === null || isToldByLeaf(leaf, problem),
          sendsAuthority: sendsAuthority && problem === null,
        }),
      ),
  };
}

/** Whether a client sees the problem by itself in names or dates: then it has the right words for it. */
function isToldByLeaf(leaf: X509Certificate, problem: string): boolean {
  if (problem === "ERR_TLS_CERT_ALTNAME_INVALID") return true;
  if (problem === "CERT_HAS_EXPIRED") return validToMs(leaf) < Date.now();
  return problem === "CERT_NOT_YET_VALID" && validFromMs(leaf) > Date.now();
}

function mirrored(leaf: X509Certificate, signer: Signer, spki: Buffer): Buffer {
  const [body] = derChildren(derContent(readDer(leaf.raw), derTags.sequence));
  const parts = derChildren(derContent(body, derTags.sequence));
  const fields = parts[0]?.tag === context(0) ? parts.slice(1) : parts; // version 1 does not say so
  const [, , , validity, subject] = fields.map(({ whole }) => whole);
  if (validity === undefined || subject === undefined) throw new Error("a certificate without dates or subject");
  const list = fields.find(({ tag }) => tag === context(3));
  const extensions = list === undefined ? [] : derChildren(derContent(readDer(list.content), derTags.sequence));
  const names = extensions.filter(({ content }) => readDer(content).whole.equals(subjectAltName)).map(({ whole }) => whole);
  return signed(signer, { subject, validity, spki, extensions: names });
}

/** A certificate of version 3 (RFC 5280 §4.1). */
function signed(
  { name, key }: Signer,
  parts: { readonly subject: Buffer; readonly validity: Buffer; readonly spki: Buffer; readonly extensions: readonly Buffer[] },
): Buffer {
  const { subject, validity, spki, extensions } = parts;
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40; // positive, and no byte too many
  const body = sequence(
    writeDer(context(0), writeDer(derTags.integer, Buffer.from([2]))),
    writeDer(derTags.integer, serial),
    ecdsaWithSha256,
    name,
    validity,
    subject,
    spki,
    ...(extensions.length === 0 ? [] : [writeDer(context(3), sequence(...extensions))]),
  );
  return sequence(body, ecdsaWithSha256, writeDer(derTags.bitString, Buffer.concat([Buffer.of(0), sign("sha256", body, key)])));
}

function pemOf(der: Buffer): string {
  return new X509Certificate(der).toString();
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

function nameOf(text: string): Buffer {
  return sequence(writeDer(set, sequence(commonName, writeDer(utf8String, Buffer.from(text)))));
}
