import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClientCertificate } from "#contract/client-certificates.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";
import { ada, firstOwner } from "./people.ts";

let plane: ControlPlaneUnderTest;
let owner: Browser;
let writer: Browser;
let reader: Browser;
beforeAll(async () => {
  plane = await controlPlaneUnderTest({ SECRETS_READABLE: "write" });
  owner = await firstOwner(plane);
  writer = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
});
afterAll(async () => {
  await plane[Symbol.asyncDispose]();
});
const read = async (path: string) => (await plane.call("GET", path)).body;
const statuses = async (who: Browser, paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => [path, (await who.post(path, { key: "A", value: "b", name: "x", script: "y" })).status]));

describe("the pages of variables", () => {
  const add = async (key: string, value: string, flags: Readonly<Record<string, string>> = {}) => {
    await writer.get("/variables");
    return writer.post("/variables", { key, value, ...flags });
  };

  it("make, change and delete a variable", async () => {
    expect((await add("SHOP_URL", "one\r\ntwo")).location).toBe("/variables?done=created");
    expect(await read("/v1/variables/SHOP_URL")).toEqual({ key: "SHOP_URL", value: "one\ntwo", locked: false, secret: false });
    const { text } = await writer.get("/variables/SHOP_URL");
    expect(text).toMatch(/<textarea id="value"[^>]*>\none\ntwo<\/textarea>/);
    expect((await writer.post("/variables/SHOP_URL", { value: evil })).location).toBe("/variables?done=changed");
    const shown = (await writer.get("/variables?done=changed")).text;
    expect([shown.includes("Variable saved"), shown.includes("&lt;img src=x"), activeParts(shown)]).toEqual([true, true, []]);
    expect((await writer.post("/variables/SHOP_URL/delete")).location).toBe("/variables?done=deleted");
    expect((await writer.get("/variables/SHOP_URL")).status).toBe(404);
    expect((await read("/v1/audit-log?operation=updateVariable")).entries).toMatchObject([{ path: "/variables/SHOP_URL" }]);
  });

  it("show no locked and no secret value, and keep both where nothing is typed", async () => {
    await add("PIN", "secret-4711", { secret: "on" });
    await add("USER", "locked-ada", { locked: "on" });
    for (const path of ["/variables", "/variables/PIN", "/variables/USER"]) {
      expect([path, /secret-4711|locked-ada/.test((await writer.get(path)).text)]).toEqual([path, false]);
    }
    expect((await writer.get("/variables/PIN")).text).toContain("Leave empty to keep it.");
    await writer.post("/variables/PIN", { value: "", secret: "on", locked: "on" });
    expect(await read("/v1/variables/PIN")).toEqual({ key: "PIN", value: null, locked: true, secret: true });
    await writer.post("/variables/USER", { value: "", locked: "on" });
    expect((await read("/v1/variables/USER")).value).toBe("locked-ada");
    const opened = await writer.post("/variables/PIN", { value: "" });
    expect([opened.status, opened.text.includes("secret-4711")]).toEqual([400, false]);
    expect(opened.text).toMatch(/id="value-problem">Must be given: it is kept only for a secret that stays one/);
  });

  it("say what is wrong beside its field, and keep what was typed unless it is to be hidden", async () => {
    const wrong = await add("1x", `plain ${evil}`);
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(/id="key-problem">Must be letters, digits and underscores/);
    expect([wrong.text.includes('value="1x"'), wrong.text.includes("plain &lt;img"), activeParts(wrong.text)]).toEqual([true, true, []]);
    const secret = await add("1x", "typed-secret", { secret: "on" });
    expect([secret.text.includes("typed-secret"), /name="secret" value="on" checked/.test(secret.text)]).toEqual([false, true]);
    await add("TWICE", "a");
    expect((await add("TWICE", "b")).text).toMatch(/role="alert">[^<]*TWICE/);
  });
});

describe("the pages of snippets", () => {
  it("make, change and delete a snippet", async () => {
    await writer.get("/snippets/new");
    const script = `console.log("</textarea>${evil}");\r\n`;
    expect((await writer.post("/snippets", { name: evil, script })).location).toBe("/snippets?done=created");
    const [{ id }] = await read("/v1/snippets");
    expect(await read(`/v1/snippets/${id}`)).toMatchObject({ name: evil, script: script.replace("\r\n", "\n") });
    for (const path of ["/snippets", `/snippets/${id}`]) {
      const { text } = await writer.get(path);
      expect([path, activeParts(text), text.includes("&lt;img src=x")]).toEqual([path, [], true]);
    }
    expect((await writer.post(`/snippets/${id}`, { name: "login", script: "1;" })).location).toBe("/snippets?done=changed");
    expect((await reader.get(`/snippets/${id}`)).text).toMatch(/<pre class="code"[^>]*>1;<\/pre>/);
    const empty = await writer.post(`/snippets/${id}`, { name: "", script: "2;" });
    expect([empty.status, empty.text.includes('id="name-problem"'), empty.text.includes("\n2;</textarea>")]).toEqual([400, true, true]);
    expect((await writer.post(`/snippets/${id}/delete`)).location).toBe("/snippets?done=deleted");
    for (const gone of [`/snippets/${id}`, "/snippets/x"]) expect((await writer.get(gone)).status).toBe(404);
  });
});

describe("the page of client certificates", () => {
  const { cert, key, host } = createClientCertificate.example.body;

  it("stores a certificate, tells whose it is and until when, and deletes it", async () => {
    await writer.get("/certificates");
    expect((await writer.post("/certificates", { host, cert, key, ca: "", passphrase: "" })).location).toBe("/certificates?done=created");
    const { text } = await writer.get("/certificates");
    expect(text).toContain("<strong>*.internal.example.com</strong>");
    expect(text).toContain("valid until 19 Nov 2036");
    expect(text).not.toContain("PRIVATE KEY");
    const [{ id }] = await read("/v1/client-certificates");
    expect((await writer.post(`/certificates/${id}/delete`)).location).toBe("/certificates?done=deleted");
    expect(await read("/v1/client-certificates")).toEqual([]);
  });

  it("shows no key again where something is wrong", async () => {
    await writer.get("/certificates");
    const { status, text } = await writer.post("/certificates", { host: "not a host", cert, key, passphrase: "open sesame" });
    expect([status, text.includes('id="host-problem"'), text.includes("BEGIN CERTIFICATE")]).toEqual([400, true, true]);
    expect(text).not.toMatch(/BEGIN PRIVATE KEY|open sesame/);
  });
});

describe("the page of API keys", () => {
  it("makes a key that is shown once, and revokes it", async () => {
    await owner.get("/keys");
    const made = await owner.post("/keys", { name: `Deploy ${evil}`, role: "READ_RUN", kind: "service" });
    const raw = /<code>(sv_[0-9a-f]{32})<\/code>/.exec(made.text)?.[1] ?? "";
    expect([made.status, activeParts(made.text)]).toEqual([200, []]);
    expect((await plane.call("GET", "/v1/checks", { key: raw })).status).toBe(200);
    const { text } = await owner.get("/keys");
    expect([text.includes(raw), text.includes(`...${raw.slice(-4)}`), /(never|last) used/.test(text)]).toEqual([false, true, true]);
    const key = (await read("/v1/api-keys")).find(({ name }: { name: string }) => name.startsWith("Deploy"));
    expect((await owner.post(`/keys/${key.id}/revoke`)).location).toBe("/keys?done=revoked");
    expect((await plane.call("GET", "/v1/checks", { key: raw })).status).toBe(401);
    const wrong = await owner.post("/keys", { name: " ", role: "READ_RUN", kind: "user" });
    expect([wrong.status, wrong.text.includes('id="name-problem"'), /value="user" selected/.test(wrong.text)]).toEqual([400, true, true]);
  });

  it("lets nobody give or take more than he has, and keeps the last OWNER's key", async () => {
    const admin = await keyHolder(plane, await plane.keyFor("ADMIN"));
    const { text } = await admin.get("/keys");
    const ownerKey = (await read("/v1/api-keys")).find(({ role }: { role: string }) => role === "OWNER");
    expect([text.includes('value="OWNER"'), text.includes(`/keys/${ownerKey.id}/revoke`), text.includes("(yours)")]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await admin.post("/keys", { name: "More", role: "OWNER", kind: "service" })).status).toBe(403);
    expect((await admin.post(`/keys/${ownerKey.id}/revoke`)).status).toBe(403);
    await owner.get("/keys");
    const last = await owner.post(`/keys/${ownerKey.id}/revoke`);
    expect([last.status, last.text.includes('role="alert"')]).toEqual([409, true]);
  });
});

describe("the audit log", () => {
  it("tells who changed what, the newest first, by operation, by who and by time", async () => {
    await writer.get("/variables");
    await writer.post("/variables", { key: "AUDITED", value: "audited-value" });
    const { text } = await owner.get("/audit");
    expect(text.indexOf('title="createVariable"')).toBeGreaterThan(0);
    expect(text).not.toContain("audited-value");
    const [row = ""] = text.split('<ul class="events">').slice(1);
    expect(row.indexOf("createVariable")).toBeLessThan(row.indexOf("createApiKey"));
    const only = (await owner.get("/audit?operation=createApiKey")).text.split('<ul class="events">')[1] ?? "";
    expect([only.includes('title="createApiKey"'), only.includes("createVariable")]).toEqual([true, false]);
    const id = /value="(user:[^"]+)">Ada \(ada@example\.com\)/.exec(text)?.[1] ?? "";
    const byAda = await owner.get(`/audit?who=${id}`);
    expect(byAda.text).toContain(`<option value="${id}" selected>Ada (${ada.email})`);
    expect(byAda.text.split('<ul class="events">')[1]).not.toContain("createVariable");
    expect((await owner.get("/audit?to=2020-01-01T00:00")).text).toContain("No changes match.");
    const [, choices = ""] = /<select id="operation"[^>]*>(.*?)<\/select>/s.exec(text) ?? [];
    const titles = [...choices.matchAll(/<option[^>]*>([^<]+)/g)].map(([, title]) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    for (const one of ["Change the role of a member", "Change their own name"]) expect(titles).toContain(one);
    const role = /value="([^"]+)">Change the role of a member/.exec(choices)?.[1] ?? "";
    expect(role).not.toBe("");
    for (const id of [role, "changeMemberRole"])
      expect((await owner.get(`/audit?operation=${id}`)).text).toContain(`<option value="${role}" selected>Change the role of a member`);
    const odd = await owner.get(`/audit?operation=${encodeURIComponent(evil)}&who=x&from=now&after=1`);
    expect([odd.status, activeParts(odd.text)]).toEqual([200, []]);
  });

  it("has a small table of what an update changed, and says of secrets only that they did", async () => {
    await owner.get("/variables");
    await owner.post("/variables", { key: "AUDITED_TWICE", value: "audited-value" });
    await owner.post("/variables/AUDITED_TWICE", { key: "AUDITED_TWICE", value: "audited-again" });
    const id = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: "Before", tags: [evil] }) })).body.id;
    await plane.call("PUT", `/v1/checks/api/${id}`, { body: { name: "After", tags: [] } });
    const { text } = await owner.get("/audit");
    const table = (operation: string): string => /<table>.*?<\/table>/s.exec(text.split(`title="${operation}"`)[1] ?? "")?.[0] ?? "";
    expect(table("updateApiCheck")).toContain('<tr><th scope="row">name</th><td class="free">Before</td><td class="free">After</td></tr>');
    expect(table("updateVariable")).toContain('<td class="free" colspan="2">changed, value not kept</td>');
    expect(text).not.toMatch(/audited-(?:value|again)/);
    expect(activeParts(text)).toEqual([]);
  });

  it("says what was done in words, and names what it was done to, with a link", async () => {
    const post = async (path: string, body: object) => (await plane.call("POST", path, { body })).body;
    const check = await post("/v1/checks/api", apiCheck({ name: "Audited check" }));
    const gone = await post("/v1/checks/api", apiCheck({ name: "Gone check" }));
    await plane.call("DELETE", `/v1/checks/${gone.id}`);
    const group = await post("/v1/check-groups", { name: "Audited group" });
    await post("/v1/variables", { key: "AUDITED", value: "canary-30" });
    await plane.call("PUT", "/v1/variables/AUDITED", { body: { key: "AUDITED", value: "canary-31" } });
    const snippet = await post("/v1/snippets", { name: "Audited snippet", script: "1" });
    const window = await post("/v1/maintenance-windows", {
      name: "Audited window",
      startsAt: "2030-01-01T00:00:00.000Z",
      endsAt: "2030-01-01T01:00:00.000Z",
    });
    const dashboard = await post("/v1/dashboards", { header: "Audited dashboard", customUrl: "audited" });
    const { text } = await owner.get("/audit");
    for (const link of [
      '<a href="/variables/AUDITED">AUDITED</a>',
      `<a href="/snippets/${snippet.id}">Audited snippet</a>`,
      `<a href="/maintenance/${window.id}">Audited window</a>`,
      `<a href="/pages/dashboards/${dashboard.dashboardId}">Audited dashboard</a>`,
    ]) {
      expect(text).toContain(link);
    }
    expect(text).not.toContain("canary-31");
    expect(text).toContain(`title="createApiCheck">Create an API check</a> <a href="/checks/${check.id}">Audited check</a>`);
    expect(text).toMatch(new RegExp(`title="createCheckGroupV1">[^<]+</a> <a href="/groups/${group.id}">Audited group</a>`));
    expect(text).toContain(`<span>id ${gone.id}</span>`);
    expect(text).toContain(`<th scope="row">name</th><td class="free">Gone check</td>`);
  });

  it("goes on where a page ends", async () => {
    for (let n = 0; n < 51; n += 1) await plane.call("POST", "/v1/snippets", { body: { name: `s${n}`, script: "1" } });
    const first = (await owner.get("/audit?operation=createSnippet")).text;
    const next = /<a href="([^"]+)" rel="next">/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = (await owner.get(next)).text;
    expect([first.split("<li class").length, first.split('title="createSnippet"').length - 1]).toEqual([1, 50]);
    expect([second.split('title="createSnippet"').length - 1, second.includes('rel="next"')]).toEqual([3, false]);
    expect(second).toContain('<a href="/audit?operation=createSnippet">Newest</a>');
  });
});

describe("pages of what is set up once", () => {
  const forWriters = ["/variables", "/snippets", "/certificates"];
  const forAdmins = ["/keys", "/audit", "/members"];

  it("are read below READ_WRITE without a form, and keys and the audit log not at all", async () => {
    const { body } = await plane.call("POST", "/v1/snippets", { body: { name: "kept", script: "1" } });
    for (const path of [...forWriters, `/snippets/${body.id}`]) {
      const { status, text } = await reader.get(path);
      const forms = text.match(/<form [^>]*action="[^"]+"/g) ?? [];
      expect([path, status, forms]).toEqual([
        path,
        200,
        [
          '<form method="post" action="/appearance"',
          '<form method="post" action="/sign-out"',
          '<form role="search" method="get" action="/find"',
        ],
      ]);
    }
    for (const path of [...forAdmins, "/snippets/new", "/variables/AUDITED"]) expect((await reader.get(path)).status).toBe(403);
    const { text } = await reader.get("/variables");
    expect(forAdmins.map((path) => text.includes(`href="${path}"`))).toEqual([false, false, false]);
    const posts = [
      "/variables",
      "/variables/AUDITED",
      "/variables/AUDITED/delete",
      "/snippets",
      `/snippets/${body.id}/delete`,
      "/certificates",
      "/keys",
    ];
    expect(await statuses(reader, posts)).toEqual(posts.map((path) => [path, 403]));
    await writer.get("/variables");
    expect((await writer.post("/keys", { name: "x", role: "READ_ONLY", kind: "service" })).status).toBe(403);
  });

  it("take no form without its token", async () => {
    await owner.get("/keys");
    for (const path of ["/variables", "/snippets", "/certificates", "/keys"]) {
      expect([path, (await owner.post(path, { csrf: "x", name: "x", key: "X", value: "x", role: "OWNER" })).status]).toEqual([path, 403]);
    }
  });

  it("of another account are not there", async () => {
    const other = await stranger(plane);
    const { id } = (await read("/v1/snippets"))[0];
    expect((await other.get("/variables")).text).not.toContain("AUDITED");
    expect((await other.get(`/snippets/${id}`)).status).toBe(404);
    expect((await other.get("/variables/AUDITED")).status).toBe(404);
    expect((await other.get("/audit")).text).not.toContain('title="createVariable"');
  });

  it("are in the menu of the bar, which says where one is", async () => {
    const { text } = await owner.get("/audit");
    expect(text).toContain('<summary aria-current="true">Settings</summary>');
    expect(text).toContain('<a href="/audit" aria-current="page">Audit log</a>');
    expect((await owner.get("/checks")).text).toContain("<summary>Settings</summary>");
  });
});
