import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser, Page } from "./browser.ts";
import { keyHolder } from "./key-holder.ts";

describe("trying a check in its form", { timeout: 120_000 }, () => {
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

  const tried = { ...fields, "request.url": "http://127.0.0.1/tried", runLocation: "berlin", next: "try" };

  it("runs what stands in it without saving it, and tells beside the form what came of that", async () => {
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("berlin"));
    const before = (await plane.call("GET", `/v1/checks/${id}`)).body;
    const answer = owner.post(`/checks/${id}/edit`, tried);
    const [job] = await agent.lease(1, 5);
    if (job === undefined) throw new Error("nothing to run");
    expect(job.payload).toMatchObject({ checkId: id, settings: { request: { url: "http://127.0.0.1/tried" } } });
    await agent.report(reportOf(job, { hasFailures: true, errorMessage: "expected status 200, got 503" }));
    const { status, text } = await answer;
    expect(status).toBe(200);
    expect(text).toContain('value="http://127.0.0.1/tried"');
    expect(text).toContain('<p class="problem">expected status 200, got 503</p>');
    const [, address = ""] = /href="(\/test-sessions\/[^"]+\/results\/[^"]+)"/.exec(text) ?? [];
    const whole = await owner.get(address);
    expect(whole.text).toContain("expected status 200, got 503");
    expect(whole.text).toContain("<h2>Response");
    expect((await owner.get(address.split("/results/")[0] ?? "")).text).toContain(`href="${address}"`);
    expect((await plane.call("GET", `/v1/checks/${id}`)).body).toEqual(before);
    expect((await plane.call("GET", `/v1/check-results/${id}?resultType=ALL`)).body).toEqual([]);
  });

  it("waits for an agent with the form still filled in, and looks again without running it twice", async () => {
    const first = await owner.post("/checks/new", { ...tried, type: "API", name: "Never stored" });
    expect(first.text).toContain("Waiting for an agent at Berlin");
    expect(first.text).toContain("No agent is connected at Berlin");
    expect(first.text).toContain('value="Never stored"');
    const [, session = ""] = /name="tried" value="([^"]+)"/.exec(first.text) ?? [];
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("berlin"));
    const jobs = await agent.lease(5, 5);
    expect(jobs.map(({ payload }) => payload.checkName)).toEqual(["Never stored"]);
    await agent.report(...jobs.map((job) => reportOf(job)));
    const again = await owner.post("/checks/new", { ...tried, type: "API", name: "Never stored", next: "look", tried: session });
    expect(again.text).toMatch(/class="state ok">.*passed/);
    expect(await agent.lease(1, 0)).toEqual([]);
    expect((await plane.call("GET", "/v1/checks")).body).toHaveLength(1);
  });

  it("tells a script what was begun and how it ended, and what is wrong beside its field", async () => {
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("berlin"));
    const asScript = { accept: "application/json" };
    const begun = JSON.parse((await owner.post(`/checks/${id}/edit`, tried, asScript)).text);
    expect(begun).toMatchObject({ problems: {}, html: expect.stringContaining("Waiting for an agent") });
    const ended = owner.get(`/test-sessions?id=${begun.sessions[0]}`);
    await agent.report(...(await agent.lease(1, 5)).map((job) => reportOf(job)));
    expect(JSON.parse((await ended).text)).toMatchObject({ isOver: true, html: expect.stringContaining("passed") });
    const wrong = JSON.parse((await owner.post(`/checks/${id}/edit`, { ...tried, name: "" }, asScript)).text);
    expect(wrong).toMatchObject({ sessions: [], html: expect.stringContaining("did not run") });
    expect(Object.keys(wrong.problems)).toEqual(["name"]);
    const nowhere = await owner.post(`/checks/${id}/edit`, { ...tried, runLocation: "mars" });
    expect([nowhere.status, nowhere.text.includes("Must be a data center location")]).toEqual([400, true]);
  });

  it("runs at each of the locations that are chosen, and tells of each", async () => {
    const [berlin, ireland] = [
      await FakeAgent.open(plane.base, await plane.locationKey("berlin")),
      await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1")),
    ];
    const both = { ...tried, runLocation: ["eu-west-1", "berlin"] };
    const begun = JSON.parse((await owner.post(`/checks/${id}/edit`, both, { accept: "application/json" })).text);
    expect(begun.html.match(/Waiting for an agent at [A-Za-z\d-]+/g)).toEqual([
      "Waiting for an agent at eu-west-1",
      "Waiting for an agent at Berlin",
    ]);
    const sessions = begun.sessions.map((session: string) => `id=${session}`).join("&");
    await berlin.report(...(await berlin.lease(1, 5)).map((job) => reportOf(job, { hasFailures: true, errorMessage: "503 at Berlin" })));
    const half = JSON.parse((await owner.get(`/test-sessions?${sessions}`)).text);
    expect([half.isOver, half.html.includes("Waiting for an agent at eu-west-1"), half.html.includes("503 at Berlin")]).toEqual([
      false,
      true,
      true,
    ]);
    await ireland.report(...(await ireland.lease(1, 5)).map((job) => reportOf(job)));
    const look = { ...both, next: "look", tried: begun.sessions };
    const { text } = await owner.post(`/checks/${id}/edit`, look);
    expect([text.includes("503 at Berlin"), text.includes("passed"), text.includes("Refresh")]).toEqual([true, true, false]);
    expect(text.match(/name="runLocation" value="[^"]+" checked/g)).toHaveLength(2);
  });

  it("asks for one location at least and for ten at most", async () => {
    const many = Array.from({ length: 11 }, (_, index) => `location-${index}`);
    for (const [runLocation, told] of [
      [[], "Choose at least one location."],
      [many, "Choose at most 10 locations."],
    ] as const) {
      const { status, text } = await owner.post(`/checks/${id}/edit`, { ...tried, runLocation });
      expect([status, text.includes(`<p class="problem">${told}</p>`)]).toEqual([400, true]);
    }
    expect((await plane.call("GET", "/v1/test-sessions")).body.entries).toEqual([]);
  });

  it("saves what cannot run, and says so", async () => {
    const { activated: _, ...off } = fields;
    const { location } = await owner.post(`/checks/${id}/edit`, { ...off, "request.url": "http://127.0.0.1/", next: "run" });
    expect(location).toBe(`/checks/${id}/edit?started=none#run`);
    expect((await owner.get(location ?? "")).text).toContain("Saved. The check did not run");
  });
});
