import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../../control-plane-under-test.ts";
import { browser } from "../browser.ts";
import { connect } from "../connect.ts";
import { ada, firstOwner } from "../people.ts";
import { type OidcServer, oidcServer } from "./oidc-server.ts";

describe("signing in with a provider", () => {
  let provider: OidcServer;
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    provider = await oidcServer("top-secret");
    const env = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: "outpost", OIDC_CLIENT_SECRET: "top-secret", OIDC_NAME: "Example <ID>" };
    plane = await controlPlaneUnderTest(env);
    await connect(await firstOwner(plane), provider);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    provider.claims = { email: "ADA@example.com", email_verified: true };
    provider.signs = "rightly";
    provider.says = undefined;
  });
  const begin = async (to = "/members") => {
    const here = browser(plane.base);
    const { location } = await here.get(`/sign-in/sso?to=${encodeURIComponent(to)}`);
    return { here, back: provider.authorize(location ?? "") };
  };

  it("leads to the provider and back to where one wanted to go", async () => {
    const page = await browser(plane.base).get("/sign-in?to=/members");
    expect(page.text).toContain('<a href="/sign-in/sso?to=%2Fmembers">Sign in with Example &lt;ID&gt;</a>');
    const { here, back } = await begin();
    expect((await here.get(back)).location).toBe("/members");
    expect((await here.get("/members")).text).toContain("Ada (you)");
    expect([...here.cookies.keys()]).toEqual(["outpost_session", "outpost_known"]);
    expect((await (await begin("//evil.example")).here.get("/members")).status).toBe(303);
    const elsewhere = await begin("//evil.example");
    expect((await elsewhere.here.get(elsewhere.back)).location).toBe("/");
  });

  it("takes nothing that did not begin in this browser, and each code once", async () => {
    const { here, back } = await begin();
    const refusals = [
      await browser(plane.base).get(back),
      await (await begin()).here.get(back),
      await here.get(back.replace(/state=[^&]{8}/, "state=00000000")),
      await here.get(back.replace(/(state=[0-9a-f]{64})\.[\w-]+/, `$1.${Buffer.from("/profile").toString("base64url")}`)),
      await here.get("/sign-in/sso/callback?error=access_denied"),
      await here.get(`${back}&error=access_denied`),
      await here.get(`${back}&code=another`),
      await here.get(`${back}&iss=${encodeURIComponent("https://another.example")}`),
    ];
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 403));
    const cookie = here.cookies.get("outpost_sso") ?? "";
    expect((await here.get(back)).location).toBe("/members");
    here.cookies.set("outpost_sso", cookie);
    expect((await here.get(back)).status).toBe(503);
  });

  it("is for members who are connected to the provider", async () => {
    for (const claims of [
      { sub: "2", email: "nobody@example.com", email_verified: true },
      { sub: "2", email: ada.email, email_verified: true },
      { sub: "2", email: ada.email, email_verified: false },
      { sub: "2", email: ada.email },
      { sub: "2", email_verified: true },
    ]) {
      provider.claims = claims;
      const { here, back } = await begin();
      expect([claims, (await here.get(back)).status]).toEqual([claims, 403]);
      expect((await here.get("/members")).status).toBe(303);
    }
  });

  it("takes no token that is not for this sign-in, and tells the log why", async () => {
    const right = { email: ada.email, email_verified: true };
    for (const wrong of [
      { nonce: "x" },
      { aud: "another" },
      { aud: ["outpost", "b"] },
      { iss: "http://evil.example" },
      { exp: 1 },
      { iat: 9e9 },
      { sub: undefined },
    ]) {
      provider.claims = { ...right, ...wrong };
      const { here, back } = await begin();
      expect([wrong, (await here.get(back)).status]).toEqual([wrong, 403]);
    }
    provider.claims = right;
    for (const signs of ["unknown", "text", "none"] as const) {
      provider.signs = signs;
      const { here, back } = await begin();
      expect([signs, (await here.get(back)).status]).toEqual([signs, 403]);
    }
    expect(plane.logLines.join("")).toContain("JWT signature verification failed");
    expect(plane.logLines.join("")).not.toContain("top-secret");
  });

  it("takes no answer that is not JSON or that never ends", async () => {
    for (const says of ["<p>Sorry</p>", " ".repeat(600_000)]) {
      provider.says = says;
      const { here, back } = await begin();
      const page = await here.get(back);
      expect([page.status, page.text.includes("The SSO provider is not available")]).toEqual([503, true]);
    }
  });

  it("looks again when the provider has new keys", async () => {
    provider.rotate();
    const { here, back } = await begin();
    expect((await here.get(back)).location).toBe("/members");
  });

  it("is answered 503 while the provider is away, and not there at all without one", async () => {
    const env = { OIDC_ISSUER: "http://127.0.0.1:1", OIDC_CLIENT_ID: "outpost" };
    await using away = await controlPlaneUnderTest(env);
    const page = await browser(away.base).get("/sign-in/sso");
    expect([page.status, page.text.includes("does not answer")]).toEqual([503, true]);
    await using without = await controlPlaneUnderTest();
    expect((await browser(without.base).get("/sign-in/sso")).status).toBe(404);
    expect((await browser(without.base).get("/sign-in")).text).not.toContain("/sign-in/sso");
  });
});
