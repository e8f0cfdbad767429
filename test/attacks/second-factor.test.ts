import { afterEach, beforeEach, describe, expect } from "vitest";
import { mailServer } from "../control-plane/alerting/channels/mail-server.ts";
import { type Browser, browser } from "../control-plane/console/browser.ts";
import { ada, firstOwner, joined, password, signIn } from "../control-plane/console/people.ts";
import { type App, askedOf, turnOn } from "../control-plane/console/second-factor.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane/control-plane-under-test.ts";
import { attack } from "./attack.ts";

const stepPath = "/sign-in/second-factor";

/** Somebody knows the password of an OWNER who has a second factor. */
describe("a known password", () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let app: App;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    app = await turnOn(plane, owner);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });
  /** As far as the password leads. */
  const half = async (): Promise<Browser> => {
    const { here, page } = await signIn(plane, ada);
    expect([page.location, here.cookies.has("outpost_session")]).toEqual([stepPath, false]);
    await here.get(stepPath);
    return here;
  };
  const isIn = async (here: Browser): Promise<boolean> => (await here.get("/members")).status === 200;

  attack("D2", "a password alone, and any page but the second one", async (held) => {
    const here = await half();
    for (const path of ["/checks", "/members", "/profile", "/keys"])
      expect([path, (await here.get(path)).location?.startsWith("/sign-in")]).toEqual([path, true]);
    const cookie = [...here.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, "x-outpost-csrf": here.csrf() };
    expect((await fetch(`${plane.base}/v1/accounts/me`, { headers })).status).toBe(401);
    expect((await fetch(`${plane.base}/live/checks`, { headers })).status).toBe(401);
    // The half-way cookie under the name of the other one.
    here.cookies.set("outpost_session", here.cookies.get("outpost_half") ?? "");
    expect(await isIn(here)).toBe(false);
    here.cookies.delete("outpost_session");
    await here.get(stepPath);
    expect((await here.post(stepPath, { code: app.code() })).location).toBe("/");
    expect(await isIn(here)).toBe(true);
    held("no session before the second factor");
  });

  attack("D2", "a code that was seen, and codes of other times", async (held) => {
    const code = app.code();
    const first = await half();
    expect((await first.post(stepPath, { code: `${code.slice(0, 3)} ${code.slice(3)}` })).location).toBe("/");
    const second = await half();
    for (const wrong of [code, app.code(-1), app.code(-2), app.code(2), "000000x"])
      expect([wrong, (await second.post(stepPath, { code: wrong })).status]).toEqual([wrong, 401]);
    expect(await isIn(second)).toBe(false);
    held("each step of time counts once, the last one is stored");
  });

  attack("D2", "the same code twice at once", async (held) => {
    const both = [await half(), await half()];
    const pages = await Promise.all(both.map((here) => here.post(stepPath, { code: app.code() })));
    expect(pages.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401]);
    held("the step is taken by one statement of the store");
  });

  attack(
    "D2",
    "guessing codes, with the password again in between",
    async (held) => {
      let tried = 0;
      for (let minutes = 0; minutes < 60; minutes += 6) {
        const here = await half();
        for (let guess = 0; guess < 6; guess += 1) {
          const { status } = await here.post(stepPath, { code: String(guess).padStart(6, "7") });
          if (status === 401) tried += 1;
          else expect(status).toBe(429);
        }
        plane.advance(6 * 60_000);
      }
      expect(tried).toBeLessThan(30);
      held("pauses of up to five minutes, counted for the person", `${tried} guesses in an hour`);
    },
    120_000,
  );

  attack("D2", "a recovery code twice", async (held) => {
    const [code = ""] = app.recoveryCodes;
    const here = await half();
    expect((await here.post(stepPath, { code: code.toUpperCase().replace("-", "") })).location).toBe("/");
    const again = await half();
    expect((await again.post(stepPath, { code })).status).toBe(401);
    expect(await isIn(again)).toBe(false);
    const { text } = await owner.get("/profile");
    expect([text.includes("9 recovery codes are left"), text.includes(code)]).toEqual([true, false]);
    held("it is deleted with its use");
  });

  attack("D2", "a half-way cookie that is guessed, planted, late or of another sign-in", async (held) => {
    const bob = await joined(plane, owner, "bob@example.com", "READ_ONLY");
    const bobs = await turnOn(plane, bob);
    const mine = await signIn(plane, { email: "bob@example.com", password });
    const victim = await half();
    victim.cookies.set("outpost_half", mine.here.cookies.get("outpost_half") ?? "");
    expect((await victim.post(stepPath, { code: app.code() })).status).toBe(401);
    victim.cookies.set("outpost_half", "x".repeat(43));
    expect((await victim.post(stepPath, { code: app.code() })).location).toBe("/sign-in");
    const used = await half();
    const cookie = used.cookies.get("outpost_half") ?? "";
    expect((await used.post(stepPath, { code: app.code() })).location).toBe("/");
    plane.advance(30_000);
    const replayed = browser(plane.base);
    replayed.cookies.set("outpost_half", cookie);
    expect((await replayed.get(stepPath)).location).toBe("/sign-in");
    const late = await half();
    plane.advance(11 * 60_000);
    expect((await late.post(stepPath, { code: app.code() })).location).toBe("/sign-in");
    expect(bobs.recoveryCodes).toHaveLength(10);
    held("state in the store: unguessable, of one person, for one use and ten minutes");
  });

  attack("D2", "an open browser turns it off, or makes other codes", async (held) => {
    await owner.get("/profile");
    const tries = [
      await owner.post("/profile/second-factor/off", { proof: password }),
      await owner.post("/profile/second-factor/off", { code: app.code() }),
      await owner.post("/profile/second-factor/off", { proof: "not the password", code: app.code() }),
      await owner.post("/profile/second-factor/codes", { proof: password, code: "123" }),
    ];
    expect(tries.map(({ status }) => status)).toEqual([400, 400, 401, 401]);
    expect((await owner.post("/profile/second-factor/begin", { proof: password })).location).toBe("/profile");
    expect((await owner.get("/profile")).text).toContain("On. ");
    expect((await owner.post("/profile/second-factor/off", { proof: password, code: app.code() })).location).toBe("/profile?done=off");
    expect((await signIn(plane, ada)).page.location).toBe("/");
    held("the password and a code are asked again");
  });

  attack("D2", "joining another account with the password", async (held) => {
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const key = await plane.keyFor("OWNER", other.id);
    const eve = (await signIn(plane, { key })).here;
    await eve.get("/members");
    const { text } = await eve.post("/members/invitations", { email: ada.email, role: "READ_ONLY" });
    const path = new URL(/<code>([^<]+)<\/code>/.exec(text)?.[1] ?? "").pathname;
    const here = browser(plane.base);
    await here.get(path);
    const page = await here.post(path, { password });
    expect([page.location, here.cookies.has("outpost_session")]).toEqual([`${stepPath}?to=${encodeURIComponent(path)}`, false]);
    await here.get(page.location ?? "");
    expect((await here.post(stepPath, { code: app.code(), to: path })).location).toBe(path);
    expect((await here.get(path)).text).not.toContain('type="password"');
    expect((await here.post(path)).location).toBe("/");
    expect((await here.get("/checks")).text).toContain("Other · Read only");
    held("the second factor first, then the invitation");
  });

  attack("D2", "an open browser ends what its owner began elsewhere, with an app of its own", async (held) => {
    const carol = await joined(plane, owner, "carol@example.com", "READ_ONLY");
    await carol.get("/profile");
    const { text } = await carol.post("/profile/second-factor/begin", { proof: password });
    const confirm = "/profile/second-factor/confirm";
    const stolen = (await signIn(plane, { email: "carol@example.com", password })).here;
    await stolen.get("/profile");
    for (const fields of [{}, { code: "000000" }, { code: "000000", asked: askedOf(text) }, { code: "", asked: askedOf(text) }]) {
      const page = await stolen.post(confirm, { code: "", ...fields });
      expect([page.location, page.text.includes("<code>")]).toEqual(["/profile", false]);
    }
    expect((await carol.post(confirm, { code: "000000", asked: askedOf(text) })).text).toContain("<code>"); // a wrong code may be typed again
    plane.advance(10 * 60_000);
    expect((await carol.post(confirm, { code: "000000", asked: askedOf(text) })).location).toBe("/profile");
    held("the secret is told in the sign-in that gave the password, for ten minutes");
  });

  attack("D2", "the secret and the codes in the database and the pages", async (held) => {
    const user = await plane.context.storage.users.byEmail(ada.email);
    const row = await plane.context.storage.secondFactors.ofUser(user?.id ?? 0);
    expect(row?.secret).toMatch(/^sealed:v2:/);
    const { text } = await owner.get("/profile");
    for (const code of app.recoveryCodes) expect(text).not.toContain(code);
    expect((await owner.post("/profile/second-factor/confirm", { code: app.code() })).location).toBe("/profile");
    const { body } = await plane.call("GET", "/v1/audit-log");
    const told = body.entries.map(({ operation, fields }: { operation: string; fields: string[] }) => [operation, fields]);
    expect(told).toContainEqual(["turnOnSecondFactor", ["secondFactor", "recoveryCodes"]]);
    expect(plane.logLines.join("")).not.toContain(app.recoveryCodes[0]);
    held("sealed, hashed, and shown once");
  });
});

attack("D2", "a new password by mail, around the second factor", async (held) => {
  await using smtp = await mailServer();
  await using plane = await controlPlaneUnderTest({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, SMTP_FROM: "outpost@example.com" });
  const app = await turnOn(plane, await firstOwner(plane));
  const here = browser(plane.base);
  await here.get("/forgotten-password");
  await here.post("/forgotten-password", { email: ada.email });
  const mail = await eventually(async () => smtp.mails[0]);
  const path = /\/new-password\/[\w-]+/.exec(mail.source.replaceAll("=\r\n", ""))?.[0] ?? "";
  await here.get(path);
  expect((await here.post(path, { password: "another fine phrase" })).location).toBe(stepPath);
  expect(here.cookies.has("outpost_session")).toBe(false);
  await here.get(stepPath);
  expect((await here.post(stepPath, { code: app.code() })).location).toBe("/");
  held("the new password leads to the second page, too");
});
