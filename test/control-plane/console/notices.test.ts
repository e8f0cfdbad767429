import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, quietMoment } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { firstOwner } from "./people.ts";

const minuteMs = 60_000;

describe("what people should know of a check beside its runs", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let beganMs: number;
  beforeEach(async () => {
    beganMs = quietMoment();
    plane = await controlPlaneUnderTest({}, beganMs);
    owner = await firstOwner(plane);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const make = async (changes: object = {}): Promise<string> =>
    (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id;
  const agentAt = async (code: string) => FakeAgent.open(plane.base, await plane.locationKey(code), { checkTypes: ["API"] });
  /** The row of the list, and the head of the page. */
  const places = async (id: string): Promise<readonly string[]> => {
    const row = new RegExp(`<li [^>]*data-id="${id}"[^]*?</li>`).exec((await owner.get("/checks")).text)?.[0] ?? "";
    const head = /<div class="head">[^]*?<\/div>/.exec((await owner.get(`/checks/${id}`)).text)?.[0] ?? "";
    return [row, head];
  };
  const tells = async (id: string, words: RegExp): Promise<readonly boolean[]> => (await places(id)).map((text) => words.test(text));
  const both = [true, true];
  const neither = [false, false];

  it("is that no agent is connected, at which location and since when; then when the first run comes", async () => {
    const id = await make({ frequency: 60 });
    await plane.locationKey("eu-west-1");
    expect(await tells(id, /no agent connected at [^<]+<\/span>/)).toEqual(both);
    expect(await tells(id, /first run at/)).toEqual(neither);
    await agentAt("eu-west-1");
    expect(await tells(id, /no agent/)).toEqual(neither);
    expect(
      await tells(id, /first run at <time datetime="[^"]+" data-shows="clock">\d\d:\d\d UTC<\/time>, in (?:\d+ min|\d+ s|1 h)/),
    ).toEqual(both);
    plane.advance(5 * minuteMs);
    expect(await tells(id, /no agent connected at [^<]+ since <time datetime="[^"]+">/)).toEqual(both);
  });

  it("is no first run once it ran", async () => {
    const id = await make();
    const agent = await agentAt("eu-west-1");
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!));
    expect(await tells(id, /first run/)).toEqual(neither);
  });

  it("is who paused and muted it: the check, or its group", async () => {
    const group = (await plane.call("POST", "/v2/check-groups", { body: { name: "Shop", muted: true, activated: false } })).body.id;
    const [grouped, alone] = [await make({ groupId: group }), await make({ activated: false, muted: true })];
    expect(await tells(grouped, />paused by its group</)).toEqual(both);
    expect(await tells(grouped, />muted by its group</)).toEqual(both);
    expect(await tells(alone, />muted</)).toEqual(both);
    const [row, head] = await places(alone);
    expect(head).toContain(">paused<");
    expect(row).toContain("Paused");
  });

  it("is the maintenance that holds now, until when, and what it does; its charts are shaded then", async () => {
    const id = await make({ tags: ["shop"] });
    const other = await make({ name: "Other" });
    const agent = await agentAt("eu-west-1");
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!));
    const window = {
      name: "Patching <1>",
      startsAt: new Date(beganMs - 10 * minuteMs).toISOString(),
      endsAt: new Date(beganMs + 50 * minuteMs).toISOString(),
      repeatUnit: "",
      tags: ["shop"],
      silenceAlertsTags: ["shop"],
    };
    const made = await plane.call("POST", "/v1/maintenance-windows", { body: window });
    expect(made.status).toBe(201);
    const until = new Date(beganMs + 50 * minuteMs).toISOString();
    expect(
      await tells(
        id,
        new RegExp(`in maintenance until <time datetime="${until}"[^>]*>[^<]+</time> \\(Patching &lt;1&gt;: no runs, no alerts\\)`),
      ),
    ).toEqual(both);
    expect(await tells(other, /in maintenance/)).toEqual(neither);
    const { text } = await owner.get(`/checks/${id}`);
    expect(text).toMatch(/<rect class="held"[^>]*><title>[^<]+: maintenance: Patching &lt;1&gt; \(no runs, no alerts\)<\/title>/);
    expect(text).toMatch(/<span aria-hidden="true">Maint\.<\/span><svg role="img" aria-label="1 maintenance window in this range"/);
    expect(text).toMatch(/data-shades="\[\[\d+,\d+,&quot;maintenance: Patching &lt;1&gt;/);
    expect((await owner.get(`/checks/${other}`)).text).not.toContain("Patching");
    // Whoever looks at a dashboard learns no names.
    await plane.call("POST", "/v1/dashboards", { body: { header: "Shop", customUrl: "shop", tags: [] } });
    const dashboard = await (await fetch(`${plane.base}/dashboards/shop`)).text();
    expect(dashboard).toMatch(/in maintenance until <time/);
    expect(dashboard).not.toContain("Patching");
    plane.advance(51 * minuteMs);
    expect(await tells(id, /in maintenance/)).toEqual(neither);
    expect((await owner.get(`/checks/${id}`)).text).toContain("Patching");
  });

  it("is, on its page, the next maintenance of a week, while none holds", async () => {
    const [id, other] = [await make({ tags: ["planned"] }), await make()];
    const at = (minutes: number): string => new Date(plane.context.nowMs() + minutes * minuteMs).toISOString();
    const plan = (name: string, startsAt: string, endsAt: string) =>
      plane.call("POST", "/v1/maintenance-windows", { body: { name, startsAt, endsAt, repeatUnit: "", tags: ["planned"] } });
    await plan("Far <1>", at(8 * 1_440), at(8 * 1_440 + 60));
    expect((await owner.get(`/checks/${id}`)).text).not.toContain("maintenance planned");
    await plan("Near <1>", at(120), at(180));
    expect((await owner.get(`/checks/${id}`)).text).toMatch(
      /maintenance planned from <time[^>]*>[^<]+<\/time> to <time[^>]*>[^<]+<\/time> \(Near &lt;1&gt;: no runs\)/,
    );
    expect((await owner.get(`/checks/${other}`)).text).not.toContain("maintenance planned");
  });

  it("is no window of another account, and none that was called off", async () => {
    const id = await make();
    const window = {
      name: "Patching",
      startsAt: new Date(beganMs - minuteMs).toISOString(),
      endsAt: new Date(beganMs + 50 * minuteMs).toISOString(),
      repeatUnit: "",
      pauseAllChecks: true,
    };
    const { rawKey } = (await plane.call("POST", "/v1/accounts", { body: { name: "Other" } })).body;
    expect((await plane.call("POST", "/v1/maintenance-windows", { key: rawKey, body: window })).status).toBe(201);
    expect(await tells(id, /in maintenance/)).toEqual(neither);
    const own = (await plane.call("POST", "/v1/maintenance-windows", { body: window })).body.id;
    expect(await tells(id, /\(Patching: no runs\)/)).toEqual(both);
    const { body } = await plane.call("GET", `/v1/maintenance-windows/${own}/maintenances`);
    await plane.call("DELETE", `/v1/maintenance-windows/${own}/maintenances/${body[0].id}`);
    expect(await tells(id, /in maintenance/)).toEqual(neither);
  });
});
