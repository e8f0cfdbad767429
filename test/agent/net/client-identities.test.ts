import { afterAll, describe, expect, it } from "vitest";
import { createTrustWithCertificates } from "../../../src/agent/net/client-identities.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { makeCertificates } from "../../support/certificates.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const certificate = { host: "a.example", ...certificates.pair("good"), ca: null, passphrase: null };

describe("the context of a client certificate", () => {
  it("is made once for a trust and the same texts, whatever host they are for", () => {
    const [trust, other] = [createTrust([]), createTrust([certificates.ca])];
    const trustWithCertificate = createTrustWithCertificates();
    const first = trustWithCertificate(trust, certificate);
    expect(trustWithCertificate(trust, { ...certificate, host: "b.example" })).toBe(first);
    expect(trustWithCertificate(other, certificate)).not.toBe(first);
    expect(trustWithCertificate(trust, { ...certificate, ca: certificates.ca })).not.toBe(first);
    expect(trustWithCertificate(trust, { ...certificate, ...certificates.pair("expired") })).not.toBe(first);
  });

  it("is forgotten when many others were used since", () => {
    const trust = createTrust([]);
    const trustWithCertificate = createTrustWithCertificates();
    const first = trustWithCertificate(trust, certificate);
    for (let n = 1; n < 50; n += 1) trustWithCertificate(trust, { ...certificate, cert: certificate.cert + "\n".repeat(n) });
    expect(trustWithCertificate(trust, certificate)).toBe(first);
    for (let n = 1; n <= 50; n += 1) trustWithCertificate(trust, { ...certificate, cert: certificate.cert + "\n".repeat(n) });
    expect(trustWithCertificate(trust, certificate)).not.toBe(first);
  });
});
