import { expect } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { get } from "../control-plane/pages/get.ts";
import { attack } from "./attack.ts";

const home = "outpost.example.com";

async function withPlane(env: Readonly<Record<string, string>>, body: (plane: ControlPlaneUnderTest) => Promise<void>): Promise<void> {
  await using plane = await controlPlaneUnderTest(env);
  await body(plane);
}

async function keyOf(plane: ControlPlaneUnderTest, network: string): Promise<string> {
  return (await plane.call("POST", "/v1/api-keys", { body: { name: "Limited", allowedNetworks: [network] } })).body.rawKey;
}

async function statusFrom(plane: ControlPlaneUnderTest, key: string, forwardedFor: string): Promise<number> {
  return (await get(plane.base, "/v1/checks", { authorization: `Bearer ${key}`, "x-forwarded-for": forwardedFor })).status;
}

attack("D6", "a client names its own address in X-Forwarded-For", async (held) => {
  await withPlane({}, async (plane) => {
    expect(await statusFrom(plane, await keyOf(plane, "10.0.0.0/8"), "10.1.2.3")).toBe(403);
  });
  await withPlane({ TRUSTED_PROXIES: "192.0.2.0/24" }, async (plane) => {
    expect(await statusFrom(plane, await keyOf(plane, "10.0.0.0/8"), "10.1.2.3")).toBe(403);
  });
  await withPlane({ TRUSTED_PROXIES: "127.0.0.0/8" }, async (plane) => {
    const key = await keyOf(plane, "10.0.0.0/8");
    expect(await statusFrom(plane, key, "10.1.2.3")).toBe(200);
    // What a client wrote itself stands before what the proxy appended.
    expect(await statusFrom(plane, key, "10.1.2.3, 203.0.113.9")).toBe(403);
    expect(await statusFrom(plane, key, "10.1.2.3, x".repeat(100))).toBe(400);
  });
  held("headers count from TRUSTED_PROXIES only, and of them the last address that is no proxy");
});

attack("D3", "an IPv6 address that embeds one of a key's networks", async (held) => {
  await withPlane({ TRUSTED_PROXIES: "127.0.0.1" }, async (plane) => {
    const key = await keyOf(plane, "10.0.0.0/8");
    for (const address of ["2001:db8::5efe:a01:203", "64:ff9b::a01:203", "2002:a01:203::1"])
      expect([address, await statusFrom(plane, key, address)]).toEqual([address, 403]);
    expect(await statusFrom(plane, key, "::ffff:10.1.2.3")).toBe(200);
  });
  held("lists that let somebody in look at the address itself");
});

attack("D6", "a browser that came by TLS is led back to plain HTTP", async (held) => {
  const hstsOf = async (plane: ControlPlaneUnderTest, headers: Readonly<Record<string, string>>): Promise<(string | null)[]> =>
    Promise.all(
      ["/sign-in", "/health", "/nothing"].map(async (path) =>
        (await get(plane.base, path, headers)).headers.get("strict-transport-security"),
      ),
    );
  const year = Array<string>(3).fill("max-age=31536000");
  const none = [null, null, null];
  await withPlane({ PUBLIC_URL: `https://${home}` }, async (plane) => {
    expect(await hstsOf(plane, { host: home })).toEqual(year);
    expect(await hstsOf(plane, { host: "other.example.com", "x-forwarded-proto": "https" })).toEqual(none);
  });
  await withPlane({ PUBLIC_URL: `http://${home}`, TRUSTED_PROXIES: "127.0.0.1" }, async (plane) => {
    expect(await hstsOf(plane, { host: home })).toEqual(none);
    expect(await hstsOf(plane, { host: "status.example.com", "x-forwarded-proto": "https" })).toEqual(year);
  });
  held("HSTS of a year");
});
