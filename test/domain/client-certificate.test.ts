import { generateKeyPairSync } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { certificateProblems } from "#domain/client-certificate.ts";
import { makeCertificates } from "../support/certificates.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const { cert, key } = certificates.pair("good");
const other = certificates.pair("selfSigned");
const texts = { cert, ca: null, key, passphrase: null };
const fields = (given: Parameters<typeof certificateProblems>[0]) => certificateProblems(given).map(({ path }) => path);

/** An encrypted key whose parameters say how much work opening it is. */
function encryptedKey(iterations: number): string {
  const number = Buffer.from(iterations.toString(16).padStart(8, "0"), "hex");
  const sequence = (...parts: readonly Buffer[]): Buffer => wrap(0x30, Buffer.concat(parts));
  const wrap = (tag: number, body: Buffer): Buffer => Buffer.concat([Buffer.from([tag, body.length]), body]);
  const pbkdf2 = sequence(wrap(0x06, Buffer.from("2a864886f70d01050c", "hex")), sequence(wrap(0x04, Buffer.alloc(8)), wrap(0x02, number)));
  const cipher = sequence(wrap(0x06, Buffer.from("60864801650304012a", "hex")), wrap(0x04, Buffer.alloc(16)));
  const pbes2 = sequence(wrap(0x06, Buffer.from("2a864886f70d01050d", "hex")), sequence(pbkdf2, cipher));
  return pem("ENCRYPTED PRIVATE KEY", sequence(pbes2, wrap(0x04, Buffer.alloc(16))));
}

function pem(label: string, der: Buffer): string {
  return `-----BEGIN ${label}-----\n${der.toString("base64")}\n-----END ${label}-----\n`;
}

describe("a client certificate", () => {
  it("is a certificate with its own key, whatever stands around them and however long ago it ended", () => {
    expect(certificateProblems(texts)).toEqual([]);
    expect(certificateProblems({ ...texts, cert: `subject=/CN=x\r\n${cert}${certificates.ca}`, ca: certificates.ca })).toEqual([]);
    const expired = certificates.pair("expired");
    expect(certificateProblems({ ...texts, ...expired })).toEqual([]);
  });

  it.each(["aes-256-cbc", "des-ede3-cbc"])("may have a key that is encrypted with %s", (cipher) => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const encrypted = privateKey.export({ type: "pkcs8", format: "pem", cipher, passphrase: "hush" }).toString();
    const found = certificateProblems({ ...texts, key: encrypted, passphrase: "hush" });
    expect(found).toEqual([{ path: "key", message: "does not belong to the certificate in cert" }]);
    expect(fields({ ...texts, key: encrypted })).toEqual(["passphrase"]);
    expect(fields({ ...texts, key: encrypted, passphrase: "wrong" })).toEqual(["key"]);
  });

  it.each([
    ["no certificate", { cert: "hello" }, "cert"],
    ["a certificate that is cut", { cert: cert.replace(/\n[^-\n]+\n-----END/, "\n-----END") }, "cert"],
    ["a broken one behind a good one", { cert: `${cert}${pem("CERTIFICATE", Buffer.alloc(40))}` }, "cert"],
    ["a key among the certificates, where it would be read back", { cert: `${cert}${key}` }, "cert"],
    ["a broken authority", { ca: "hello" }, "ca"],
    ["a key among the authorities", { ca: `${certificates.ca}${key}` }, "ca"],
    ["a certificate for a key", { key: cert }, "key"],
    ["two keys", { key: `${key}${other.key}` }, "key"],
    ["a broken key", { key: pem("PRIVATE KEY", Buffer.alloc(40)) }, "key"],
    ["another certificate's key", { key: other.key }, "key"],
  ])("is refused with %s", (_what, change, field) => {
    expect(fields({ ...texts, ...change })).toEqual([field]);
  });

  it("is refused, not tried, when opening its key would take hours", () => {
    const [problem] = certificateProblems({ ...texts, key: encryptedKey(2 ** 31 - 1), passphrase: "hush" });
    expect(problem?.message).toContain("1000000 iterations");
    const [wrong] = certificateProblems({ ...texts, key: encryptedKey(2_048), passphrase: "hush" });
    expect(wrong?.message).toContain("passphrase");
  });

  it.each([
    ["scrypt N=2^30", "301f06092b06010401da47040b301204044141414102044000000002010802010102"],
    ["an indefinite length", "308006092a864886f70d01050d0000"],
  ])("is refused when its key's parameters are %s", (_what, hex) => {
    const body = Buffer.concat([Buffer.from([0x30, hex.length / 2 + 2]), Buffer.from(hex, "hex"), Buffer.from([0x04, 0])]);
    expect(certificateProblems({ ...texts, key: pem("ENCRYPTED PRIVATE KEY", body), passphrase: "hush" })[0]?.message).toContain(
      "iterations",
    );
  });

  it("never tells what was sent", () => {
    const told = JSON.stringify(certificateProblems({ ...texts, key: other.key, cert: "secret words" }));
    expect(told).not.toContain("secret words");
  });
});
