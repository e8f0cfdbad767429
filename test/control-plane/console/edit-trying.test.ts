import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser, Page } from "./browser.ts";
import { keyHolder } from "./key-holder.ts";

describe("trying a check in its form", { timeout: 60_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let id: string;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    await plane.call("POST", "/v1/private-locations", { body: { name: "Berlin", slugName: "berlin" } });
    owner = await keyHolder(plane, plane.ownerKey);
    id = (await plane.call("POST", "/v1/checks/api", { body: apiCheck() })).body.id;
    await owner.get(`/checks/${id}/edit`);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const fields = {
    name: "Shop",
    activated: "on",
    interval: "5",
    privateLocations: "berlin",
    "request.method": "GET",
    "request.bodyType": "NONE",
  };
  const problems = ({ text }: Page): unknown => JSON.parse(text).problems;

  it("says what is wrong as saving would, and stores nothing", async () => {
    const wrong = { ...fields, name: "", "request.url": "nonsense", maxResponseTime: "soon" };
    const told = problems(await owner.post(`/checks/${id}/edit/validate`, wrong));
    expect(Object.keys(told as object).toSorted()).toEqual(["maxResponseTime", "name"]);
    const saved = await owner.post(`/checks/${id}/edit`, wrong);
    for (const text of Object.values(told as Record<string, string>)) expect(saved.text).toContain(text.replaceAll('"', "&quot;"));
    const right = { ...fields, "request.url": "http://127.0.0.1/", maxResponseTime: "300" };
    expect(problems(await owner.post(`/checks/${id}/edit/validate`, right))).toEqual({});
    expect(problems(await owner.post("/checks/new/validate", { ...right, type: "API" }))).toEqual({});
    expect(problems(await owner.post("/checks/new/validate", { ...wrong, type: "API" }))).toEqual(told);
    expect((await plane.call("GET", "/v1/checks")).body).toMatchObject([{ name: "Front page" }]);
  });

  it("is for those who may write, and for forms of our own", async () => {
    const reader = await keyHolder(plane, await plane.keyFor("READ_RUN"));
    await reader.get("/checks");
    expect((await reader.post(`/checks/${id}/edit/validate`, fields)).status).toBe(403);
    expect((await owner.post(`/checks/${id}/edit/validate`, { ...fields, csrf: "wrong" })).status).toBe(403);
  });

  it("saves and runs it, and tells below the form what came of that run", async () => {
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("berlin"));
    const { location } = await owner.post(`/checks/${id}/edit`, { ...fields, "request.url": "http://127.0.0.1/", next: "run" });
    const [address = "", fragment] = (location ?? "").split("#");
    expect(address).toMatch(new RegExp(`^/checks/${id}/edit\\?started=`));
    expect(fragment).toBe("run");
    const waiting = await owner.get(address);
    expect(waiting.text).toContain("Waiting for an agent");
    expect(waiting.text).toContain(`data-address="/live/checks/${id}"`);
    const jobs = await agent.lease(2, 5);
    await agent.report(...jobs.map((job) => reportOf(job, { hasFailures: true, errorMessage: "expected status 200, got 503" })));
    expect((await owner.get(address)).text).toContain('<p class="problem">expected status 200, got 503</p>');
  });

  it("saves what cannot run, and says so", async () => {
    const { activated: _, ...off } = fields;
    const { location } = await owner.post(`/checks/${id}/edit`, { ...off, "request.url": "http://127.0.0.1/", next: "run" });
    expect(location).toBe(`/checks/${id}/edit?started=none#run`);
    expect((await owner.get(location ?? "")).text).toContain("It is saved. It did not run");
  });
});
