import { afterEach, beforeEach, describe, expect } from "vitest";
import { type Browser, browser, type Page } from "../control-plane/console/browser.ts";
import { connect } from "../control-plane/console/connect.ts";
import { ada, firstOwner, joined, password, signIn } from "../control-plane/console/people.ts";
import { turnOn } from "../control-plane/console/second-factor.ts";
import { type OidcServer, oidcServer } from "../control-plane/console/sign-in/oidc-server.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { attack } from "./attack.ts";

const adas = { sub: "ada-at-the-provider", email: ada.email, email_verified: true };
const evils = { sub: "mallory-at-the-provider", email: ada.email, email_verified: true };

describe("a provider of sign-ins", () => {
  let provider: OidcServer;
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeEach(async () => {
    provider = await oidcServer("top-secret");
    plane = await controlPlaneUnderTest({ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: "outpost", OIDC_CLIENT_SECRET: "top-secret" });
    owner = await firstOwner(plane);
    provider.claims = adas;
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
  const through = async (
    claims: OidcServer["claims"],
    path = "/sign-in/sso",
    here = browser(plane.base),
  ): Promise<Page & { here: Browser }> => {
    provider.claims = claims;
    const { location } = await here.get(path);
    return { ...(await here.get(provider.authorize(location ?? ""))), here };
  };
  const invite = async (who: Browser, email: string): Promise<string> => {
    await who.get("/members");
    const { text } = await who.post("/members/invitations", { email, role: "READ_ONLY" });
    return new URL(/<code>([^<]+)<\/code>/.exec(text)?.[1] ?? "").pathname;
  };
  const change = async (who: Browser, rules: Readonly<Record<string, string>>): Promise<Page> => {
    await who.get("/members/sign-in");
    return who.post("/members/sign-in", { secondFactor: "optional", signIn: "any", ...rules });
  };

  attack("D2", "a colleague's address, given to another identity of the provider", async (held) => {
    const before = await through(adas);
    expect([before.status, before.text.includes("Sign in with your password and connect it")]).toEqual([403, true]);
    expect((await connect(owner, provider)).location).toBe("/profile?done=connected");
    expect((await through(adas)).location).toBe("/");
    const taken = await through(evils);
    expect([taken.status, taken.here.cookies.has("outpost_session")]).toEqual([403, false]);
    const moved = await through({ ...adas, email: "new@example.com", email_verified: false });
    expect(moved.location).toBe("/");
    held("issuer and subject alone say who it is");
  });

  attack("D2", "another provider under the same settings, with the same subject", async (held) => {
    await connect(owner, provider);
    const user = await plane.context.storage.users.byEmail(ada.email);
    const { storage } = plane.context;
    await storage.identities.disconnect(user?.id ?? 0);
    await storage.identities.connect(user?.id ?? 0, { issuer: "https://old.example", subject: adas.sub }, 1);
    expect((await through(adas)).status).toBe(403);
    held("the pair of issuer and subject is looked up");
  });

  attack("D2", "connecting an identity to somebody else", async (held) => {
    const bob = await joined(plane, owner, "bob@example.com", "READ_ONLY");
    // Mallory's link, opened by the owner; a link without a proof; one that is late.
    await bob.get("/profile");
    const { text } = await bob.post("/profile/provider", { proof: password });
    const link = /href="(\/sign-in\/sso\?connect=[^"]+)"/.exec(text)?.[1] ?? "";
    expect((await through(evils, link, owner)).status).toBe(403);
    expect((await through(evils, "/sign-in/sso?connect=9999999999999.x", owner)).status).toBe(403);
    plane.advance(11 * 60_000);
    expect((await through(evils, link, bob)).status).toBe(403);
    await bob.get("/profile");
    expect((await bob.post("/profile/provider", { proof: "not the password" })).status).toBe(401);
    provider.claims = adas;
    expect((await connect(owner, provider)).location).toBe("/profile?done=connected");
    expect((await connect(bob, provider)).status).toBe(409);
    held("a link of one sign-in, after its password, for ten minutes; an identity is one person's");
  });

  attack("D2", "an invitation that somebody else takes, or that takes a user over", async (held) => {
    const carol = await invite(owner, "carol@example.com");
    const unverified = { sub: "carol", email: "carol@example.com", email_verified: false };
    expect((await through(evils, `${carol}/sso`)).status).toBe(403);
    expect((await through(unverified, `${carol}/sso`)).status).toBe(403);
    const right = await through({ ...unverified, email_verified: true, name: "Carol" }, `${carol}/sso`);
    expect([right.location, (await right.here.get("/checks")).status]).toEqual(["/", 200]);
    expect((await through({ ...unverified, email_verified: true }, `${carol}/sso`)).status).toBe(404);
    expect((await through({ sub: "carol" })).location).toBe("/");
    // Whoever invites has the link: with the address at the provider, too, he would be the user who exists.
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const mallory = (await signIn(plane, { key: await plane.keyFor("OWNER", other.id) })).here;
    const link = await invite(mallory, ada.email);
    const page = await through(evils, `${link}/sso`);
    expect([page.status, page.here.cookies.has("outpost_session")]).toEqual([403, false]);
    held("an invitation connects new people alone");
  });

  attack("D2", "an identity that was disconnected, and its open sign-ins", async (held) => {
    await connect(owner, provider);
    const { here } = await through(adas);
    expect((await here.get("/members")).text).toContain("signs in with SSO");
    await owner.get("/profile");
    expect((await owner.post("/profile/provider/disconnect", { proof: password })).location).toBe("/profile?done=disconnected");
    expect((await here.get("/members")).status).toBe(303);
    expect((await through(adas)).status).toBe(403);
    const { body } = await plane.call("GET", "/v1/audit-log");
    const operations = body.entries.map(({ operation }: { operation: string }) => operation);
    expect(operations).toEqual(expect.arrayContaining(["connectProvider", "disconnectProvider"]));
    held("both end with it");
  });

  attack("D2", "a password where the account asks for the provider", async (held) => {
    expect((await change(owner, { signIn: "provider" })).status).toBe(409);
    await connect(owner, provider);
    const { here } = await through(adas);
    const bob = await joined(plane, owner, "bob@example.com", "ADMIN");
    await bob.get("/checks");
    expect((await change(here, { signIn: "provider" })).location).toBe("/members/sign-in?done=saved");
    expect((await bob.get("/members")).location).toBe("/profile");
    expect((await bob.post("/members/sign-in", { signIn: "any", secondFactor: "optional" })).location).toBe("/profile");
    expect(await restOf(plane, bob)).toBe(403);
    expect((await bob.get("/live/checks")).status).toBe(403);
    expect((await bob.get("/profile")).text).toContain("requires signing in with SSO");
    expect((await signIn(plane, { email: "bob@example.com", password })).page.location).toBe("/");
    expect((await here.get("/members")).status).toBe(200);
    expect((await plane.call("GET", "/v1/accounts/me")).body.settings.signIn).toBe("provider");
    held("sign-ins remember how they were made; pages, REST and live pages ask");
  });

  attack("D2", "a password alone where the account asks for a second factor", async (held) => {
    expect((await change(owner, { secondFactor: "required" })).status).toBe(409);
    await turnOn(plane, owner);
    const bob = await joined(plane, owner, "bob@example.com", "ADMIN");
    await bob.get("/checks");
    expect((await change(owner, { secondFactor: "required" })).location).toBe("/members/sign-in?done=saved");
    expect((await bob.get("/checks")).location).toBe("/profile");
    expect((await bob.post("/checks/new")).location).toBe("/profile");
    expect(await restOf(plane, bob)).toBe(403);
    expect((await bob.get("/live/checks")).status).toBe(403);
    expect((await bob.get("/profile")).text).toContain("requires a second factor");
    const app = await turnOn(plane, bob);
    expect((await bob.get("/checks")).status).toBe(200);
    await bob.get("/profile");
    await bob.post("/profile/second-factor/off", { proof: password, code: app.code() });
    expect((await bob.get("/checks")).location).toBe("/profile");
    held("only the profile is open until it is on");
  });
});

/** What a script of the page that somebody sees is answered. */
async function restOf(plane: ControlPlaneUnderTest, here: Browser): Promise<number> {
  await here.get("/profile");
  const cookie = [...here.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return (await fetch(`${plane.base}/v1/accounts/me`, { headers: { cookie, "x-outpost-csrf": here.csrf() } })).status;
}
