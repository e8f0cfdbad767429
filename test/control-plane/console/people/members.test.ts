import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutOurScripts } from "../../../support/our-scripts.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../../control-plane-under-test.ts";
import { type Browser, browser } from "../browser.ts";
import { evil } from "../key-holder.ts";
import { ada, firstOwner, joined, password } from "../people.ts";

describe("members", () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let admin: Browser;
  let writer: Browser;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    admin = await joined(plane, owner, "adam@example.com", "ADMIN");
    writer = await joined(plane, owner, "wendy@example.com", "READ_WRITE");
    for (const { email, uuid } of await plane.context.storage.members.list(plane.account.id)) ids.set(email, uuid);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const idOf = (email: string): string => ids.get(email) ?? "";
  const operations = async (): Promise<string[]> =>
    (await plane.call("GET", "/v1/audit-log?limit=100&refused=false")).body.entries.map(
      ({ operation }: { operation: string }) => operation,
    );

  it("are seen by ADMINs and OWNERs alone", async () => {
    expect((await owner.get("/members")).text).toContain("wendy@example.com");
    const { text } = await admin.get("/members");
    expect(text).toContain("ada@example.com");
    // An ADMIN is offered nothing that he may not do.
    expect(text).not.toContain(`/members/${idOf(ada.email)}/`);
    expect(text).not.toContain('<option value="OWNER"');
    const refused = await writer.get("/members");
    expect([refused.status, refused.text.includes("“Read and write” does not allow this"), refused.text.includes("ada@")]).toEqual([
      403,
      true,
      false,
    ]);
  });

  it("are managed by nobody below ADMIN, whatever is sent", async () => {
    await writer.get("/profile");
    const id = idOf("adam@example.com");
    const before = await operations();
    for (const path of ["invitations", `invitations/${id}/remove`, `${id}/role`, `${id}/remove`]) {
      expect([path, (await writer.post(`/members/${path}`, { email: "x@example.com", role: "READ_ONLY" })).status]).toEqual([path, 403]);
    }
    expect(await operations()).toEqual(before);
  });

  it("get and lose no role above that of who gives or takes it", async () => {
    await admin.get("/members");
    const tries = [
      await admin.post("/members/invitations", { email: "x@example.com", role: "OWNER" }),
      await admin.post(`/members/${idOf("wendy@example.com")}/role`, { role: "OWNER" }),
      await admin.post(`/members/${idOf(ada.email)}/role`, { role: "READ_ONLY" }),
      await admin.post(`/members/${idOf(ada.email)}/remove`),
    ];
    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await admin.post(`/members/${idOf("wendy@example.com")}/role`, { role: "EMPEROR" })).status).toBe(400);
    expect((await admin.post(`/members/${crypto.randomUUID()}/remove`)).status).toBe(404);
  });

  it("always have an OWNER among them", async () => {
    await owner.get("/members");
    for (const attempt of [`${idOf(ada.email)}/remove`, `${idOf(ada.email)}/role`]) {
      const { status, text } = await owner.post(`/members/${attempt}`, { role: "ADMIN" });
      expect([status, text.includes("at least one owner")]).toEqual([409, true]);
    }
    expect((await owner.get("/members")).status).toBe(200);
  });

  it("are invited by a link that is shown once, and is good once", async () => {
    await owner.get("/members");
    const hostile = [
      "a@b.example\r\nBcc: c@d.example",
      "a@b.example,c@d.example",
      "a\u0001@b.example",
      "a\u202e@b.example",
      '"a b"@c.example',
    ];
    for (const email of hostile) expect((await owner.post("/members/invitations", { email, role: "READ_RUN" })).status).toBe(400);
    const typed = await owner.post("/members/invitations", { email: "not an address", role: "READ_RUN" });
    expect([
      typed.status,
      typed.text.includes('value="not an address"'),
      typed.text.includes('<option value="READ_RUN" selected>'),
    ]).toEqual([400, true, true]);
    expect((await owner.post("/members/invitations", { email: "ADAM@example.com", role: "READ_RUN" })).text).toContain("already a member");
    const { text } = await owner.post("/members/invitations", { email: "iris@example.com", role: "READ_RUN" });
    const path = new URL(/<code>([^<]+)<\/code>/.exec(text)?.[1] ?? "").pathname;
    const list = (await owner.get("/members")).text;
    expect([list.includes("iris@example.com"), list.includes(path)]).toEqual([true, false]);
    const here = browser(plane.base);
    await here.get(path);
    const weak = await here.post(path, { name: "Iris", password: "password1234" });
    expect([weak.status, weak.text.includes('value="Iris"'), weak.text.includes("password1234")]).toEqual([400, true, false]);
    expect((await here.post(path, { name: "Iris", password })).location).toBe("/");
    expect((await browser(plane.base).get(path)).status).toBe(404);
    expect((await browser(plane.base).get(`/join/${"x".repeat(32)}`)).status).toBe(404);
  });

  it("whose invitation was withdrawn or has expired do not join", async () => {
    const link = async (email: string): Promise<string> => {
      await owner.get("/members");
      const { text } = await owner.post("/members/invitations", { email, role: "READ_ONLY" });
      return new URL(/<code>([^<]+)<\/code>/.exec(text)?.[1] ?? "").pathname;
    };
    const path = await link("late@example.com");
    const here = browser(plane.base);
    expect((await here.get(path)).status).toBe(200);
    const { storage, nowMs } = plane.context;
    const [pending] = await storage.invitations.list(plane.account.id, nowMs());
    expect((await owner.post(`/members/invitations/${pending?.uuid}/remove`)).location).toBe("/members?done=withdrawn");
    expect((await here.post(path, { name: "Late", password })).status).toBe(404);
    const other = await link("later@example.com");
    plane.advance(7 * 86_400_000);
    expect((await browser(plane.base).get(other)).status).toBe(404);
    plane.advance(-7 * 86_400_000);
  });

  it("write every change to the audit log, with its author and nothing that was typed", async () => {
    await owner.get("/members");
    const id = idOf("wendy@example.com");
    expect((await owner.post(`/members/${id}/role`, { role: "READ_ONLY" })).location).toBe("/members?done=changed");
    expect((await owner.post(`/members/${id}/remove`)).location).toBe("/members?done=removed");
    const { body } = await plane.call("GET", "/v1/audit-log?limit=2");
    expect(body.entries).toMatchObject([
      { operation: "removeMember", resourceId: id, path: `/members/${id}/remove`, actor: { type: "user", userName: ada.email } },
      { operation: "changeMemberRole", resourceId: id, fields: ["role"], method: "POST" },
    ]);
    const text = JSON.stringify((await plane.call("GET", "/v1/audit-log?limit=100")).body);
    expect(new Set(await operations())).toEqual(
      new Set(["createFirstOwner", "inviteMember", "joinAccount", "withdrawInvitation", "changeMemberRole", "removeMember"]),
    );
    expect(text).not.toContain(password);
    expect(text).not.toMatch(/\/join\/./);
    expect((await writer.get("/profile")).status).toBe(303);
  });

  it("of another account see nothing of this one", async () => {
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const here = browser(plane.base);
    await here.get("/sign-in");
    await here.post("/sign-in", { key: await plane.keyFor("OWNER", other.id) });
    const { text } = await here.get("/members");
    expect([text.includes("Other"), text.includes("example.com")]).toEqual([true, false]);
    for (const path of [`${idOf("adam@example.com")}/role`, `${idOf("adam@example.com")}/remove`]) {
      expect((await here.post(`/members/${path}`, { role: "READ_ONLY" })).status).toBe(404);
    }
    expect((await admin.get("/members")).status).toBe(200);
  });

  it("have names that are text, whatever is in them", async () => {
    await owner.get("/profile");
    expect((await owner.post("/profile/name", { name: `${evil}\n` })).location).toBe("/profile?done=name");
    expect((await owner.post("/profile/name", { name: "a\nb" })).status).toBe(400);
    const { text, headers } = await owner.get("/members");
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&#39; (you)");
    expect(text).not.toContain("<img");
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+' 'nonce-[^']+'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
    expect(withoutOurScripts(text)).not.toMatch(/<script| style=|<[^>]+ on\w+=/);
    expect(withoutOurScripts((await owner.get("/members?done=<script>")).text)).not.toContain("<script");
    expect((await owner.get("/members?done=constructor")).status).toBe(200);
  });
});
