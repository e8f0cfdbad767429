import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setUpAddress } from "../../../../src/control-plane/console/people/set-up-token.ts";
import { createResultsRetention } from "../../../../src/control-plane/upkeep/results-retention.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../../control-plane-under-test.ts";
import { browser } from "../browser.ts";
import { ada, firstOwner, joined, password, signIn } from "../people.ts";

describe("signing in", () => {
  let plane: ControlPlaneUnderTest;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it("begins with the first owner, whom only the token of the log makes, and only once", async () => {
    const here = browser(plane.base);
    expect((await here.get("/sign-in")).text).toContain("There are no accounts here yet");
    await here.get("/set-up?token=wrong");
    const wrong = await here.post("/set-up", { ...ada, token: "wrong" });
    expect([wrong.status, wrong.text.includes("This is not the set-up token")]).toEqual([401, true]);
    expect(wrong.text).toContain('value="Ada"');
    expect(wrong.text).not.toContain(password);
    const owner = await firstOwner(plane);
    expect((await owner.get("/members")).text).toContain("Ada (you)");
    expect(await setUpAddress(plane.context, plane.base, Date.now())).toBeNull();
    expect((await here.get("/set-up")).location).toBe("/sign-in");
    expect((await here.post("/set-up", { ...ada, token: plane.ownerKey })).location).toBe("/sign-in");
    expect((await plane.call("GET", "/v1/audit-log")).body.entries).toMatchObject([
      { operation: "createFirstOwner", actor: { type: "user", userName: "ada@example.com", role: "OWNER", keyId: null } },
    ]);
  });

  it("takes an OWNER's API key for the token, and no other key", async () => {
    const here = browser(plane.base);
    await here.get("/set-up");
    expect((await here.post("/set-up", { ...ada, token: await plane.keyFor("ADMIN") })).status).toBe(401);
    expect((await here.post("/set-up", { ...ada, token: plane.ownerKey })).location).toBe("/");
  });

  it("leads back to where one wanted to go, and out again", async () => {
    await firstOwner(plane);
    const here = browser(plane.base);
    expect((await here.get("/members?done=x")).location).toBe("/sign-in?to=%2Fmembers%3Fdone%3Dx");
    await here.get("/sign-in?to=%2Fmembers%3Fdone%3Dx");
    expect((await here.post("/sign-in", { email: "ADA@Example.com", password, to: "/members?done=x" })).location).toBe("/members?done=x");
    expect((await here.get("/sign-in?to=/profile")).location).toBe("/profile");
    await here.get("/members");
    expect((await here.post("/sign-out")).location).toBe("/sign-in");
    expect([...here.cookies.keys()].filter((name) => name === "outpost_session")).toEqual([]);
    expect((await here.get("/members")).status).toBe(303);
  });

  it("by a key has the key's role, and ends with it", async () => {
    const key = await plane.keyFor("ADMIN");
    const { here, page } = await signIn(plane, { key: `  ${key} ` });
    expect(page.location).toBe("/");
    expect((await here.get("/members")).text).toContain("Signed in with an API key");
    const { body: keys } = await plane.call("GET", "/v1/api-keys");
    const { id } = keys.find(({ role }: { role: string }) => role === "ADMIN");
    expect((await plane.call("DELETE", `/v1/api-keys/${id}`)).status).toBe(204);
    expect((await here.get("/members")).location).toBe("/sign-in?to=%2Fmembers");
    expect((await signIn(plane, { key })).page).toMatchObject({ status: 401 });
    expect((await signIn(plane, { key: await plane.locationKey("eu-west-1") })).page).toMatchObject({ status: 401 });
    const reader = await signIn(plane, { key: await plane.keyFor("READ_ONLY") });
    expect((await reader.here.get("/members")).status).toBe(403);
  });

  it("ends after 12 hours without a request and after 30 days in any case", async () => {
    const here = await firstOwner(plane);
    const idle = (await signIn(plane, ada)).here;
    for (let hours = 0; hours < 30 * 24; hours += 10) {
      expect([hours, (await here.get("/profile")).status]).toEqual([hours, 200]);
      plane.advance(10 * 3_600_000);
    }
    expect((await here.get("/profile")).status).toBe(303);
    expect((await idle.get("/profile")).status).toBe(303);
  }, 120_000);

  it("ends everywhere else when the password is changed", async () => {
    const here = await firstOwner(plane);
    const elsewhere = (await signIn(plane, ada)).here;
    await here.get("/profile");
    const before = here.cookies.get("outpost_session");
    expect((await here.post("/profile/password", { current: "wrong", password: "another fine phrase" })).status).toBe(401);
    const short = await here.post("/profile/password", { current: password, password: "short" });
    expect([short.status, short.text.includes("at least 12 characters")]).toEqual([400, true]);
    expect((await here.post("/profile/password", { current: password, password: "another fine phrase" })).location).toBe(
      "/profile?done=password",
    );
    expect(here.cookies.get("outpost_session")).not.toBe(before);
    expect((await here.get("/profile")).status).toBe(200);
    expect((await elsewhere.get("/profile")).status).toBe(303);
    expect((await signIn(plane, ada)).page.status).toBe(401);
    expect((await signIn(plane, { email: ada.email, password: "another fine phrase" })).page.location).toBe("/");
  });

  it("leads back to the page of a form that came after its end, says that nothing was saved, and leads nowhere else", async () => {
    const owner = await firstOwner(plane);
    await owner.get("/checks/new?type=API");
    const form = { type: "API", name: "Shop" };
    owner.cookies.clear();
    const from = async (referer: string, more = {}) => (await owner.post("/checks/new", form, { referer, ...more })).location;
    const told = await from(`${plane.base}/checks/new?type=API`);
    expect(told).toBe("/sign-in?to=%2Fchecks%2Fnew%3Ftype%3DAPI&lost=1");
    const page = await owner.get(told ?? "");
    expect(page.text).toContain("You were signed out. Sign in to continue. What you typed was not saved.");
    expect((await owner.post("/sign-in", { ...ada, to: "/checks/new?type=API" })).location).toBe("/checks/new?type=API");
    owner.cookies.clear();
    expect((await owner.get("/sign-in")).text).not.toContain("You were signed out");
    for (const referer of ["https://elsewhere.example/checks", `${plane.base}//elsewhere.example/`, "nonsense", `${plane.base}/`])
      expect([referer, await from(referer)]).toEqual([referer, "/sign-in"]);
    expect(await from(`${plane.base}/checks/new`, { "sec-fetch-site": "cross-site" })).toBe("/sign-in");
  });

  it("keeps the bar of the console around errors, and offers nobody to sign in who is", async () => {
    const owner = await firstOwner(plane);
    const reader = await joined(plane, owner, "bob@example.com", "READ_ONLY");
    const gone = "/checks/4be211a2-0d1d-4ba4-9b3c-9a5a0b6a4a11";
    const asked = [403, 403, 403, 403, 403, 404].map((status, index) => {
      const paths = ["/checks/new", "/keys", "/members", "/audit", `${gone}/edit`, gone];
      return [paths[index] ?? "", status] as const;
    });
    for (const [path, status] of asked) {
      const page = await reader.get(path);
      expect([path, page.status, page.text.includes('<nav aria-label="Pages">'), page.text.includes("/sign-in")]).toEqual([
        path,
        status,
        true,
        false,
      ]);
    }
    const lost = await owner.post(`${gone}/edit`, { name: "Shop" });
    expect([lost.status, lost.text.includes('<nav aria-label="Pages">')]).toEqual([404, true]);
    const visitor = await browser(plane.base).post("/sign-in", { key: "x" });
    expect([visitor.status, visitor.text.includes('<nav aria-label="Pages">')]).toEqual([403, false]);
  });

  it("is to one account at a time, of those where the user is a member", async () => {
    const owner = await firstOwner(plane);
    const bob = await joined(plane, owner, "bob@example.com", "READ_ONLY");
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    expect((await bob.post("/account", { account: other.uuid })).status).toBe(403);
    await bob.get("/profile");
    expect((await bob.post("/account", { account: other.uuid })).status).toBe(404);
    const eve = await storage.members.addFirstOwner(other.id, {
      uuid: crypto.randomUUID(),
      email: "eve@example.com",
      name: "Eve",
      passwordHash: (await storage.users.byEmail(ada.email))?.passwordHash ?? null,
      createdAtMs: nowMs(),
    });
    const { here } = await signIn(plane, { email: "eve@example.com", password });
    const invited = await (async () => {
      await here.get("/members");
      return here.post("/members/invitations", { email: "bob@example.com", role: "ADMIN" });
    })();
    const path = new URL(/<code>([^<]+)<\/code>/.exec(invited.text)?.[1] ?? "").pathname;
    const again = browser(plane.base);
    expect((await again.get(path)).text).toContain("You already have an account here");
    expect((await again.post(path, { password: "not the password" })).status).toBe(401);
    expect((await again.post(path, { password })).location).toBe("/");
    const { text } = await again.get("/members");
    expect([text.includes("Eve"), text.includes("Ada"), text.includes("Go to Main")]).toEqual([true, false, true]);
    expect((await again.post("/account", { account: plane.account.uuid })).location).toBe("/");
    expect((await again.get("/members")).status).toBe(403);
    expect(eve?.name).toBe("Eve");
  });

  it("names what is missing, keeps what was typed, and never a password", async () => {
    await firstOwner(plane);
    const empty = (await signIn(plane, { email: " ", password: "" })).page;
    expect([empty.status, empty.text.includes("Enter an e-mail address"), empty.text.includes("Enter your password")]).toEqual([
      400,
      true,
      true,
    ]);
    expect(empty.text).toContain('aria-describedby="email-problem" aria-invalid="true"');
    const wrong = (await signIn(plane, { email: `"><b>@x.example`, password: "secret words here", to: "/members" })).page;
    expect(wrong.text).toContain("&quot;&gt;&lt;b&gt;@x.example");
    expect(wrong.text).toContain('name="to" value="/members"');
    expect(wrong.text).not.toContain("secret words here");
    const key = (await signIn(plane, { key: "sv_not_a_key" })).page;
    expect([key.status, key.text.includes("This API key does not exist"), key.text.includes("sv_not_a_key")]).toEqual([401, true, false]);
  });

  it("answers bad requests with a page that says why", async () => {
    const here = browser(plane.base);
    await here.get("/sign-in");
    const bad = [
      await here.post("/sign-in", { email: "a\0b@x.example", password }),
      await here.post("/sign-in", { email: "a@x.example", password: "x".repeat(1_100_000) }),
      await here.post("/sign-in", { email: "a@x.example", password }, { "content-type": "application/json" }),
      await here.post("/join/nobody", { name: "A", password }),
    ];
    expect(bad.map(({ status }) => status)).toEqual([400, 413, 400, 404]);
    for (const { text, headers } of bad) {
      expect(text).toContain("<h1>");
      expect(headers.get("content-type")).toContain("text/html");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("referrer-policy")).toBe("same-origin");
    }
  });

  it("is forgotten once it expired: the retention removes it, and invitations with it", async () => {
    await firstOwner(plane);
    const { storage, nowMs } = plane.context;
    const user = await storage.users.byEmail(ada.email);
    const accountId = plane.account.id;
    const past = { createdAtMs: 1, seenAtMs: 1, endsAtMs: 2, expiresAtMs: 2 };
    await storage.signIns.create({ ...past, tokenHash: "old", accountId, userId: user?.id ?? 0, keyId: null, method: "password" });
    await storage.invitations.create({ ...past, uuid: "old", tokenHash: "old", accountId, email: "x@example.com", role: "ADMIN" });
    const keep = { keepMs: 1e12, detailsKeepMs: 1e12, auditKeepMs: 1e12, errorEventsKeepMs: 1e12 };
    const retention = createResultsRetention({ ...storage, ...keep, nowMs, log: pino({ level: "silent" }) });
    await retention.start();
    expect(await eventually(async () => (await storage.signIns.byTokenHash("old", 1)) === undefined)).toBe(true);
    expect(await eventually(async () => (await storage.invitations.byTokenHash("old", 1)) === undefined)).toBe(true);
    await retention.stop(AbortSignal.timeout(5_000));
  });
});
