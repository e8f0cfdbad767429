import { afterAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../../support/engines.ts";
import { apiCheck, controlPlaneUnderTest } from "../control-plane-under-test.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

const none = { owner: null, references: [] };

describe.each(engines.list)("bindings to projects of code on $name", { timeout: 60_000 }, (engine) => {
  it("are told by every read of an object that code owns or refers to", async () => {
    const url = await engine.databaseUrl();
    await using plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    const { call } = plane;
    const read = async (path: string) => (await call("GET", path)).body;
    const channel = (await call("POST", "/v1/alert-channels", { body: { type: "EMAIL", config: { address: "ops@example.com" } } })).body;
    const own = { type: "check", logicalId: "front", payload: { checkType: "API", ...apiCheck({ locations: ["eu-west-1"] }) } };
    const resources = [
      { type: "alert-channel", logicalId: "ops", physicalId: channel.id, member: false },
      { type: "check-group", logicalId: "shop", payload: { v: 2, name: "Shop" } },
      { ...own, payload: { ...own.payload, groupId: { ref: "shop" } } },
      { type: "private-location", logicalId: "hall", payload: { name: "Hall", slugName: "hall" } },
    ];
    const window = { name: "Night", startsAt: "2030-01-01T00:00:00.000Z", endsAt: "2030-01-01T01:00:00.000Z" };
    const others = [
      { type: "maintenance-window", logicalId: "night", payload: { ...window, tags: ["shop"] } },
      { type: "dashboard", logicalId: "wall", payload: { customUrl: "shop-wall", header: "Shop" } },
      { type: "status-page", logicalId: "public", payload: { name: "Shop", url: "shop", cards: [] } },
    ];
    const body = { project: { logicalId: "shop-code", name: "Shop code" }, resources: [...resources, ...others] };
    const { status, body: deployed } = await call("POST", "/next-v2/projects/deploy?dryRun=false", { body });
    expect(status).toBe(200);
    const project = { id: deployed.project.id, logicalId: "shop-code", name: "Shop code" };
    const bound = (logicalId: string) => ({ project, binding: { logicalId, pending: false } });
    const idOf = (type: string) => deployed.diff.find((one: { type: string }) => one.type === type).physicalId;

    for (const [path, logicalId] of [
      [`/v1/checks/${idOf("check")}`, "front"],
      [`/v2/checks/${idOf("check")}`, "front"],
      [`/v3/checks/${idOf("check")}`, "front"],
      [`/v1/check-groups/${idOf("check-group")}`, "shop"],
      [`/v1/private-locations/${idOf("private-location")}`, "hall"],
      [`/v1/maintenance-windows/${idOf("maintenance-window")}`, "night"],
      [`/v1/status-pages/${idOf("status-page")}`, "public"],
    ] as const)
      expect((await read(path)).projectBindings).toEqual({ owner: bound(logicalId), references: [] });
    expect(await read(`/v1/checks/${idOf("check")}`)).toMatchObject({ project, logicalId: "front", member: true, pending: false });
    expect((await read("/v1/checks"))[0].projectBindings.owner).toEqual(bound("front"));
    expect((await read("/v1/dashboards"))[0].projectBindings.owner).toEqual(bound("wall"));
    expect((await read("/v1/status-pages")).entries[0].projectBindings.owner).toEqual(bound("public"));
    expect((await read(`/v1/alert-channels/${channel.id}`)).projectBindings).toEqual({ owner: null, references: [bound("ops")] });

    // What was read may be sent back, and a project that is gone owns nothing.
    const sent = await call("PUT", `/v1/checks/${idOf("check")}`, { body: await read(`/v1/checks/${idOf("check")}`) });
    expect(sent.status).toBe(200);
    await call("DELETE", "/v1/projects/shop-code?preserveResources=true&dryRun=false");
    await expect.poll(async () => (await read(`/v2/checks/${idOf("check")}`)).projectBindings).toEqual(none);
  });
});
