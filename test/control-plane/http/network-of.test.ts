import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { networkOf } from "../../../src/control-plane/http/network-of.ts";

describe("the network of a remote address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:0000:0000:0000:0009", "2001:db8:1:2::/64"],
    ["2001:db8::9", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["not an address", "not an address"],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it("is shared by all addresses of the same 64 bits, however they are written, and by no others", () => {
    const hex = fc.integer({ min: 0, max: 0xffff }).map((group) => group.toString(16));
    const half = fc.tuple(hex, hex, hex, hex);
    fc.assert(
      fc.property(half, half, half, half, (network, host, otherHost, other) => {
        const address = [...network, ...host].join(":");
        expect(networkOf(URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? "")).toBe(networkOf(address));
        expect(networkOf([...network, ...otherHost].join(":"))).toBe(networkOf(address));
        expect(networkOf([...other, ...host].join(":")) === networkOf(address)).toBe(other.join(":") === network.join(":"));
      }),
    );
  });
});
