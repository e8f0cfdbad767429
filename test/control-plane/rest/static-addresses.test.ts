import { describe, expect, it } from "vitest";
import { controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("static addresses", () => {
  it("are those that the operator declares, IPv6 as networks", async () => {
    const declared = "berlin=192.0.2.7,berlin=2001:db8::7,paris=2001:db8:1::/64";
    await using plane = await controlPlaneUnderTest({ EGRESS_ADDRESSES: declared });
    const read = async (path: string) => (await plane.call("GET", path)).body;
    expect(await read("/v1/static-ips")).toEqual(["192.0.2.7"]);
    expect(await read("/v1/static-ipv6s")).toEqual(["2001:db8::7/128", "2001:db8:1::/64"]);
    expect(await read("/v1/static-ipv6s-by-region")).toEqual({ berlin: ["2001:db8::7/128"], paris: ["2001:db8:1::/64"] });
    expect((await plane.call("GET", "/v1/static-ipv6s.txt")).text).toBe("2001:db8::7/128\n2001:db8:1::/64\n");
  });
});
