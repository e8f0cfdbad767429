import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import { type Browser, browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner, joined } from "./people.ts";

describe("the pages of locations", () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let reader: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    reader = await joined(plane, owner, "rita@example.com", "READ_ONLY");
  }, 120_000);
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  async function made(
    slugName: string,
    name = slugName,
  ): Promise<{ readonly id: string; readonly rawKey: string; readonly keyId: string }> {
    const { body } = await plane.call("POST", "/v1/private-locations", { body: { name, slugName } });
    return { id: body.id, rawKey: body.keys[0].rawKey, keyId: body.keys[0].id };
  }

  const checkAt = async (slug: string): Promise<string> =>
    (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: [], privateLocations: [slug] }) })).body.id;

  const run = async (checkId: string): Promise<void> => {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: [checkId] } } });
  };

  const operations = async (): Promise<{ operation: string; path: string; fields: string[] }[]> =>
    (await plane.call("GET", "/v1/audit-log?limit=100")).body.entries;

  it("show each agent with what it told: version, contact, last job, abilities, its own condition", async () => {
    const { id, rawKey } = await made("shown", "Shown office");
    const agent = await FakeAgent.open(plane.base, rawKey, {
      name: "rack-07",
      version: "0.0.9",
      checkTypes: ["API", "TCP"],
      sandboxLevel: 2,
      runtimes: ["2026.04"],
      capabilities: { icmp: "dgram", ipv6: false },
      platform: { os: "linux", arch: "arm64", nodeVersion: "26.10.0", isContainer: true },
    });
    const silent = await FakeAgent.open(plane.base, rawKey, { name: "rack-08" });
    await silent.heartbeat([]);
    const leaving = await FakeAgent.open(plane.base, rawKey, { name: "rack-09" });
    await leaving.send("POST", "/heartbeats", {
      running: [],
      state: "draining",
      outbox: { depth: 0, oldestSeconds: 0 },
      eventLoopDelayMs: 1,
    });
    plane.advance(180_000);
    await agent.send("POST", "/heartbeats", {
      running: [],
      state: "running",
      outbox: { depth: 3, oldestSeconds: 1 },
      eventLoopDelayMs: 4.5,
      clockAheadMs: 86_000,
    });
    await run(await checkAt("shown"));
    const [job] = await agent.lease(1);
    const before = (await owner.get(`/locations/${id}`)).text;
    expect(before).toMatch(/<dt>Running now<\/dt><dd>1<\/dd>/);
    await agent.report(...(job === undefined ? [] : [reportOf(job, { queuedMs: 1_250 })]));
    await agent.send("POST", "/error-events", {
      events: [{ message: "outbox is full", stack: "at write", agentVersion: "0.0.9", platform: "linux x64", runtimeVersion: "v26.1.0" }],
    });
    const { status, text, headers } = await owner.get(`/locations/${id}`);
    expect(status).toBe(200);
    for (const part of [
      "rack-07",
      "0.0.9",
      "older than the control plane",
      "API",
      "TCP",
      "sandbox level 2",
      "runtime 2026.04",
      "icmp: dgram",
      "linux/arm64, container",
      "Node.js 26.10.0",
      "clock 86 s ahead",
      "The clock of some agents is wrong.",
    ])
      expect(text).toContain(part);
    for (const part of [
      "no ipv6",
      "3 results waiting to be delivered",
      "event loop delay 4.5 ms",
      "outbox is full",
      "linux x64, Node.js 26.1.0",
    ])
      expect(text).toContain(part);
    expect(text).toContain("1 agent connected");
    expect(text).toMatch(/rack-08.*?no contact.*?\d+ min ago/s);
    expect(text).toMatch(/rack-08.*?<summary>1 agent stopped in the last 24 hours<\/summary>.*?rack-09/s);
    expect(text).toMatch(/<dt>Lag p99, last hour<\/dt><dd>1\.25 s<\/dd>/);
    expect(text).toMatch(/\d\d:\d\d UTC<\/time>/);
    expect(withoutOurScripts(text)).not.toContain("<script");
    expect(headers.get("cache-control")).toContain("no-store");
    expect((await owner.get("/locations")).text).toMatch(/Shown office.*?1 agent connected.*?Version 0\.0\.9/s);
  }, 120_000);

  it("say which runs were missed, why, and what helps; and when a location is silent", async () => {
    const { id, rawKey } = await made("missing", "Missing office");
    expect((await owner.get("/locations")).text).toMatch(/Missing office.*?No agent yet/s);
    await FakeAgent.open(plane.base, rawKey);
    const { storage, nowMs } = plane.context;
    await run(await checkAt("missing"));
    expect((await owner.get(`/locations/${id}`)).text).toMatch(/<dt>Queued runs<\/dt><dd>1<\/dd>/);
    plane.advance(400_000);
    await storage.jobs.reap(nowMs(), { queueWaitMs: 360_000, acknowledgeMs: 15_000, maxLostLeases: 3, graceUntilMs: 0, limit: 10 });
    const { text } = await owner.get(`/locations/${id}`);
    expect(text).toContain("No agent could run it");
    expect(text).toContain("1 run of 1 check");
    expect(text).toContain("Start an agent.");
    expect(text).toMatch(/No contact for \d+ min/);
    expect(text).toMatch(/class="box now".*?No agent is connected/s);
    expect((await owner.get("/locations")).text).toMatch(/Missing office.*?No contact for \d+ min.*?class="bad-figure">1</s);
  }, 120_000);

  it("advise on capacity before runs are missed", async () => {
    const { id, rawKey } = await made("busy");
    await FakeAgent.open(plane.base, rawKey);
    await run(await checkAt("busy"));
    plane.advance(292_000);
    await FakeAgent.open(plane.base, rawKey);
    const soon = (await owner.get(`/locations/${id}`)).text;
    expect(soon).toMatch(/class="box soon".*?8\d % of the limit of 6 min\. Plan another agent/s);
    expect(soon).toContain("Falling behind");
    plane.advance(36_000);
    expect((await owner.get(`/locations/${id}`)).text).toMatch(/class="box now".*?9\d % .*?Start another agent now/s);
  }, 120_000);

  it("make a location, and show its key with the commands once", async () => {
    await owner.get("/locations");
    const { status, text } = await owner.post("/locations", { name: "Oslo <b>", slugName: "Oslo-" });
    expect(status).toBe(200);
    const [rawKey = "none"] = /pl_[0-9a-f]{32}/.exec(text) ?? [];
    const id = /action="\/locations\/([0-9a-f-]{36})\/keys"/.exec(text)?.[1] ?? "";
    expect(text).toContain(`printf &#39;%s&#39; &#39;${rawKey}&#39; | sudo install -m 400 -o 65532 /dev/stdin api-key`);
    expect(text).toContain("localhost/outpost/agent:");
    expect(text).toContain(`-e API_URL=&#39;${plane.base}&#39; -e API_KEY_FILE=/run/secrets/api-key`);
    expect(text).toContain("docker compose -f docs/operations/compose/agent.yaml up -d");
    expect(text).toContain("helm -n outpost install oslo charts/agent");
    expect(text).toContain("--set apiKey.existingSecret.name=outpost-key-oslo");
    const again = (await owner.get(`/locations/${id}`)).text;
    expect(again).toContain(`...${rawKey.slice(-4)}`);
    expect(again).not.toContain(rawKey);
    expect(again).toContain("Oslo &lt;b&gt;");
    expect(JSON.stringify(await operations())).not.toContain(rawKey);
    expect(plane.logLines.join()).not.toContain(rawKey);
    // The key that was shown starts an agent.
    expect((await FakeAgent.hello(plane.base, rawKey)).status).toBe(201);
  });

  it("tell what is wrong beside the field, and keep what was typed", async () => {
    await made("taken");
    await owner.get("/locations");
    const wrong = await owner.post("/locations", { name: "<i>Paris", slugName: "no spaces please" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(/id="slugName-problem">Must have 1 to 30 letters, digits and hyphens/);
    expect(wrong.text).toContain('value="&lt;i&gt;Paris"');
    expect(wrong.text).toContain('value="no spaces please"');
    const empty = await owner.post("/locations", { name: " ", slugName: "" });
    expect(empty.text).toMatch(/id="name-problem">.*id="slugName-problem">/s);
    const twice = await owner.post("/locations", { name: "Again", slugName: "taken" });
    expect([twice.status, /id="slugName-problem"/.test(twice.text)]).toEqual([409, true]);
  });

  it("make a second key once, refuse a third, and revoke one", async () => {
    const { id, keyId, rawKey } = await made("keys");
    await owner.get(`/locations/${id}`);
    const second = await owner.post(`/locations/${id}/keys`);
    expect(second.text).toMatch(/pl_[0-9a-f]{32}/);
    expect((await owner.get(`/locations/${id}`)).text).not.toMatch(/pl_[0-9a-f]{32}/);
    const third = await owner.post(`/locations/${id}/keys`);
    expect([third.status, third.text.includes('role="alert"'), /pl_[0-9a-f]{32}/.test(third.text)]).toEqual([409, true, false]);
    expect((await owner.post(`/locations/${id}/keys/${keyId}/remove`)).location).toBe(`/locations/${id}?revoked=1`);
    expect((await FakeAgent.hello(plane.base, rawKey)).status).toBe(401);
    expect((await owner.get(`/locations/${id}?revoked=1`)).text).toContain("Key revoked.");
    expect((await operations()).slice(0, 2)).toMatchObject([
      { operation: "deletePrivateLocationKey", path: `/locations/${id}/keys/${keyId}/remove` },
      { operation: "createPrivateLocationKey" },
    ]);
  });

  it("remove a location that no check names, and say why another stays", async () => {
    const { id } = await made("leaving");
    const checkId = await checkAt("leaving");
    const group = (await plane.call("POST", "/v2/check-groups", { body: { name: "Office", privateLocations: ["leaving"] } })).body.id;
    const before = (await owner.get(`/locations/${id}`)).text;
    expect(before).not.toContain(`action="/locations/${id}/remove"`);
    expect(before).toContain(`<li><a href="/groups/${group}">Office</a></li><li><a href="/checks/${checkId}">`);
    const kept = await owner.post(`/locations/${id}/remove`);
    expect([kept.status, kept.text.includes('role="alert"')]).toEqual([409, true]);
    expect(kept.text).toContain("The location was not deleted, because checks or groups use it.");
    expect(kept.text).not.toContain("And more checks");
    const more = await Promise.all(Array.from({ length: 5 }, () => checkAt("leaving")));
    expect((await owner.get(`/locations/${id}`)).text).toContain('<a href="/checks?q=leaving">And more checks');
    for (const one of [checkId, ...more]) await plane.call("DELETE", `/v1/checks/${one}`);
    await plane.call("DELETE", `/v1/check-groups/${group}`);
    expect((await owner.get(`/locations/${id}`)).text).toContain(`action="/locations/${id}/remove"`);
    expect((await owner.post(`/locations/${id}/remove`)).location).toBe("/locations?removed=1");
    expect((await owner.get("/locations?removed=1")).text).toContain("Location deleted");
    expect((await owner.get(`/locations/${id}`)).status).toBe(404);
  });

  it("offer no form to who may only read, and take none from him", async () => {
    const { id, keyId } = await made("read-only");
    for (const path of ["/locations", `/locations/${id}`]) {
      const { status, text } = await reader.get(path);
      expect([path, status, /action="\/locations/.test(text)]).toEqual([path, 200, false]);
    }
    for (const path of ["", `/${id}/keys`, `/${id}/keys/${keyId}/remove`, `/${id}/remove`]) {
      expect([path, (await reader.post(`/locations${path}`, { name: "x", slugName: "x" })).status]).toEqual([path, 403]);
    }
    await owner.get("/locations");
    expect((await owner.post(`/locations/${id}/remove`, { csrf: "forged" })).status).toBe(403);
    expect((await browser(plane.base).get(`/locations/${id}`)).location).toContain("/sign-in");
    expect((await plane.call("GET", `/v1/private-locations/${id}`)).body.keys).toHaveLength(1);
  });

  it("know nothing of another account's locations", async () => {
    const { id, keyId } = await made("foreign", "Foreign office");
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const here = browser(plane.base);
    await here.get("/sign-in");
    await here.post("/sign-in", { key: await plane.keyFor("OWNER", other.id) });
    const list = (await here.get("/locations")).text;
    expect([list.includes("No locations yet"), list.includes("Foreign office")]).toEqual([true, false]);
    expect((await here.get(`/locations/${id}`)).status).toBe(404);
    for (const path of ["keys", `keys/${keyId}/remove`, "remove"]) {
      expect([path, (await here.post(`/locations/${id}/${path}`)).status]).toEqual([path, 404]);
    }
    expect((await plane.call("GET", `/v1/private-locations/${id}`)).status).toBe(200);
  });

  it("show what agents and people wrote as text", async () => {
    const { id, rawKey } = await made("evil", evil);
    const agent = await FakeAgent.open(plane.base, rawKey, {
      name: evil,
      version: `9.9.9${evil}`,
      runtimes: [evil],
      sandboxLevel: 1,
      capabilities: { [evil]: evil },
      platform: { os: evil, arch: evil, nodeVersion: evil, isContainer: true },
    });
    const event = { message: evil, stack: evil, agentVersion: evil, platform: evil, runtimeVersion: evil };
    await agent.send("POST", "/error-events", { events: [event] });
    for (const path of ["/locations", `/locations/${id}`]) {
      const { text, headers } = await owner.get(path);
      expect(text).toContain("&lt;img src=x");
      expect(text).not.toContain("<img");
      expect(text).not.toMatch(/<[^>]+ on\w+=/);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });
});
