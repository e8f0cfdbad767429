import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MailServer, mailServer, type ReceivedMail } from "../alerting/channels/mail-server.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { type Browser, browser } from "./browser.ts";
import { firstOwner, joined, password, signIn } from "./people.ts";

/** Quoted-printable breaks lines and hides signs. */
const plain = ({ source }: ReceivedMail): string => source.replaceAll("=\r\n", "").replaceAll("=3D", "=");
const pathIn = (mail: ReceivedMail | undefined): string =>
  /http:\/\/[^/\s]+(\/(?:join|new-password)\/[\w-]+)/.exec(mail === undefined ? "" : plain(mail))?.[1] ?? "no link";

describe("mails to people", { timeout: 120_000 }, () => {
  let server: MailServer;
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeAll(async () => {
    server = await mailServer({
      onRcptTo: ({ address }, _session, callback) =>
        callback(address.startsWith("refused") ? Object.assign(new Error("no such mailbox"), { responseCode: 550 }) : null),
    });
    plane = await controlPlaneUnderTest({ SMTP_URL: `smtp://127.0.0.1:${server.port}`, SMTP_FROM: "Outpost <outpost@shop.example>" });
    owner = await firstOwner(plane);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const mailsTo = (address: string, count: number) =>
    eventually(async () => {
      const mails = server.mails.filter(({ to }) => to.includes(address));
      return mails.length >= count && mails;
    });
  const ask = async (email: string, here = browser(plane.base)) => {
    await here.get("/forgotten-password");
    return here.post("/forgotten-password", { email });
  };

  it("bring an invitation, whose link does what the one on the page does", async () => {
    await owner.get("/members");
    const page = await owner.post("/members/invitations", { email: "bob@example.com", role: "READ_RUN" });
    expect(page.text).toContain("Invitation mailed to bob@example.com.");
    const [mail] = await mailsTo("bob@example.com", 1);
    expect(mail?.headers).toMatchObject({
      subject: expect.stringMatching(/^\[Outpost\] Invitation to /),
      "auto-submitted": "auto-generated",
    });
    expect(plain(mail!)).toContain("Ada invited you to join");
    expect(page.text).toContain(`<code>${plane.base}${pathIn(mail)}</code>`);
    const here = browser(plane.base);
    await here.get(pathIn(mail));
    expect((await here.post(pathIn(mail), { name: "Bob", password })).location).toBe("/");
  });

  it("lead whoever is in another account to his password, and to where it is replaced", async () => {
    const { accounts, members } = plane.context.storage;
    const createdAtMs = plane.context.nowMs();
    const other = await accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: createdAtMs });
    const cleo = { uuid: crypto.randomUUID(), email: "cleo@example.com", name: "Cleo", passwordHash: null, createdAtMs };
    await members.addFirstOwner(other.id, cleo);
    await owner.get("/members");
    await owner.post("/members/invitations", { email: cleo.email, role: "READ_RUN" });
    const [mail] = await mailsTo(cleo.email, 1);
    const { text } = await browser(plane.base).get(pathIn(mail));
    expect(text).toContain("You already have an account here");
    expect(text).toContain('href="/forgotten-password"');
  });

  it("go only so often to one mailbox, and who is refused is told until when", async () => {
    await owner.get("/members");
    const invite = (email: string) => owner.post("/members/invitations", { email, role: "READ_RUN" });
    for (let n = 0; n < 5; n += 1) expect((await invite("hugo@example.com")).status).toBe(200);
    const again = await invite("Hugo@example.com");
    expect([again.status, Number(again.headers.get("retry-after")) > 86_000]).toEqual([429, true]);
    expect(again.text).toContain("Too many invitations were mailed to this address in the last day. Try again in ");
    expect(again.text).toContain('value="Hugo@example.com"');
    expect(server.mails.filter(({ to }) => to.some((one) => /hugo/i.test(one)))).toHaveLength(5);
  });

  it("leave the link on the page where the mail server takes none", async () => {
    await owner.get("/members");
    const { text } = await owner.post("/members/invitations", { email: "refused@example.com", role: "READ_RUN" });
    expect(text).toContain("The mail server rejected the mail.");
    expect(text).toMatch(/<code>[^<]+\/join\//);
    expect(plane.logLines.join("")).not.toContain("refused@example.com");
  });

  it("tell nobody who has an account here, and reach nobody who has none", async () => {
    expect((await browser(plane.base).get("/sign-in")).text).toContain('href="/forgotten-password"');
    await joined(plane, owner, "carl@example.com", "READ_ONLY");
    const pages = await Promise.all(["carl@example.com", "dora@example.com"].map((email) => ask(email)));
    const [known, unknown] = pages.map(({ status, text }) => [status, text.replaceAll(/(carl|dora)@example\.com/g, "")]);
    expect(known).toEqual(unknown);
    await mailsTo("carl@example.com", 2); // the first is the invitation
    expect(server.mails.filter(({ to }) => to.includes("dora@example.com"))).toEqual([]);
    expect((await ask("not an address")).status).toBe(400);
  });

  it("bring a link that sets a new password once, ends what was signed in, and stands in the audit log", async () => {
    const before = await joined(plane, owner, "eve@example.com", "READ_ONLY");
    await ask("EVE@example.com");
    const [, mail] = await mailsTo("eve@example.com", 2);
    const path = pathIn(mail);
    // Once more within five minutes is no second mail, and the first link stays good.
    await ask("eve@example.com");
    const here = browser(plane.base);
    const page = await here.get(path);
    expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "same-origin"]);
    const weak = await here.post(path, { password: "eve" });
    expect([weak.status, weak.text.includes("12 characters")]).toEqual([400, true]);
    const [first, second] = await Promise.all([
      here.post(path, { password: "another fine phrase" }),
      here.post(path, { password: "yet another phrase" }),
    ]);
    expect([first.status, second.status].toSorted((a, b) => a - b)).toEqual([303, 404]);
    const [right, wrong] =
      first.status === 303 ? ["another fine phrase", "yet another phrase"] : ["yet another phrase", "another fine phrase"];
    expect((await here.get("/profile")).text).toContain("eve@example.com");
    expect((await before.get("/profile")).status).toBe(303);
    for (const old of [password, wrong]) expect((await signIn(plane, { email: "eve@example.com", password: old })).page.status).toBe(401);
    expect((await signIn(plane, { email: "eve@example.com", password: right })).page.location).toBe("/");
    expect([(await here.get(path)).status, (await browser(plane.base).get(path)).status]).toEqual([404, 404]);
    const { entries } = (await plane.call("GET", "/v1/audit-log?operation=resetPassword")).body;
    expect(entries).toMatchObject([{ operation: "resetPassword", fields: ["password"], actor: { userName: "eve@example.com" } }]);
    expect(JSON.stringify([entries, plane.logLines])).not.toContain(path.split("/")[2]);
    expect(server.mails.filter(({ to }) => to.includes("eve@example.com"))).toHaveLength(2);
  });

  it("bring a link that is good for an hour, and none after a new password", async () => {
    await joined(plane, owner, "finn@example.com", "READ_ONLY");
    await ask("finn@example.com");
    const [, late] = await mailsTo("finn@example.com", 2);
    plane.advance(3_600_000);
    expect((await browser(plane.base).get(pathIn(late))).status).toBe(404);
    await ask("finn@example.com");
    const [, , replaced] = await mailsTo("finn@example.com", 3);
    const { here } = await signIn(plane, { email: "finn@example.com", password });
    await here.get("/profile");
    await here.post("/profile/password", { current: password, password: "another fine phrase" });
    expect((await browser(plane.base).get(pathIn(replaced))).status).toBe(404);
  });

  it("are asked for with pauses, which hold up nobody's signing in", async () => {
    const tries = [];
    for (let n = 0; n < 6; n += 1) tries.push((await ask("gina@example.com")).status);
    expect(tries).toEqual([200, 200, 200, 200, 200, 429]);
    await joined(plane, owner, "gina@example.com", "READ_ONLY");
    expect((await signIn(plane, { email: "gina@example.com", password })).page.location).toBe("/");
  });

  it("are not offered where none are sent", async () => {
    await using without = await controlPlaneUnderTest();
    const here = await firstOwner(without);
    expect((await browser(without.base).get("/sign-in")).text).not.toContain("forgotten-password");
    expect((await browser(without.base).get("/forgotten-password")).status).toBe(404);
    await here.get("/members");
    const { text } = await here.post("/members/invitations", { email: "bob@example.com", role: "READ_RUN" });
    expect([text.includes("Send this link to bob@example.com."), text.includes("mail server")]).toEqual([true, false]);
  });
});
