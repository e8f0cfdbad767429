import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { formFields } from "./edit-forms.ts";
import { firstOwner, joined } from "./people.ts";

describe("pages of check groups", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const make = async (changes: object = {}): Promise<string> =>
    (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id;
  const group = async (body: object): Promise<number> => (await plane.call("POST", "/v2/check-groups", { body })).body.id;
  const groupIdOf = async (id: string) => (await plane.call("GET", `/v1/checks/${id}`)).body.groupId;

  it("tell how the checks of each group stand, what its settings are, and which checks have none", async () => {
    expect((await owner.get("/groups")).text).toContain("No groups yet.");
    const shop = await group({ name: "Shop <b>", tags: ["eu"], locations: ["eu-west-1"] });
    await group({ name: "Quiet", muted: true, activated: false });
    await make({ name: "One", groupId: shop });
    await make({ name: "Two", groupId: shop, activated: false, muted: true });
    await make({ name: "Alone" });
    const { text } = await owner.get("/groups");
    expect(text).toContain(`<a class="name" href="/groups/${shop}">Shop &lt;b&gt;</a>`);
    expect(text).toContain("1 without data</a>");
    expect(text).toContain("1 paused</a>");
    expect(text).toContain("<span>1 muted</span>");
    for (const part of ["<p>2 checks</p>", "<span>eu-west-1</span>", "group paused", "group muted", ">Empty<"])
      expect(text).toContain(part);
    const loose = text.slice(text.indexOf("Checks without a group"));
    expect(loose).toContain(">Alone</a>");
    expect(loose).not.toContain(">One</a>");
    expect((await owner.get("/groups?q=alon")).text).toContain(">Alone</a>");
    expect((await owner.get("/groups?q=nothing")).text).toContain("No checks match.");
    expect((await owner.get("/checks")).text).toContain('href="/groups">Groups</a>');
  });

  it("show one with the rows of its checks, and lead an act of a row back to it", async () => {
    const shop = await group({ name: "Shop" });
    const one = await make({ name: "One", groupId: shop });
    await make({ name: "Other" });
    const { text } = await owner.get(`/groups/${shop}`);
    expect(text).toContain(`data-id="${one}"`);
    expect(text).not.toContain(">Other</a>");
    expect((await owner.get(`/checks/${one}`)).text).toContain(`<a href="/groups/${shop}">Shop</a>`);
    expect(text).toContain(`form="row-acts" formaction="/checks/${one}/deactivate"`);
    expect(text).toContain(`name="group" value="${shop}"`);
    const paused = await owner.post(`/checks/${one}/deactivate`, { group: String(shop) });
    expect(paused.location).toBe(`/groups/${shop}?done=deactivate`);
    expect((await owner.get(paused.location ?? "")).text).toContain('role="status">Check paused.');
    // No address of elsewhere.
    expect((await owner.post(`/checks/${one}/activate`, { group: "1/../../evil" })).location).toBe(`/checks/${one}?done=activate`);
    for (const wrong of ["999999", "0", "x"]) expect((await owner.get(`/groups/${wrong}`)).status).toBe(404);
  });

  it("are made, changed and deleted in forms; what the form does not show stays", async () => {
    const channel = (
      await plane.call("POST", "/v1/alert-channels", { body: { type: "EMAIL", config: { address: "a@example.com" }, subscriptions: [] } })
    ).body.id;
    const form = await owner.get("/groups/new");
    expect(form.text).toContain("New group");
    const refused = await owner.post("/groups", { name: "" });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('aria-invalid="true"');
    const created = await owner.post("/groups", {
      name: "Shop",
      tags: "eu, checkout",
      activated: "on",
      "alertChannels.shown": String(channel),
    });
    expect(created.location).toMatch(/^\/groups\/\d+\?done=created$/);
    const id = Number(/\d+/.exec(created.location ?? "")?.[0]);
    const read = async () => (await plane.call("GET", `/v1/check-groups/${id}`)).body;
    // A channel that was left out is not joined.
    expect(await read()).toMatchObject({ name: "Shop", tags: ["eu", "checkout"], activated: true, muted: false, locations: [] });
    expect((await read()).alertChannelSubscriptions).toEqual([{ alertChannelId: channel, activated: false }]);
    const variables = [{ key: "TOKEN", value: "s3cr3t-value", secret: true, locked: true }];
    const { id: _, created_at: _c, updated_at: _u, projectBindings: _p, ...whole } = await read();
    await plane.call("PUT", `/v2/check-groups/${id}`, {
      body: { ...whole, tags: ["a,b"], concurrency: 7, environmentVariables: variables },
    });
    const fields = formFields((await owner.get(`/groups/${id}/edit`)).text);
    expect(fields["tags"]).toEqual(["a,b"]);
    const changes = { muted: "on", name: "Shop 2", alertChannels: String(channel) };
    const saved = await owner.post(`/groups/${id}`, { ...fields, ...changes });
    expect(saved.location).toBe(`/groups/${id}?done=changed`);
    const after = await read();
    expect(after).toMatchObject({ name: "Shop 2", tags: ["a,b"], muted: true, concurrency: 7 });
    expect(after.alertChannelSubscriptions).toEqual([{ alertChannelId: channel, activated: true }]);
    expect(after.environmentVariables).toMatchObject([{ key: "TOKEN", secret: true }]);
    const check = await make({ name: "One", groupId: id });
    expect((await owner.get(`/groups/${id}`)).text).toContain("Only an empty group can be deleted. Move its 1 check out first.");
    expect((await owner.post(`/groups/${id}/delete`)).status).toBe(409);
    await plane.call("DELETE", `/v1/checks/${check}`);
    expect((await owner.get(`/groups/${id}`)).text).toContain("Delete Shop 2?");
    expect((await owner.post(`/groups/${id}/delete`)).location).toBe("/groups?done=deleted");
    expect((await plane.call("GET", `/v1/check-groups/${id}`)).status).toBe(404);
  });

  it("move checks in and out by a plain form, each by its own update", async () => {
    const [shop, other] = [await group({ name: "Shop" }), await group({ name: "Other" })];
    const [one, two, three] = [await make({ name: "One" }), await make({ name: "Two" }), await make({ name: "Three", groupId: other })];
    const found = (await owner.get(`/groups/${shop}?q=t`)).text;
    expect(found).toContain(`value="${two}"`);
    expect(found).toContain("in Other");
    const added = await owner.post("/groups/move", { to: String(shop), back: String(shop), check: [one, two, three] });
    expect(added.location).toBe(`/groups/${shop}?done=moved`);
    for (const id of [one, two, three]) expect(await groupIdOf(id)).toBe(shop);
    // What somebody moved elsewhere meanwhile is left alone.
    await plane.call("PUT", `/v1/checks/api/${two}`, { body: { groupId: other } });
    const out = await owner.post("/groups/move", { to: "none", from: String(shop), back: String(shop), check: [one, two] });
    expect(out.location).toBe(`/groups/${shop}?done=moved`);
    expect(await Promise.all([one, two, three].map(groupIdOf))).toEqual([null, other, shop]);
    const log = await plane.call("GET", "/v1/audit-log?limit=100");
    expect(JSON.stringify(log.body)).toContain('"updateApiCheck"');
    for (const [fields, status] of [
      [{ to: "x", check: one }, 400],
      [{ to: String(shop) }, 400],
      [{ to: "999999", check: one }, 404],
    ] as const)
      expect((await owner.post("/groups/move", fields)).status).toBe(status);
  });

  it("tell which checks were refused, and why; the others are moved", async () => {
    const shop = await group({ name: "Shop", locations: ["eu-west-1"] });
    const placed = await make({ name: "Placed", groupId: shop });
    const homeless = await make({ name: "Homeless", locations: [], groupId: shop });
    await owner.get(`/groups/${shop}`);
    const { status, text } = await owner.post("/groups/move", { to: "none", from: String(shop), check: [placed, homeless] });
    expect(status).toBe(200);
    expect(text).toContain("1 check changed.");
    expect(text).toContain(">Homeless</a>:");
    expect(await Promise.all([placed, homeless].map(groupIdOf))).toEqual([null, shop]);
  });

  it("are read by readers and changed by editors of the account alone, and never by another site", async () => {
    const shop = await group({ name: "Shop" });
    const one = await make({ name: "One", groupId: shop });
    const reader = await joined(plane, owner, "reader@example.com", "READ_ONLY");
    for (const path of ["/groups", `/groups/${shop}`]) {
      const { status, text } = await reader.get(path);
      expect(status).toBe(200);
      for (const part of ["/groups/new", "/groups/move", `/groups/${shop}/edit`, "assets/groups", 'type="checkbox"']) {
        expect(text).not.toContain(part);
      }
    }
    for (const path of ["/groups/new", `/groups/${shop}/edit`]) expect((await reader.get(path)).status).toBe(403);
    await reader.get("/groups");
    const refusedTo = [
      ["/groups", { name: "Mine" }],
      [`/groups/${shop}`, { name: "Mine" }],
      [`/groups/${shop}/delete`, {}],
      ["/groups/move", { to: "none", check: one }],
    ] as const;
    for (const [path, fields] of refusedTo) expect((await reader.post(path, fields)).status).toBe(403);
    for (const [path, fields] of refusedTo) expect((await owner.post(path, { ...fields, csrf: "x" })).status).toBe(403);
    const made = await plane.call("POST", "/v1/accounts", { body: { name: "Elsewhere" } });
    const key: string = made.body.rawKey;
    const theirs = (await plane.call("POST", "/v2/check-groups", { key, body: { name: "Theirs" } })).body.id;
    expect(theirs).toBeGreaterThan(0);
    expect((await owner.get("/groups")).text).not.toContain("Theirs");
    for (const path of [`/groups/${theirs}`, `/groups/${theirs}/edit`]) expect((await owner.get(path)).status).toBe(404);
    expect((await owner.post("/groups/move", { to: String(theirs), check: one })).status).toBe(404);
    expect((await owner.post(`/groups/${theirs}/delete`)).status).toBe(404);
    expect(await groupIdOf(one)).toBe(shop);
  });

  it("can be chosen beyond the hundredth, where a check is edited and where many are moved", async () => {
    for (let n = 1; n <= 101; n += 1) await group({ name: `Group ${n}` });
    const id = await make();
    expect((await owner.get(`/checks/${id}/edit`)).text).toContain(">Group 101</option>");
    expect((await owner.get(`/checks/bulk?check=${id}&act=group`)).text).toContain(">Group 101</option>");
  });
});
