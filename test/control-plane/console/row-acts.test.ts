import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { formFields } from "./edit-forms.ts";
import { firstOwner, joined } from "./people.ts";

describe("what can be done with a check from its row and its head", { timeout: 120_000 }, () => {
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
  const read = async (id: string) => (await plane.call("GET", `/v1/checks/${id}`)).body;

  it("leads back to the list as it was, which says what was done", async () => {
    const id = await make({ tags: ["shop"] });
    const { text } = await owner.get("/checks?tag=shop");
    expect(text).toContain('<input type="hidden" name="list" value="tag=shop">');
    for (const act of ["run", "deactivate", "mute-for"]) expect(text).toContain(`form="row-acts" formaction="/checks/${id}/${act}"`);
    const paused = await owner.post(`/checks/${id}/deactivate`, { list: "tag=shop" });
    expect(paused.location).toBe("/checks?tag=shop&done=deactivate");
    expect((await owner.get(paused.location ?? "")).text).toContain('role="status">Check paused.');
    expect(await read(id)).toMatchObject({ activated: false });
    // A list of somebody else's making leads nowhere else.
    expect((await owner.post(`/checks/${id}/activate`, { list: "//evil.example/?q=a" })).location).toMatch(/^\/checks\?/);
    expect((await owner.get(`/checks/${id}/delete`)).text).toContain("and all of its results?");
  });

  it("mutes for an hour, says until when, and is undone by one button; what the check says of itself stays", async () => {
    const id = await make();
    await owner.get("/checks");
    const { location } = await owner.post(`/checks/${id}/mute-for`, { hours: "1" });
    expect(location).toBe(`/checks/${id}?done=mute-for`);
    for (const path of ["/checks", `/checks/${id}`]) expect((await owner.get(path)).text).toMatch(/>muted until <time datetime="[^"]+">/);
    expect(await read(id)).toMatchObject({ muted: false });
    const log = await plane.call("GET", "/v1/audit-log");
    expect(JSON.stringify(log.body)).toContain("muteCheckForTime");
    await owner.get("/checks");
    await owner.post(`/checks/${id}/unmute`);
    expect((await owner.get("/checks")).text).not.toContain("muted until");
    const refused = await owner.post(`/checks/${id}/mute-for`, { hours: "5000" });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("must be one of 1, 8, 24; received “5000”");
  });

  it("shows a reader nothing to do, and refuses what he sends", async () => {
    const id = await make();
    const reader = await joined(plane, owner, "reader@example.com", "READ_ONLY");
    const list = (await reader.get("/checks")).text;
    expect(list).not.toContain("row-acts");
    for (const act of ["mute-for", "deactivate", "run", "delete"])
      expect((await reader.post(`/checks/${id}/${act}`, { hours: "1" })).status).toBe(403);
    expect((await reader.get(`/checks/new?from=${id}`)).status).toBe(403);
    const runner = await joined(plane, owner, "runner@example.com", "READ_RUN");
    const { text } = await runner.get("/checks");
    expect(text).toContain(`formaction="/checks/${id}/run"`);
    expect(text).not.toContain("mute-for");
  });

  it("duplicates a check with its secrets, which no page shows, and saves nothing before the form is sent", async () => {
    const secret = "hunter2-of-the-shop";
    const id = await make({
      name: "Checkout",
      description: "kept though no field shows it",
      request: {
        method: "GET",
        url: "http://127.0.0.1:1/",
        headers: [
          { key: "Authorization", value: `Bearer ${secret}`, locked: false },
          { key: "X-Locked", value: secret, locked: true },
        ],
        basicAuth: { username: "ada", password: secret },
      },
    });
    const form = await owner.get(`/checks/new?from=${id}`);
    expect(form.text).toContain('value="Copy of Checkout"');
    expect(form.text).toContain(`<input type="hidden" name="from" value="${id}">`);
    expect(form.text).not.toContain(secret);
    const before = (await plane.call("GET", "/v1/checks")).body.length;
    expect(before).toBe(1);
    const sent = formFields(form.text);
    const { location, status } = await owner.post("/checks/new", sent);
    expect(status).toBe(303);
    const copy = (location ?? "").split("/")[2]?.split("?")[0] ?? "";
    const [was, is] = [await read(id), await read(copy)];
    const own = { id: expect.anything(), name: "Copy of Checkout", created_at: expect.anything(), updated_at: null };
    expect(is).toEqual({ ...was, ...own, frequencyOffset: expect.anything() });
    const stored = await plane.context.storage.checks.byUuid(plane.account.id, copy);
    expect(JSON.stringify(stored)).not.toContain(secret);
    // The one job that needs them has them.
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), { checkTypes: ["API"] });
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: copy } } });
    const job = JSON.stringify(await agent.lease(1, 5));
    expect(job.split(secret)).toHaveLength(4);
    expect((await owner.get(`/checks/new?from=${crypto.randomUUID()}`)).status).toBe(404);
  });
});
