import { isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { embeddedIPv4s } from "../../src/daemon/embedded-ipv4.ts";
import { embeddings } from "../support/ipv4-embeddings.ts";

describe("embeddedIPv4s", () => {
  it.each([
    ["10.1.2.3", []],
    ["::ffff:10.1.2.3", ["10.1.2.3"]],
    ["::ffff:a01:203", ["10.1.2.3"]],
    ["0:0:0:0:0:FFFF:a9fe:a9fe", ["169.254.169.254"]],
    ["::ffff:0:a9fe:a9fe", ["169.254.169.254"]],
    ["::10.1.2.3", ["10.1.2.3"]],
    ["2002:a9fe:a9fe::1", ["169.254.169.254"]],
    ["2001:0:a9fe:a9fe:0:0:f5fe:fdfc", ["169.254.169.254", "10.1.2.3"]],
    ["fd00::5efe:a9fe:a9fe", ["169.254.169.254"]],
    ["fd00::200:5efe:169.254.169.254", ["169.254.169.254"]],
    ["64:ff9b::169.254.169.254", ["169.254.169.254"]],
    ["64:ff9b:1::a9fe:a9fe", ["169.254.169.254"]],
    ["64:ff9b:1::10.0.0.1", ["10.0.0.1"]],
    ["::1", []],
    ["2001:db8::a9fe:a9fe", []],
    ["fe80::ffff:a9fe:a9fe", []],
    ["2001:1::a9fe:a9fe", []],
  ])("of %s are %j", (address, expected) => {
    expect(embeddedIPv4s(address)).toEqual(expected);
  });

  it.each([
    ["64:ff9b:1:a9fe:a9:fe00::", "a prefix of 48 bits"],
    ["64:ff9b:1:a9fe:a9:fe00:0:1", "a prefix of 48 bits, with more behind it"],
    ["64:ff9b:1:ffa9:fe:a9fe::", "a prefix of 56 bits"],
    ["64:ff9b:1:ffff:a9:fea9:fe00:0", "a prefix of 64 bits"],
  ])("of %s have what stands behind %s", (address) => {
    expect(embeddedIPv4s(address)).toContain("169.254.169.254");
  });

  it("have every address again that was written in one of the forms", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(...embeddings), (address, { isAmbiguous, write }) => {
        fc.pre(!(isAmbiguous && address.startsWith("0.")));
        expect(embeddedIPv4s(write(address))).toContain(address);
      }),
    );
  });

  it("of any IPv6 address are whole IPv4 addresses", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(embeddedIPv4s(address).filter((inner) => !isIPv4(inner))).toEqual([]);
      }),
    );
  });
});
