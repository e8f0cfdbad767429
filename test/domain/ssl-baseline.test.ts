import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BaselineResult, baselineGrades, SecurityBaseline, type SslCertificate } from "#contract/checks/ssl.ts";
import { type BaselineFacts, gradeBaseline, rsaEquivalentBits } from "#domain/ssl-baseline.ts";

const leaf: SslCertificate = {
  subject: "CN=app.example",
  issuer: "CN=Issuing CA,O=Good Trust",
  subjectAlternativeNames: ["DNS:app.example"],
  serialNumber: "01",
  fingerprint256: "",
  validFrom: "",
  validTo: "",
  daysUntilExpiry: 30,
  keyType: "ec",
  keySizeBits: 256,
  signatureAlgorithm: "ecdsa-with-SHA256",
  isCa: false,
  selfSigned: false,
};
const intermediate: SslCertificate = { ...leaf, subject: leaf.issuer, issuer: "CN=Root,O=Good Trust", isCa: true };
const root: SslCertificate = { ...intermediate, subject: intermediate.issuer, selfSigned: true };

const best: BaselineFacts = {
  tlsVersion: "TLS1.3",
  cipherSuite: "TLS_AES_256_GCM_SHA384",
  chain: [leaf, intermediate],
  mustStaple: false,
  ocspStatus: "none",
  sctCount: 2,
};
const usual = SecurityBaseline.parse({});

function graded(facts: Partial<BaselineFacts>, baseline: SecurityBaseline = usual) {
  const result = gradeBaseline(baseline, { ...best, ...facts });
  return { ...result, broken: result.findings.filter(({ passed }) => !passed).map(({ rule }) => rule) };
}

describe("the baseline", () => {
  it.each<[string, Partial<BaselineFacts>, string, number, string, readonly string[]]>([
    ["the best connection", {}, "A+", 100, "pass", []],
    ["an RSA key of 2048 bits", { chain: [{ ...leaf, keyType: "rsa", keySizeBits: 2048 }] }, "A", 95, "pass", ["recommendedKeySizeBits"]],
    ["no timestamps", { sctCount: 0 }, "A", 95, "pass", ["sctPresent"]],
    ["TLS 1.2", { tlsVersion: "TLS1.2" }, "A", 90, "pass", ["recommendedTLSVersion"]],
    ["TLS 1.1", { tlsVersion: "TLS1.1" }, "F", 30, "fail", ["minTLSVersion", "recommendedTLSVersion"]],
    ["TLS 1.0", { tlsVersion: "TLS1.0" }, "F", 30, "fail", ["minTLSVersion", "recommendedTLSVersion"]],
    ["3DES", { cipherSuite: "TLS_RSA_WITH_3DES_EDE_CBC_SHA" }, "D", 50, "fail", ["weakCipherSuite"]],
    ["RC4 with MD5", { cipherSuite: "TLS_RSA_WITH_RC4_128_MD5" }, "D", 50, "fail", ["weakCipherSuite"]],
    ["no encryption", { cipherSuite: "TLS_RSA_WITH_NULL_SHA256" }, "D", 50, "fail", ["weakCipherSuite"]],
    ["CBC with SHA-1", { cipherSuite: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA" }, "A+", 100, "pass", []],
    [
      "a short RSA key",
      { chain: [{ ...leaf, keyType: "rsa", keySizeBits: 1024 }] },
      "D",
      45,
      "fail",
      ["minKeySizeBits", "recommendedKeySizeBits"],
    ],
    [
      "a short key of the intermediate",
      { chain: [leaf, { ...intermediate, keyType: "rsa", keySizeBits: 1024 }] },
      "D",
      45,
      "fail",
      ["minKeySizeBits", "recommendedKeySizeBits"],
    ],
    ["a short key of the root", { chain: [leaf, intermediate, { ...root, keyType: "rsa", keySizeBits: 1024 }] }, "A+", 100, "pass", []],
    ["SHA-1", { chain: [{ ...leaf, signatureAlgorithm: "sha1WithRSAEncryption" }] }, "D", 50, "fail", ["weakSignatureAlgorithm"]],
    [
      "SHA-1 in the middle",
      { chain: [leaf, { ...intermediate, signatureAlgorithm: "ecdsa-with-SHA1" }] },
      "D",
      50,
      "fail",
      ["weakSignatureAlgorithm"],
    ],
    ["SHA-1 of the root", { chain: [leaf, intermediate, { ...root, signatureAlgorithm: "sha1WithRSAEncryption" }] }, "A+", 100, "pass", []],
    ["PSS with SHA-1", { chain: [{ ...leaf, signatureAlgorithm: "rsassaPss with SHA1" }] }, "D", 50, "fail", ["weakSignatureAlgorithm"]],
    ["PSS with SHA-512", { chain: [{ ...leaf, signatureAlgorithm: "rsassaPss with SHA512" }] }, "A+", 100, "pass", []],
    ["an authority that was removed", { chain: [{ ...leaf, issuer: "CN=Public CA,O=DigiNotar" }] }, "F", 40, "fail", ["knownBadCA"]],
    ["the same names elsewhere", { chain: [{ ...leaf, issuer: "CN=GeoTrust TLS RSA CA G1,O=DigiCert Inc" }] }, "A+", 100, "pass", []],
    ["a demanded staple that is missing", { mustStaple: true }, "B", 80, "pass", ["ocspMustStapleRespected"]],
    ["a demanded staple that says revoked", { mustStaple: true, ocspStatus: "revoked" }, "B", 80, "pass", ["ocspMustStapleRespected"]],
    ["a demanded staple that is there", { mustStaple: true, ocspStatus: "good" }, "A+", 100, "pass", []],
  ])("grades %s", (_what, facts, grade, score, verdict, broken) => {
    expect(graded(facts)).toMatchObject({ grade, score, verdict, broken });
  });

  it("takes the verdict from the severities, which do not change the grade", () => {
    const baseline = SecurityBaseline.parse({
      sctPresent: { severity: "degrade" },
      minTLSVersion: { value: "TLS1.3", severity: "ignore" },
    });
    expect(graded({ sctCount: 0 }, baseline)).toMatchObject({ verdict: "degrade", score: 95 });
    expect(graded({ tlsVersion: "TLS1.2" }, baseline)).toMatchObject({ verdict: "pass", score: 30 });
  });

  it("says in a sentence what was seen and what is wanted", () => {
    const { findings } = graded({ chain: [{ ...leaf, keySizeBits: 224 }] });
    expect(findings.find(({ rule }) => rule === "recommendedKeySizeBits")?.message).toBe(
      "the weakest key is ec of 224 bits, as strong as 2048 bits of RSA; 3072 bits of RSA or as strong are recommended",
    );
  });

  it.each([
    ["rsa", 2048, 2048],
    ["rsa-pss", 4096, 4096],
    ["dsa", 1024, 1024],
    ["ec", 160, 1024],
    ["ec", 224, 2048],
    ["ec", 256, 3072],
    ["ec", 384, 7680],
    ["ec", 521, 15_360],
    ["ed25519", 256, 3072],
    ["ed448", 456, 7680],
    ["ml-dsa-65", 0, 15_360],
    ["unknown", 0, 0],
  ])("%s of %i bits is as strong as %i bits of RSA", (keyType, keySizeBits, bits) => {
    expect(rsaEquivalentBits({ keyType, keySizeBits })).toBe(bits);
  });

  it("always fits the contract, has one finding per rule, and gets no better by breaking one rule more", () => {
    const names = fc.string({ maxLength: 20 });
    const certificate = fc.record({
      subject: names,
      issuer: names,
      signatureAlgorithm: names,
      keyType: names,
      keySizeBits: fc.nat(20_000),
    });
    const facts = fc.record({
      tlsVersion: fc.constantFrom("TLS1.0", "TLS1.1", "TLS1.2", "TLS1.3"),
      cipherSuite: names,
      chain: fc.array(certificate, { minLength: 1, maxLength: 4 }).map((chain) => chain.map((each) => ({ ...leaf, ...each }))),
      mustStaple: fc.boolean(),
      ocspStatus: fc.constantFrom("good", "revoked", "unknown", "invalid", "none"),
      sctCount: fc.nat(3),
    });
    fc.assert(
      fc.property(facts, (seen) => {
        const result = BaselineResult.parse(gradeBaseline(usual, seen));
        expect(result.findings.map(({ rule }) => rule).toSorted()).toEqual(
          Object.keys(usual)
            .filter((key) => key !== "enabled")
            .toSorted(),
        );
        const worse = gradeBaseline(usual, { ...seen, tlsVersion: "TLS1.0" });
        expect(worse.score).toBeLessThanOrEqual(result.score);
        expect(baselineGrades.indexOf(worse.grade)).toBeGreaterThanOrEqual(baselineGrades.indexOf(result.grade));
      }),
    );
  });
});
