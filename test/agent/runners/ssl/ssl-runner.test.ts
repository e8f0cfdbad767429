import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SslCheckSettings } from "#contract/checks/ssl.ts";
import { seenCertificate } from "#domain/alerting/seen-certificate.ts";
import { checkRules } from "#domain/check-rules.ts";
import { judgeAttempt } from "#domain/verdict.ts";
import { noNginx } from "../../../support/nginx.ts";
import { responseOf } from "../../../support/run-context.ts";
import { Authority } from "./authority.ts";
import { type SslInput, sslChecks } from "./ssl-check.ts";
import { nginxSites, opensslServer, type TlsSites } from "./tls-servers.ts";

const missing = noNginx ?? (existsSync("/usr/bin/openssl") ? null : "/usr/bin/openssl is not installed");
if (missing !== null) process.stdout.write(`SSL monitors against real servers are skipped: ${missing}\n`);

const rsa = (bits: number): string[] => [`rsa:${bits}`];
const twoTimestamps = "1.3.6.1.4.1.11129.2.4.2 = DER:04:0c:00:0a:00:03:aa:bb:cc:00:03:dd:ee:ff";
const mustStaple = "tlsfeature = status_request";

describe.skipIf(missing !== null)("the SSL runner and real servers", () => {
  let authority: Authority;
  let sites: TlsSites;
  let check: ReturnType<typeof sslChecks>;
  const at = (name: string, config: Partial<SslInput> = {}) => check({ port: sites.port(name), ...config });

  beforeAll(async () => {
    authority = new Authority();
    authority
      .issue("intermediate", { isCa: true, names: null, toDays: 12 })
      .issue("responder", { signer: "intermediate", extensions: ["extendedKeyUsage = OCSPSigning"] })
      .issue("stranger", { signer: "stranger", isCa: true, names: null })
      .issue("rsaRoot", { signer: "rsaRoot", isCa: true, names: null, key: rsa(2048) })
      .issue("good", { signer: "intermediate", subject: "/CN=localhost/O=Red, White \\+ Blue", extensions: [twoTimestamps] })
      .issue("direct")
      .issue("expired", { fromDays: -10, toDays: -1.5 })
      .issue("future", { fromDays: 2 })
      .issue("wrongName", { names: "DNS:other.example" })
      .issue("selfSigned", { signer: "selfSigned" })
      .issue("strange", { signer: "stranger" })
      .issue("weakKey", { key: rsa(1024) })
      .issue("sha1", { digest: "sha1" })
      .issue("rsa", { key: rsa(2048) })
      .issue("pss", { signer: "rsaRoot", signing: ["-sigopt", "rsa_padding_mode:pss"] })
      .issue("stapled", { signer: "intermediate", extensions: [mustStaple] })
      .issue("revoked", { signer: "intermediate", extensions: [mustStaple] })
      .issue("oldRoot", { signer: "stranger", isCa: true, names: null, fromDays: -10, toDays: -2 });
    for (const name of ["good", "stapled", "revoked", "strange"]) authority.bundle(`${name}-chain.pem`, name, "intermediate");
    authority.bundle("strange-chain.pem", "strange", "stranger");
    authority.bundle("old-chain.pem", "good", "intermediate", "oldRoot");
    authority.staple("stapled", { issuer: "intermediate", out: "good.der" });
    authority.staple("stapled", { issuer: "intermediate", responder: "responder", out: "delegated.der" });
    authority.staple("stapled", { issuer: "intermediate", responder: "stranger", out: "forged.der" });
    authority.staple("good", { issuer: "intermediate", out: "others.der" });
    authority.staple("revoked", { issuer: "intermediate", out: "revoked.der", revoked: true });
    const staple = (file: string) => ["ssl_stapling on;", `ssl_stapling_file ${authority.path(file)};`];
    const site = (name: string, ...lines: string[]) => ({ certificate: name, chain: `${name}-chain.pem`, lines });
    sites = await nginxSites(authority, {
      good: site("good"),
      missingIntermediate: { certificate: "good" },
      oldRoot: { certificate: "good", chain: "old-chain.pem" },
      ...Object.fromEntries(
        ["direct", "expired", "future", "wrongName", "selfSigned", "rsa", "pss"].map((name) => [name, { certificate: name }]),
      ),
      weakKey: { certificate: "weakKey", lines: ["ssl_ciphers ALL:@SECLEVEL=0;"] },
      sha1: { certificate: "sha1", lines: ["ssl_ciphers ALL:@SECLEVEL=0;"] },
      strange: site("strange"),
      tls12: { certificate: "rsa", lines: ["ssl_protocols TLSv1.2;"] },
      stapled: site("stapled", ...staple("good.der")),
      delegated: site("stapled", ...staple("delegated.der")),
      forged: site("stapled", ...staple("forged.der")),
      others: site("stapled", ...staple("others.der")),
      revoked: site("revoked", ...staple("revoked.der")),
      unstapled: site("stapled"),
      clientCertificate: {
        certificate: "direct",
        lines: ["ssl_verify_client on;", `ssl_client_certificate ${authority.path("root.pem")};`],
      },
      clientCertificate12: {
        certificate: "direct",
        lines: ["ssl_protocols TLSv1.2;", "ssl_verify_client on;", `ssl_client_certificate ${authority.path("root.pem")};`],
      },
    });
    check = sslChecks([authority.read("root.pem"), authority.read("rsaRoot.pem")]);
  });

  afterAll(async () => {
    await sites?.[Symbol.asyncDispose]();
    authority?.[Symbol.dispose]();
  });

  it("tells a good connection and its chain as sent, with phases that sum to the total", async () => {
    const seen = await at("good");
    const response = responseOf(seen);
    expect(seen.failure).toBeNull();
    expect(response).toMatchObject({
      resolvedIp: "127.0.0.1",
      serverName: "localhost",
      protocol: "TLSv1.3",
      cipherSuite: expect.stringMatching(/^TLS_AES/),
      alpn: "http/1.1",
      chainTrusted: true,
      chainTrustReason: "trusted",
      hostnameVerified: true,
      incompleteChain: false,
      missingIntermediate: "",
      sctCount: 2,
      ocspStapled: false,
      ocspStatus: "none",
      daysUntilExpiry: 29,
      certificate: {
        subject: "CN=localhost,O=Red\\, White \\+ Blue",
        issuer: "CN=intermediate",
        subjectAlternativeNames: ["DNS:localhost", "IP Address:127.0.0.1"],
        keyType: "ec",
        keySizeBits: 256,
        signatureAlgorithm: "ecdsa-with-SHA256",
        isCa: false,
        selfSigned: false,
      },
      securityBaseline: { verdict: "pass", grade: "A+", score: 100 },
    });
    expect(response.chain.map(({ subject, isCa }) => [subject, isCa])).toEqual([
      [response.certificate?.subject, false],
      ["CN=intermediate", true],
    ]);
    const { dns, connection, startTls, handshake, total } = response.timingPhases;
    expect(dns + connection + startTls + handshake).toBeCloseTo(total, 3);
    expect(seen.responseTimeMs).toBe(handshake);
    expect(seen.result).toMatchObject({ tlsVersion: "TLS1.3", baselineVerdict: "pass", baselineGrade: "A+", failureCategory: null });
    expect(seen.metrics).toEqual({
      handshakeTimeMs: handshake,
      daysUntilExpiry: 29,
      tlsVersion: 1.3,
      keySizeBits: 256,
      baselineScore: 100,
      trustBits: 3,
    });
  });

  it("gives assertions the certificate, the connection, and all of it as JSON", async () => {
    const { facts } = await at("good");
    expect(facts.fields?.CERTIFICATE).toMatchObject({
      daysUntilExpiry: 29,
      keySizeBits: 256,
      intermediateDaysUntilExpiry: 11,
      sctCount: 2,
    });
    expect(facts.fields?.CONNECTION).toMatchObject({
      tlsVersion: "TLS1.3",
      chainTrusted: true,
      resolvedIp: "127.0.0.1",
      baselineGrade: "A+",
    });
    expect(facts.json?.()).toMatchObject({ port: sites.port("good") });
    expect(JSON.parse(facts.text())).toEqual(facts.json?.());
  });

  it.each([
    ["expired", "CERT_HAS_EXPIRED", "expired", true],
    ["future", "CERT_NOT_YET_VALID", "not_yet_valid", true],
    ["selfSigned", "DEPTH_ZERO_SELF_SIGNED_CERT", "chain", true],
    ["strange", "SELF_SIGNED_CERT_IN_CHAIN", "chain", true],
    ["missingIntermediate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "chain", true],
    ["wrongName", "trusted", "hostname", false],
  ])(
    "observes %s, which is no failure of the probe but fails the check",
    async (name, chainTrustReason, failureCategory, hostnameVerified) => {
      const seen = await at(name);
      expect(seen.failure).toBeNull();
      expect(responseOf(seen)).toMatchObject({ chainTrustReason, hostnameVerified, chainTrusted: chainTrustReason === "trusted" });
      expect(seen.result.failureCategory).toBe(failureCategory);
      const settings = SslCheckSettings.parse({
        request: { sslConfig: { hostname: "localhost" } },
        degradedResponseTime: null,
        maxResponseTime: null,
      });
      const verdict = judgeAttempt({ ...checkRules.SSL(settings, seen), statusCode: null, failure: null, assertions: [] });
      expect(verdict.hasFailures).toBe(true);
    },
  );

  it("names a certificate that has expired, so that channels can be told of it once", async () => {
    const { result } = await at("expired");
    const { fingerprint256 = "" } = result.response?.certificate ?? {};
    expect(fingerprint256).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(seenCertificate(result)).toEqual({ domain: "localhost", fingerprint: fingerprint256, daysRemaining: -2 });
  });

  it("names the intermediate that was not sent", async () => {
    expect(responseOf(await at("missingIntermediate"))).toMatchObject({ incompleteChain: true, missingIntermediate: "CN=intermediate" });
    expect(responseOf(await at("strange"))).toMatchObject({ incompleteChain: false, missingIntermediate: "" });
  });

  it("takes a trusted intermediate alone, as a private authority may give out no more", async () => {
    const checkWithIntermediate = sslChecks([authority.read("intermediate.pem")]);
    expect(responseOf(await checkWithIntermediate({ port: sites.port("missingIntermediate") }))).toMatchObject({
      chainTrusted: true,
      incompleteChain: false,
    });
  });

  it("does not mind an expired certificate beside the way that is trusted", async () => {
    const seen = await at("oldRoot");
    expect(responseOf(seen)).toMatchObject({ chainTrusted: true, chain: [{}, {}, { daysUntilExpiry: expect.any(Number) }] });
    expect(responseOf(seen).chain[2]?.daysUntilExpiry).toBeLessThan(0);
    expect(seen.facts.fields?.CERTIFICATE).toMatchObject({ intermediateDaysUntilExpiry: 11 });
    expect(seen.result.failureCategory).toBeNull();
  });

  it.each([
    ["weakKey", "minKeySizeBits", { keyType: "rsa", keySizeBits: 1024 }],
    ["sha1", "weakSignatureAlgorithm", { signatureAlgorithm: "ecdsa-with-SHA1" }],
  ])("grades %s badly where a stricter client would see nothing", async (name, rule, certificate) => {
    const seen = await at(name);
    const response = responseOf(seen);
    expect(response).toMatchObject({ chainTrusted: true, certificate, securityBaseline: { verdict: "fail" } });
    expect(
      response.securityBaseline?.findings.filter(({ passed, severity }) => !passed && severity === "fail").map((finding) => finding.rule),
    ).toEqual([rule]);
    expect(seen.result.failureCategory).toBe("baseline");
  });

  it("tells the digest of an RSASSA-PSS signature", async () => {
    expect(responseOf(await at("pss")).certificate?.signatureAlgorithm).toBe("rsassaPss with SHA256");
  });

  it("grades TLS 1.2 with a plain RSA key as good, not as best", async () => {
    expect(responseOf(await at("tls12"))).toMatchObject({ protocol: "TLSv1.2", securityBaseline: { verdict: "pass", grade: "B" } });
    expect((await at("tls12")).metrics["tlsVersion"]).toBe(1.2);
  });

  it.each([
    ["stapled", "good"],
    ["delegated", "good"],
    ["revoked", "revoked"],
    ["forged", "invalid"],
    ["others", "invalid"],
    ["unstapled", "none"],
  ])("reads the OCSP staple of %s as %s, and holds it against a certificate that demands one", async (name, ocspStatus) => {
    const { metrics, result } = await at(name);
    expect(result.response).toMatchObject({ ocspStatus, ocspStapled: ocspStatus !== "none" });
    expect(metrics["trustBits"]).toBe(ocspStatus === "none" ? 3 : 7);
    const finding = result.response?.securityBaseline?.findings.find(({ rule }) => rule === "ocspMustStapleRespected");
    expect(finding?.passed).toBe(ocspStatus === "good");
  });

  it("examines servers that want a client certificate, by both versions of TLS", async () => {
    expect(responseOf(await at("clientCertificate"))).toMatchObject({ protocol: "TLSv1.3", chainTrusted: true });
    expect(responseOf(await at("clientCertificate12"))).toMatchObject({ protocol: "TLSv1.2", chainTrusted: true });
  });

  it("says so when a server breaks off for want of a client certificate", async () => {
    const { folder } = authority;
    await using server = await opensslServer(["-cert", `${folder}/direct.pem`, "-key", `${folder}/direct.key`, "-tls1_2", "-Verify", "1"]);
    const seen = await check({ port: server.port });
    expect(seen.failure).toMatchObject({ code: "EPROTO", message: expect.stringContaining("it may want one of the client") });
    expect(seen.result).toMatchObject({ failureCategory: "handshake", response: null });
  });

  it.each([
    ["TLS 1.0", ["-tls1", "-cipher", "ALL:@SECLEVEL=0"], "TLS1.0", 1, ["minTLSVersion"]],
    ["TLS 1.1", ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], "TLS1.1", 1.1, ["minTLSVersion"]],
    [
      "a suite without encryption",
      ["-tls1_2", "-cipher", "NULL-SHA256:ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0"],
      "TLS1.2",
      1.2,
      ["weakCipherSuite"],
    ],
  ])("examines a server that speaks only %s, and grades it D or worse", async (_what, args, tlsVersion, number, broken) => {
    const { folder } = authority;
    await using server = await opensslServer(["-cert", `${folder}/direct.pem`, "-key", `${folder}/direct.key`, ...args]);
    const seen = await check({ port: server.port });
    expect(seen.result).toMatchObject({ tlsVersion, baselineVerdict: "fail", failureCategory: "baseline" });
    expect(seen.metrics["tlsVersion"]).toBe(number);
    const baseline = responseOf(seen).securityBaseline;
    expect(baseline?.findings.filter(({ passed, severity }) => !passed && severity === "fail").map(({ rule }) => rule)).toEqual(broken);
    expect(["D", "F"]).toContain(baseline?.grade);
  });

  it("verifies the name that it is told to, and addresses too", async () => {
    expect(responseOf(await at("wrongName", { serverName: "other.example" })).hostnameVerified).toBe(true);
    expect(responseOf(await at("good", { serverName: null }))).toMatchObject({ serverName: "127.0.0.1", hostnameVerified: true });
    expect(responseOf(await at("wrongName", { serverName: null })).hostnameVerified).toBe(false);
  });

  it("does not call the chain's trust a reason where the check does not ask for it, and grades nothing when told not to", async () => {
    const seen = await at("selfSigned", { skipChainValidation: true, securityBaseline: { enabled: false } });
    expect(seen.result).toMatchObject({ failureCategory: null, response: { chainTrusted: false, securityBaseline: null } });
    expect(seen.result).not.toHaveProperty("baselineVerdict");
    expect(seen.metrics["baselineScore"]).toBeNull();
  });
});
