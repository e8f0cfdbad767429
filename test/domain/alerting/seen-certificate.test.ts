import { describe, expect, it } from "vitest";
import { crossedThreshold, seenCertificate } from "../../../src/domain/alerting/seen-certificate.ts";

const tls = { validTo: "2027-01-01T00:00:00.000Z", daysRemaining: 12 };

describe("the certificate of a report", () => {
  it.each([
    [
      "an SSL check: its leaf, by the name that was asked for",
      { request: {}, response: { serverName: "shop.example", certificate: { fingerprint256: "AB:CD", daysUntilExpiry: 3, validTo: "x" } } },
      { domain: "shop.example", fingerprint: "AB:CD", daysRemaining: 3 },
    ],
    [
      "an SSL check without a name: the host",
      {
        request: { sslConfig: { hostname: "192.0.2.1" } },
        response: { serverName: "", certificate: { fingerprint256: "AB", daysUntilExpiry: -2 } },
      },
      { domain: "192.0.2.1", fingerprint: "AB", daysRemaining: -2 },
    ],
    [
      "an API check: the host of its address",
      { request: { url: "https://shop.example:8443/a?b" }, connection: { tls }, redirects: [] },
      { domain: "shop.example", fingerprint: `shop.example ${tls.validTo}`, daysRemaining: 12 },
    ],
    [
      "behind redirects: the last host",
      { request: { url: "https://a.example/" }, connection: { tls }, redirects: [{ location: "https://b.example/x" }, { location: "/y" }] },
      { domain: "b.example", fingerprint: `b.example ${tls.validTo}`, daysRemaining: 12 },
    ],
    [
      "an agent that tells the fingerprint of a connection",
      { request: { url: "https://shop.example/" }, connection: { tls: { ...tls, fingerprint256: "AB:CD" } } },
      { domain: "shop.example", fingerprint: "AB:CD", daysRemaining: 12 },
    ],
    [
      "a TCP check: its host",
      { request: { hostname: "mail.example", port: 993 }, connection: { tls } },
      { domain: "mail.example", fingerprint: `mail.example ${tls.validTo}`, daysRemaining: 12 },
    ],
  ])("is that of %s", (_what, detail, expected) => {
    expect(seenCertificate(detail)).toEqual(expected);
  });

  it.each([
    ["no detail", null],
    ["no TLS", { request: { url: "http://shop.example/" }, connection: { tls: null } }],
    [
      "an end that cannot be read",
      { request: { url: "https://shop.example/" }, connection: { tls: { validTo: null, daysRemaining: null } } },
    ],
    ["an SSL check that saw none", { request: { hostname: "a" }, response: { serverName: "a", certificate: null } }],
    ["another kind of value", { request: { hostname: 7 }, connection: { tls: { validTo: 7, daysRemaining: "12" } } }],
  ])("is none with %s", (_what, detail) => {
    expect(seenCertificate(detail)).toBeNull();
  });

  it("is bounded and fit to be stored, whatever an agent sends", () => {
    const certificate = { fingerprint256: `\0\ud800${"f".repeat(10_000)}`, daysUntilExpiry: 1.5 };
    const seen = seenCertificate({ response: { serverName: "d".repeat(10_000), certificate } });
    expect(seen).toMatchObject({ domain: "d".repeat(253), fingerprint: expect.stringMatching(/^\ufffd{2}f{198}$/), daysRemaining: 1 });
  });
});

it.each([
  [true, 30, 31, null],
  [true, 30, 30, 30],
  [true, 7, 8, null],
  [true, 7, 7, 7],
  [true, 7, -5, 7],
  [false, 30, 1, null],
])("a channel with sslExpiry %s and a threshold of %i days hears of %i days under %s", (sslExpiry, sslExpiryThreshold, days, threshold) => {
  expect(crossedThreshold({ sslExpiry, sslExpiryThreshold }, days)).toBe(threshold);
});
