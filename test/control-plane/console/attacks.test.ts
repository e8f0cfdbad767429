import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type Browser, browser } from "./browser.ts";
import { ada, firstOwner, joined, password, signIn } from "./people.ts";

describe("attacks on the console", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const script = (here: Browser, headers: Readonly<Record<string, string>> = {}) => ({
    key: undefined,
    headers: { cookie: `outpost_session=${here.cookies.get("outpost_session") ?? ""}`, ...headers },
  });

  it("by a session that was there before the sign-in: the sign-in has a token of its own", async () => {
    const fixed = "f".repeat(43);
    const here = browser(plane.base);
    here.cookies.set("outpost_session", fixed);
    await here.get("/sign-in");
    await here.post("/sign-in", ada);
    const first = here.cookies.get("outpost_session");
    expect(first).not.toBe(fixed);
    const thief = browser(plane.base);
    thief.cookies.set("outpost_session", fixed);
    expect((await thief.get("/profile")).status).toBe(303);
    // A second sign-in in the same browser ends the first one.
    here.cookies.set("outpost_form", "v".repeat(43));
    here.cookies.delete("outpost_session");
    await here.get("/sign-in");
    here.cookies.set("outpost_session", first ?? "");
    await here.post("/sign-in", ada);
    thief.cookies.set("outpost_session", first ?? "");
    expect((await thief.get("/profile")).status).toBe(303);
  });

  it("by forms of other sites: refused without the token of this browser, and where the browser says that they are", async () => {
    await owner.get("/members");
    const invite = { email: "mallory@example.com", role: "OWNER" };
    const foreign = browser(plane.base);
    await foreign.get("/sign-in");
    const refusals = [
      await owner.post("/members/invitations", { ...invite, csrf: "" }),
      await owner.post("/members/invitations", { ...invite, csrf: foreign.csrf() }),
      await owner.post("/members/invitations", invite, { origin: "https://evil.example" }),
      await owner.post("/members/invitations", invite, { origin: "null" }),
      await owner.post("/members/invitations", invite, { "sec-fetch-site": "cross-site" }),
      await owner.post("/members/invitations", invite, { "sec-fetch-site": "same-site" }),
      await owner.post("/sign-out", { csrf: "x" }),
      await owner.post("/sign-out", {}, { origin: "https://evil.example" }),
      await owner.post("/profile/password", { csrf: "x", current: password, password: "another fine phrase" }),
      await foreign.post("/sign-in", { ...ada, csrf: owner.csrf() }),
      await browser(plane.base).post("/sign-in", { ...ada, csrf: foreign.csrf() }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 403));
    expect(refusals.every(({ text }) => text.includes("reload it"))).toBe(true);
    expect((await owner.get("/members")).text).not.toContain("mallory");
    const own = { origin: plane.base, "sec-fetch-site": "same-origin" };
    expect((await owner.post("/members/invitations", { email: "ok@example.com", role: "READ_ONLY" }, own)).status).toBe(200);
    const withoutCookie = await browser(plane.base).post("/sign-out");
    expect([withoutCookie.status, withoutCookie.headers.getSetCookie()]).toEqual([303, []]);
    const asJson = await owner.post("/members/invitations", invite, { "content-type": "text/plain" });
    expect(asJson.status).toBe(400);
  });

  it.each([
    "//evil.example",
    "https://evil.example/",
    "/\\evil.example",
    "/.//evil.example",
    "/%2e//evil.example",
    "/\t/evil.example",
    "\\/evil.example",
    "javascript:alert(1)",
    "/x/..//evil.example",
    `/${"x".repeat(3_000)}`,
  ])("by a link that would lead elsewhere after the sign-in: %j", async (to) => {
    const here = browser(plane.base);
    const { text } = await here.get(`/sign-in?to=${encodeURIComponent(to)}`);
    expect(text).not.toContain("evil.example");
    here.cookies.set("outpost_session", owner.cookies.get("outpost_session") ?? "");
    const { location } = await here.get(`/sign-in?to=${encodeURIComponent(to)}`);
    expect(location).toBe("/");
  });

  it("by an address that fits into no header: it leads to signing in, and not back", async () => {
    const { status, location } = await browser(plane.base).get(`/checks?q=${"<".repeat(3_000)}`);
    expect([status, location]).toEqual([303, "/sign-in"]);
  });

  it("by trying who has an account: an unknown address and a wrong password look alike", async () => {
    const wrong = await signIn(plane, { email: ada.email, password: "not the password" });
    const unknown = await signIn(plane, { email: "nobody@example.com", password: "not the password" });
    const plain = ({ text }: { text: string }) => text.replaceAll(/name="csrf" value="[^"]+"/g, "").replaceAll(/(ada|nobody)@/g, "who@");
    expect([wrong.page.status, unknown.page.status]).toEqual([401, 401]);
    expect(wrong.page.text.match(/<input[^>]* autofocus/g)).toEqual([expect.stringContaining('id="password"')]);
    expect(plain(wrong.page)).toBe(plain(unknown.page));
    const names = ({ headers }: { headers: Headers }) => [...headers.keys()].filter((name) => name !== "date");
    expect(names(wrong.page)).toEqual(names(unknown.page));
  });

  it("by guessing: pauses grow, the same for an address that nobody has, and then the right password waits, too", async () => {
    await using own = await controlPlaneUnderTest();
    await firstOwner(own);
    const guess = async (email: string) => {
      const here = browser(own.base);
      await here.get("/sign-in");
      for (let n = 0; n < 9; n += 1) {
        expect((await here.post("/sign-in", { email, password: `wrong number ${n}` })).status).toBe(401);
        if (n < 8) own.advance(60_000);
      }
      return here.post("/sign-in", { ...ada, email });
    };
    const seconds = ({ headers }: { headers: Headers }) => Number(headers.get("retry-after"));
    const before = (await signIn(own, ada)).here;
    await before.get("/profile");
    await before.post("/sign-out");
    await before.get("/sign-in");
    for (const email of [ada.email, "nobody@example.com"]) {
      const paused = await guess(email);
      expect([paused.status, seconds(paused) > 40, seconds(paused) <= 80]).toEqual([429, true, true]);
      expect(paused.text).toContain(`value="${email}"`);
      // Whoever guesses elsewhere locks nobody out of the browser that he uses.
      const { location } = await before.post("/sign-in", ada);
      expect(location).toBe("/");
      await before.get("/profile");
      await before.post("/sign-out");
      await before.get("/sign-in");
      own.advance(300_000);
    }
    expect((await signIn(own, ada)).page.location).toBe("/");
    expect(own.logLines.join("")).not.toMatch(/wrong number|fine long phrase/);
  }, 120_000);

  it("by guessing: nobody is kept from changing a password where he is signed in, nor from signing in where he joined", async () => {
    const email = "fay@example.com";
    const fay = await joined(plane, owner, email, "READ_ONLY");
    const [eve, again] = [browser(plane.base), browser(plane.base)];
    again.cookies.set("outpost_known", fay.cookies.get("outpost_known") ?? "");
    for (const one of [eve, again]) await one.get("/sign-in");
    const guesses = [];
    for (let n = 0; n < 6; n += 1) guesses.push((await eve.post("/sign-in", { email, password: `wrong number ${n}` })).status);
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await again.post("/sign-in", { email, password })).location).toBe("/");
    await fay.get("/profile");
    const { location } = await fay.post("/profile/password", { current: password, password: "another fine phrase" });
    expect(location).toBe("/profile?done=password");
  });

  it("by reading cookies: no script sees them, no other site's form brings them, and by https no neighbour sets them", async () => {
    const flags = "; Path=/; HttpOnly; SameSite=Lax";
    const here = browser(plane.base);
    const [visitor = ""] = (await here.get("/sign-in")).headers.getSetCookie();
    expect(visitor).toMatch(new RegExp(`^outpost_form=[\\w-]{43}; Max-Age=86400${flags}$`));
    const set = (await here.post("/sign-in", ada)).headers.getSetCookie();
    expect(set).toEqual([
      expect.stringMatching(new RegExp(`^outpost_session=[\\w-]{43}; Max-Age=2592000${flags}$`)),
      `outpost_form=; Max-Age=0${flags}`,
      expect.stringMatching(new RegExp(`^outpost_known=[\\w-]{43}; Max-Age=15552000${flags}$`)),
    ]);
    await using secure = await controlPlaneUnderTest({ PUBLIC_URL: "https://outpost.example" });
    const there = browser(secure.base);
    await there.get("/sign-in");
    const own = { origin: "https://outpost.example" };
    const page = await there.post("/sign-in", { key: secure.ownerKey }, own);
    expect(page.headers.getSetCookie()[0]).toMatch(new RegExp(`^__Host-outpost=[\\w-]{43}; Max-Age=2592000${flags}; Secure$`));
    expect((await there.get("/members")).status).toBe(200);
  });

  it("by the API: the cookie counts for nothing without the header that only our pages can send", async () => {
    await owner.get("/members");
    const csrf = { "x-outpost-csrf": owner.csrf() };
    const call = async (headers: Readonly<Record<string, string>>) =>
      (await plane.call("GET", "/v1/checks", script(owner, headers))).status;
    expect(await call({})).toBe(401);
    expect(await call({ "x-outpost-csrf": "wrong" })).toBe(403);
    expect(await call({ ...csrf, origin: "https://evil.example" })).toBe(403);
    expect(await call({ ...csrf, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await call({ ...csrf, "x-service-account": crypto.randomUUID() })).toBe(403);
    expect(await call({ ...csrf, authorization: "Bearer nonsense" })).toBe(401);
    expect(await call({ ...csrf, "sec-fetch-site": "same-origin", origin: plane.base })).toBe(200);
    const agent = await plane.call("POST", "/v1/agent/sessions", { ...script(owner, csrf), body: {} });
    expect([401, 404]).toContain(agent.status);
  });

  it("by the API: one may what one's role allows at this moment, and the audit log names who did it", async () => {
    const bob = await joined(plane, owner, "bob@example.com", "READ_WRITE");
    await bob.get("/profile");
    const make = async () => {
      const options = { ...script(bob, { "x-outpost-csrf": bob.csrf() }), body: { name: "S", script: "1" } };
      return plane.call("POST", "/v1/snippets", options);
    };
    expect((await make()).status).toBe(201);
    const { body } = await plane.call("GET", "/v1/audit-log?operation=createSnippet");
    expect(body.entries[0].actor).toMatchObject({ type: "user", userName: "bob@example.com", role: "READ_WRITE", keyId: null, kind: null });
    expect((await plane.call("GET", `/v1/audit-log?userId=${body.entries[0].actor.userId}`)).body.entries).toHaveLength(2);
    const id = /\/members\/([0-9a-f-]{36})\/role[\s\S]*?Role of bob/.exec(
      (await owner.get("/members")).text.split("<li>").find((row) => row.includes("bob@")) ?? "",
    )?.[1];
    expect((await owner.post(`/members/${id}/role`, { role: "READ_ONLY" })).location).toBe("/members?done=changed");
    expect((await make()).status).toBe(403);
    expect((await owner.post(`/members/${id}/remove`)).location).toBe("/members?done=removed");
    expect((await make()).status).toBe(401);
    expect((await bob.get("/profile")).status).toBe(303);
    expect((await signIn(plane, { email: "bob@example.com", password })).page.status).toBe(401);
  });
});
