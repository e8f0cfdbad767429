import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkIdToken } from "../../../src/control-plane/console/id-token.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { browser } from "./browser.ts";
import { type OidcServer, oidcServer } from "./oidc-server.ts";
import { ada, firstOwner } from "./people.ts";

describe("signing in with a provider", () => {
  let provider: OidcServer;
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    provider = await oidcServer("top-secret");
    const env = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: "outpost", OIDC_CLIENT_SECRET: "top-secret", OIDC_NAME: "Example <ID>" };
    plane = await controlPlaneUnderTest(env);
    await firstOwner(plane);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    provider.claims = { email: "ADA@example.com", email_verified: true };
    provider.signsWrongly = false;
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
    expect([...here.cookies.keys()]).toEqual(["outpost_session"]);
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
    ];
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 403));
    const cookie = here.cookies.get("outpost_sso") ?? "";
    expect((await here.get(back)).location).toBe("/members");
    here.cookies.set("outpost_sso", cookie);
    expect((await here.get(back)).status).toBe(503);
  });

  it("is for members whose address the provider vouches for", async () => {
    for (const claims of [
      { email: "nobody@example.com", email_verified: true },
      { email: ada.email, email_verified: false },
      { email: ada.email },
      { email_verified: true },
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
    ]) {
      provider.claims = { ...right, ...wrong };
      const { here, back } = await begin();
      expect([wrong, (await here.get(back)).status]).toEqual([wrong, 403]);
    }
    provider.claims = right;
    provider.signsWrongly = true;
    const { here, back } = await begin();
    expect((await here.get(back)).status).toBe(403);
    expect(plane.logLines.join("")).toContain("its signature is wrong");
    expect(plane.logLines.join("")).not.toContain("top-secret");
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

describe("an ID token", () => {
  const expected = { issuer: "https://id.example", clientId: "outpost", nonce: "n", nowMs: 1_000_000 };
  const claims = { iss: "https://id.example", aud: "outpost", exp: 1_100, iat: 1_000, nonce: "n", email: "a@x", email_verified: true };
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ed = generateKeyPairSync("ed25519");
  const jwk = (key: KeyObject) => ({ ...key.export({ format: "jwk" }), kty: String(key.export({ format: "jwk" }).kty) });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = (alg: string, made: (text: string) => Buffer, header: object = {}): string => {
    const text = `${part({ alg, ...header })}.${part(claims)}`;
    return `${text}.${made(text).toString("base64url")}`;
  };
  const byRsa = (padding: number) => (text: string) => sign("sha256", Buffer.from(text), { key: rsa.privateKey, padding });
  const good = { kind: "good", email: "a@x" };

  it("is taken with each signature that providers use", () => {
    const keys = [jwk(rsa.publicKey), jwk(ed.publicKey)];
    const check = (text: string) => checkIdToken(text, { keys }, expected);
    expect(check(token("RS256", byRsa(constants.RSA_PKCS1_PADDING)))).toEqual(good);
    expect(check(token("PS256", byRsa(constants.RSA_PKCS1_PSS_PADDING)))).toEqual(good);
    expect(check(token("EdDSA", (text) => sign(null, Buffer.from(text), ed.privateKey)))).toEqual(good);
  });

  it("is not taken without a signature, with one by a public text, or by a key for something else", () => {
    const keys = [jwk(rsa.publicKey)];
    const pem = rsa.publicKey.export({ type: "spki", format: "pem" });
    const right = byRsa(constants.RSA_PKCS1_PADDING);
    const kinds = [
      token("none", () => Buffer.alloc(0)),
      token("HS256", (text) => createHmac("sha256", pem).update(text).digest()),
      token("RS256", () => Buffer.alloc(256)),
      token("RS256", byRsa(constants.RSA_PKCS1_PSS_PADDING)),
      token("RS256", right, { crit: ["exp"] }),
      `${token("RS256", right)}.x`,
      "",
    ].map((text) => checkIdToken(text, { keys }, expected).kind);
    expect(kinds).toEqual(kinds.map(() => "bad"));
    const small = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const weak = token("RS256", (text) => sign("sha256", Buffer.from(text), small.privateKey));
    expect(checkIdToken(weak, { keys: [jwk(small.publicKey)] }, expected).kind).toBe("bad");
    for (const key of [{ ...jwk(rsa.publicKey), use: "enc" }, { ...jwk(rsa.publicKey), alg: "PS256" }, jwk(ed.publicKey)]) {
      expect(checkIdToken(token("RS256", right), { keys: [key] }, expected).kind).toBe("unknown-key");
    }
    expect(checkIdToken(token("RS256", right, { kid: "other" }), { keys }, expected).kind).toBe("unknown-key");
  });
});
