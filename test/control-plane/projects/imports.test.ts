import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("imports into a project of code", () => {
  let plane: ControlPlaneUnderTest;
  let check: string;
  let group: number;
  let channel: number;
  const shop = "/next/projects/shop/imports";
  const post = (path: string, body?: object) => plane.call("POST", path, { body });
  const plan = (filters: readonly object[], query = "") => post(shop + query, { filters, friends: [] });
  const names = (body: { readonly changes: { readonly resources: readonly { readonly type: string }[] } }) =>
    body.changes.resources.map(({ type }) => type);

  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    await post("/next/projects", { logicalId: "shop", name: "Shop" });
    channel = (await post("/v1/alert-channels", { type: "EMAIL", config: { address: "on-call@example.com" } })).body.id;
    group = (await post("/v2/check-groups", { name: "Checkout group" })).body.id;
    const body = apiCheck({
      name: "Front page",
      groupId: group,
      alertChannelSubscriptions: [{ alertChannelId: channel, activated: true }],
    });
    check = (await post("/v1/checks/api", body)).body.id;
    await post("/v1/snippets", { name: "login", script: "1" });
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  it("plan what the filters leave, with the parts of each object and the account's snippets", async () => {
    const everything = await plan([{ type: "include" }], "?preview=true");
    expect([everything.status, names(everything.body)]).toEqual([
      200,
      ["check-group", "check", "alert-channel", "alert-channel-subscription", "alert-channel-subscription"],
    ]);
    expect(everything.body.changes.resources[1]).toMatchObject({
      logicalId: `front-page-${check.slice(0, 8)}`,
      physicalId: check,
      payload: { id: check, name: "Front page", groupId: group },
    });
    expect(everything.body.changes.auxiliary).toMatchObject([{ type: "snippet", payload: { name: "login", script: "1" } }]);
    expect((await plane.call("GET", shop)).body).toEqual([]);
    const alone = await plan([{ type: "exclude" }, { type: "include", resource: { type: "check", physicalId: check } }], "?preview=true");
    expect(names(alone.body)).toEqual(["check", "alert-channel-subscription"]);
    const others = await plan([{ type: "include" }, { type: "exclude", resource: { type: "check" } }], "?preview=true");
    expect(names(others.body)).toEqual(["check-group", "alert-channel", "alert-channel-subscription"]);
    const none = await plan([{ type: "exclude" }]);
    expect([none.status, none.body.message]).toEqual([404, "No importable resources were found"]);
    expect((await post("/next/projects/nothing/imports", { filters: [] })).status).toBe(404);
  });

  it("link what was planned, keep it until they are committed, and let nobody do it twice", async () => {
    const wanted = [{ type: "exclude" }, { type: "include", resource: { type: "check", physicalId: check } }];
    const first = (await plan(wanted)).body;
    const again = await plan([{ type: "include" }], "?preview=true");
    expect(names(again.body)).not.toContain("check"); // another plan has it
    const second = (await plan(wanted)).body; // named, so it may be in two
    expect((await plane.call("GET", `${shop}?onlyUncommitted=true`)).body.map(({ id }: { id: string }) => id)).toEqual([
      second.id,
      first.id,
    ]);
    expect((await post(`/next/projects/imports/${first.id}/commit`)).status).toBe(403);
    expect((await post(`/next/projects/imports/${first.id}/apply`)).body).toMatchObject({ id: first.id, appliedAt: expect.any(String) });
    expect((await post(`/next/projects/imports/${first.id}/apply`)).status).toBe(409); // its own project has it now
    expect((await post(`/next/projects/imports/${second.id}/apply`)).status).toBe(409);
    expect((await plane.call("DELETE", `/next/projects/imports/${second.id}`)).status).toBe(204);

    const deploy = (resources: readonly object[]) =>
      post("/next-v2/projects/deploy", { project: { logicalId: "shop", name: "Shop" }, resources });
    expect((await deploy([])).body.diff).toEqual([]);
    expect((await plane.call("GET", `/v1/checks/${check}`)).status).toBe(200);
    const [{ logicalId }] = first.changes.resources;
    const code = { type: "check", logicalId, payload: { ...apiCheck({ name: "From code" }), checkType: "API" } };
    expect((await deploy([code])).body.diff).toEqual([{ type: "check", logicalId, physicalId: check, action: "UPDATE" }]);
    expect((await plane.call("GET", `/v1/checks/${check}`)).body.name).toBe("From code");
    expect((await deploy([])).body.diff).toEqual([]); // still not its own
    expect((await post(`/next/projects/imports/${first.id}/commit`)).body).toMatchObject({ committedAt: expect.any(String) });
    expect((await plane.call("DELETE", `/next/projects/imports/${first.id}`)).status).toBe(403);
    expect((await deploy([])).body.diff).toMatchObject([{ type: "check", logicalId, action: "DELETE" }]);
    expect((await plane.call("GET", `/v1/checks/${check}`)).status).toBe(404);
  });

  it("take their links back when they are cancelled, and are no matter of other accounts", async () => {
    const made = (await plan([{ type: "include", resource: { type: "check-group", physicalId: group } }])).body;
    await post(`/next/projects/imports/${made.id}/apply`);
    expect((await plane.call("DELETE", `/next/projects/imports/${made.id}`)).status).toBe(204);
    const after = await plan([{ type: "include" }], "?preview=true");
    expect(names(after.body)).toContain("check-group");
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const key = await plane.keyFor("OWNER", other.id);
    const kept = (await plan([{ type: "include" }])).body;
    expect((await plane.call("POST", `/next/projects/imports/${kept.id}/apply`, { key })).status).toBe(404);
    expect((await plane.call("GET", "/next/projects/imports", { key })).body).toEqual([]);
    expect((await plane.call("GET", shop, { key })).status).toBe(404);
  });
});
