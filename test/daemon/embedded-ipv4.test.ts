import { isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { embeddedIPv4 } from "../../src/daemon/embedded-ipv4.ts";

describe("embeddedIPv4", () => {
  it.each([
    ["10.1.2.3", null],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["::ffff:a01:203", "10.1.2.3"],
    ["0:0:0:0:0:FFFF:a9fe:a9fe", "169.254.169.254"],
    ["::10.1.2.3", "10.1.2.3"],
    ["2002:a9fe:a9fe::1", "169.254.169.254"],
    ["64:ff9b::169.254.169.254", "169.254.169.254"],
    ["64:ff9b:1::a9fe:a9fe", "169.254.169.254"],
    ["64:ff9b:1:a9fe:a9:fe00::", "169.254.169.254"],
    ["::1", null],
    ["::", null],
    ["2001:db8::a9fe:a9fe", null],
    ["fe80::ffff:a9fe:a9fe", null],
  ])("of %s is %s", (address, expected) => {
    expect(embeddedIPv4(address)).toBe(expected);
  });

  it("finds every address again that was written in one of the forms", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom("::ffff:", "64:ff9b::"), (address, prefix) => {
        expect(embeddedIPv4(prefix + address)).toBe(address);
      }),
    );
  });

  it("of any IPv6 address is a whole IPv4 address or none", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const inner = embeddedIPv4(address);
        expect(inner === null || isIPv4(inner)).toBe(true);
      }),
    );
  });
});
