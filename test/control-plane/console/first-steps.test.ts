import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Receiver, receiver } from "../alerting/channels/receiver.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { firstOwner, joined } from "./people.ts";

describe("the first steps of an account", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let hook: Receiver;
  let owner: Browser;
  beforeEach(async () => {
    [plane, hook] = await Promise.all([controlPlaneUnderTest(), receiver()]);
    owner = await firstOwner(plane);
  });
  afterEach(async () => {
    await Promise.all([plane, hook].map((one) => one[Symbol.asyncDispose]()));
  });

  /** Which are done, in their order; null: the list is not shown. */
  const done = async (here = owner): Promise<readonly boolean[] | null> => {
    const list = /<section class="box steps"[^]*?<\/section>/.exec((await here.get("/checks")).text)?.[0];
    return list === undefined ? null : [...list.matchAll(/<li><span class="state (ok|none)">/g)].map(([, tone]) => tone === "ok");
  };
  const channel = async (url: string): Promise<number> =>
    (await plane.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config: { name: "Hook", url }, subscriptions: [] } })).body
      .id;

  it("tick themselves as they are taken, and go away once all are, for good", async () => {
    expect(await done()).toEqual([false, false, false, false]);
    const { text } = await owner.get("/checks");
    for (const to of ["/locations", "/checks/new", "/channels", "/pages"])
      expect(text).toMatch(new RegExp(`<section class="box steps"[^]*<a href="${to}">`));
    const key = await plane.locationKey("eu-west-1");
    expect(await done()).toEqual([false, false, false, false]); // a location without an agent runs nothing
    await FakeAgent.open(plane.base, key);
    expect(await done()).toEqual([true, false, false, false]);
    await plane.call("POST", "/v1/checks/api", { body: apiCheck() });
    expect(await done()).toEqual([true, true, false, false]);
    const lost = await channel("http://127.0.0.1:1/");
    expect((await plane.call("POST", `/v1/alert-channels/${lost}/test`)).body.status).toBe("FAILURE");
    expect(await done()).toEqual([true, true, false, false]); // what did not arrive proves nothing
    const works = await channel(hook.url);
    expect((await plane.call("POST", `/v1/alert-channels/${works}/test`)).body.status).toBe("SUCCESS");
    expect(await done()).toEqual([true, true, true, false]);
    const dashboard = (await plane.call("POST", "/v1/dashboards", { body: { header: "Shop", customUrl: "shop" } })).body;
    expect(await done()).toBeNull();
    await plane.call("DELETE", `/v1/dashboards/${dashboard.dashboardId}`);
    expect(await done()).toBeNull();
    // Nobody reads of it over REST, and a change of settings keeps it.
    const { settings } = (await plane.call("PATCH", "/v1/accounts/me", { body: { settings: { timeZone: "Europe/Berlin" } } })).body;
    expect(Object.keys(settings)).not.toContain("firstSteps");
    expect(await done()).toBeNull();
  });

  it("are dismissed for the whole account by whoever may change it, and for no other account", async () => {
    const editor = await joined(plane, owner, "editor@example.com", "READ_WRITE");
    const reader = await joined(plane, owner, "reader@example.com", "READ_ONLY");
    expect(await done(reader)).toBeNull();
    expect((await reader.post("/first-steps/dismiss")).status).toBe(403);
    expect(await done(editor)).toHaveLength(4);
    expect((await editor.post("/first-steps/dismiss", { csrf: "x" })).status).toBe(403);
    expect(await done()).toHaveLength(4);
    await editor.get("/checks");
    expect((await editor.post("/first-steps/dismiss")).location).toBe("/checks");
    expect([await done(), await done(editor)]).toEqual([null, null]);
    expect((await owner.get("/checks")).text).toContain("No checks yet");
    expect(JSON.stringify((await plane.call("GET", "/v1/audit-log")).body)).toContain("dismissFirstSteps");
  });
});
