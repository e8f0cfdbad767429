import { describe, expect, it } from "vitest";
import type { ConnectionFacts } from "#contract/checks/connection.ts";
import { trailOf } from "../../../src/agent/runners/trail.ts";

const target = { host: "app.test", port: 443, ipFamily: "IPv6", tls: true } as const;
const tls = { protocol: "TLSv1.3", cipher: "", authorized: false, trustError: "CERT_HAS_EXPIRED", validTo: null, daysRemaining: -1 };
const dialled: ConnectionFacts = { remoteAddress: "10.0.0.1", remotePort: 443, ipFamily: "IPv4", tls: null };
const failure = (code: string, side: "target" | "agent" = "target") => ({ code, side, message: "" });

describe("the trail of a failure", () => {
  it.each([
    ["ECONNREFUSED", "target", dialled],
    ["ETIMEDOUT", "target", dialled],
    ["EHOSTUNREACH", "target", dialled],
    ["EPROTO", "target", dialled],
    ["CERT_HAS_EXPIRED", "target", { ...dialled, tls }],
    ["ENOTFOUND", "target", null],
    ["EDNS", "agent", null],
    ["ETIMEDOUT", "agent", null],
  ] as const)("of %s on the side of the %s leads to what was dialled last", (code, side, connection) => {
    expect(trailOf(target, connection, failure(code, side))).toEqual({
      host: "app.test",
      port: 443,
      tls: true,
      ipFamily: connection === null ? "IPv6" : "IPv4",
      address: connection?.remoteAddress ?? null,
      code,
    });
  });

  it.each([
    ["EPOLICY", "target", dialled],
    ["EBADURL", "target", null],
    ["EBADEXPECT", "target", null],
    ["EEXPECT", "target", { ...dialled, tls }],
    ["ESTARTTLS", "target", dialled],
    ["EMFILE", "agent", dialled],
    ["EPROXY", "agent", dialled],
    ["ENETUNREACH", "agent", dialled],
  ] as const)("of %s on the side of the %s is none", (code, side, connection) => {
    expect(trailOf(target, connection, failure(code, side))).toBeNull();
  });
});
