import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

/** What the form sends as it is shown first, with times. */
const given = {
  name: "Database updates",
  startsAt: "2036-05-05T02:00",
  endsAt: "2036-05-05T04:30",
  timezone: "Europe/Berlin",
  repeatUnit: "",
  repeatInterval: "1",
  repeatEndsAt: "",
  tags: "",
  silenceAlertsTags: "",
  description: "",
};

/** As `statusPageVisibility` has them; a window is shown nowhere before somebody wants it. */
const visibility = (fields: Readonly<Record<string, string | readonly string[]>> = {}) =>
  Object.fromEntries(
    Object.entries({ autoStart: "on", autoEnd: "on", showAffectedServices: "on", ...fields }).map(([name, value]) => [
      `statusPageVisibility.${name}`,
      value,
    ]),
  );

describe("the pages of maintenance windows", () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const all = async () => (await plane.call("GET", "/v1/maintenance-windows?limit=100")).body;
  const create = async (changes: object): Promise<number> => {
    const body = { name: "W", startsAt: "2036-01-01", endsAt: "2036-01-02", repeatUnit: "", ...changes };
    return (await plane.call("POST", "/v1/maintenance-windows", { body })).body.id;
  };

  it("change a window: what is not touched stays as it is", async () => {
    const statusPageVisibility = { enabled: true, severity: "MAJOR", reminderMinutesBefore: [60] };
    const rare = { startsAt: "2036-03-01T08:00:00+02:00", endsAt: "2036-03-01T09:30", timezone: "Europe/Berlin", tags: ["a, b", "c"] };
    const id = await create({ ...rare, name: `Change ${evil}`, statusPageVisibility });
    const read = async () => (await plane.call("GET", `/v1/maintenance-windows/${id}`)).body;
    const before = await read();
    const { text } = await here.get(`/maintenance/${id}`);
    expect([activeParts(text), text.includes('value="2036-03-01T07:00"'), text.includes('value="2036-03-01T09:30"')]).toEqual([
      [],
      true,
      true,
    ]);
    const times = { startsAt: "2036-03-01T07:00", endsAt: "2036-03-01T09:30" };
    const pages = visibility({ enabled: "on", severity: "MAJOR", reminderMinutesBefore: "60" });
    const shown = { ...given, ...times, ...pages, name: "Renamed", tags: "a, b, c" };
    expect((await here.post(`/maintenance/${id}`, shown)).location).toBe("/maintenance?done=changed");
    expect(await read()).toEqual({ ...before, name: "Renamed", updated_at: expect.any(String) });
    await here.post(`/maintenance/${id}`, { ...shown, startsAt: "2036-03-01T06:30", tags: "d", pauseAllChecks: "on", repeatUnit: "DAY" });
    const changes = { startsAt: "2036-03-01T06:30", tags: ["d"], pauseAllChecks: true, repeatUnit: "DAY", repeatInterval: 1 };
    expect(await read()).toMatchObject({ ...changes, statusPageVisibility });
    expect((await here.get(`/maintenance/${id}`)).text).toContain('<option value="DAY" selected>');
    const wrong = await here.post(`/maintenance/${id}`, { ...shown, name: "", startsAt: "", description: "typed" });
    expect([wrong.status, wrong.text.includes('id="startsAt-problem"'), wrong.text.includes("typed</textarea>")]).toEqual([
      400,
      true,
      true,
    ]);
    const other = await stranger(plane);
    const reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
    for (const [who, status] of [
      [other, 404],
      [reader, 403],
    ] as const) {
      await who.get("/maintenance");
      expect([(await who.get(`/maintenance/${id}`)).status, (await who.post(`/maintenance/${id}`, shown)).status]).toEqual([
        status,
        status,
      ]);
    }
  });

  it("refuse a window that ends when it starts, and warn of one that has no effect", async () => {
    const empty = { ...given, endsAt: given.startsAt, pauseAllChecks: "on" };
    const refused = await here.post("/maintenance", empty);
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/id="endsAt-problem">Enter an end time after the start time/);
    expect((await here.post("/maintenance", given)).location).toBe("/maintenance?done=idle");
    expect((await here.get("/maintenance?done=idle")).text).toContain("Window saved, but it has no effect");
    // One of a client stays what it is, and can be renamed.
    const id = await create({ startsAt: given.startsAt, endsAt: given.startsAt, timezone: given.timezone, pauseAllChecks: true });
    expect((await here.get("/maintenance")).text).toContain("ends when it starts, so it has no effect");
    expect((await here.post(`/maintenance/${id}`, { ...empty, name: "Renamed" })).location).toBe("/maintenance?done=changed");
  });

  it("make a simple window", async () => {
    expect((await here.get("/maintenance/new")).text).toContain('<option value="UTC" selected>');
    expect((await here.post("/maintenance", { ...given, pauseAllChecks: "on" })).location).toBe("/maintenance?done=created");
    const weekly = { repeatUnit: "WEEK", repeatInterval: "2", repeatEndsAt: "2036-12-31", tags: "database, shop", silenceAllAlerts: "on" };
    await here.post("/maintenance", { ...given, ...weekly, description: "Two\r\nlines" });
    const [once, often] = (await all()).slice(-2);
    expect(once).toMatchObject({ name: given.name, startsAt: given.startsAt, timezone: "Europe/Berlin", repeatInterval: null, tags: [] });
    expect(often).toMatchObject({
      repeatInterval: 2,
      repeatUnit: "WEEK",
      repeatEndsAt: "2036-12-31",
      tags: ["database", "shop"],
      pauseAllChecks: false,
      silenceAllAlerts: true,
      silenceAlertsTags: [],
      description: "Two\nlines",
    });
    const { text } = await here.get("/maintenance?done=created");
    expect(text).toContain("Window created");
    expect(text).toMatch(
      /Scheduled<\/span><p><time datetime="2036-05-05T00:00:00.000Z">5 May 2036, 00:00 UTC<\/time><\/p><p>for 2 h 30 min/,
    );
    expect(text).toContain("Every 2 weeks until 2036-12-31");
    expect(text).toContain("Pauses checks with database, shop");
    expect(text).toContain("Silences all alerts");
    const { body } = await plane.call("GET", "/v1/audit-log?limit=1");
    expect(body.entries).toMatchObject([{ operation: "createMaintenanceWindow", path: "/maintenance" }]);
  });

  it("choose how a window shows on status pages, and whom it tells", async () => {
    const service = (await plane.call("POST", "/v1/status-pages/services", { body: { name: `Checkout ${evil}` } })).body.id;
    const page = (await plane.call("POST", "/v1/status-pages", { body: { name: `Shop ${evil}`, url: "shop", cards: [] } })).body.id;
    const { text } = await here.get("/maintenance/new");
    expect([activeParts(text), text.includes(`value="${service}"`), text.includes(`value="${page}"`)]).toEqual([[], true, true]);
    expect(text).toMatch(/name="statusPageVisibility.autoStart" value="on" checked/);
    const ticked = { enabled: "on", affectAllServices: "on", suppressAutoIncidents: "on", notifyOnStart: "on", notifyOnEnd: "on" };
    const chosen = { severity: "MINOR", reminderMinutesBefore: "60, 1440", serviceIds: service, statusPageIds: page };
    const fields: Readonly<Record<string, string | readonly string[]>> = { ...given, ...visibility({ ...ticked, ...chosen }) };
    const { "statusPageVisibility.autoEnd": _off, ...sent } = fields;
    expect((await here.post("/maintenance", sent)).status).toBe(303);
    const { id, statusPageVisibility: made } = (await all()).at(-1);
    const on = { enabled: true, affectAllServices: true, suppressAutoIncidents: true, notifyOnStart: true, notifyOnEnd: true };
    const rest = { autoStart: true, autoEnd: false, showAffectedServices: true, severity: "MINOR", reminderMinutesBefore: [60, 1440] };
    expect(made).toEqual({ ...on, ...rest, serviceIds: [service], statusPageIds: [page] });
    const again = (await here.get(`/maintenance/${id}`)).text;
    expect(again).toMatch(new RegExp(`value="${service}" checked`));
    expect([again.includes('value="60, 1440"'), again.includes('<option value="MINOR" selected>')]).toEqual([true, true]);
    await plane.call("DELETE", `/v1/status-pages/services/${service}`);
    const gone = (await here.get(`/maintenance/${id}`)).text;
    expect(gone).toMatch(new RegExp(`value="${service}" checked><span>Deleted \\(${service}\\)`));
    await here.post(`/maintenance/${id}`, { ...given, ...visibility() });
    const plain = {
      ...on,
      enabled: false,
      affectAllServices: false,
      suppressAutoIncidents: false,
      notifyOnStart: false,
      notifyOnEnd: false,
    };
    const defaults = { autoStart: true, autoEnd: true, showAffectedServices: true, severity: null, reminderMinutesBefore: [] };
    expect((await all()).at(-1).statusPageVisibility).toEqual({ ...plain, ...defaults, serviceIds: [], statusPageIds: [] });
    for (const reminderMinutesBefore of ["30", "soon", "60, 61, 62, 63"]) {
      const wrong = await here.post("/maintenance", { ...given, ...visibility({ reminderMinutesBefore }) });
      expect(wrong.text).toContain('id="statusPageVisibility.reminderMinutesBefore-problem"');
      expect(wrong.text).toContain(`value="${reminderMinutesBefore}"`);
    }
  });

  it("show what goes on first, then what comes, then what is over, by the occurrences that there are", async () => {
    const at = (hours: number): string => new Date(plane.context.nowMs() + hours * 3_600_000).toISOString();
    await create({ name: "Over", startsAt: at(-3), endsAt: at(-2) });
    await create({ name: "Going on", startsAt: at(-1), endsAt: at(1), pauseAllChecks: true });
    const called = await create({ name: "Soon", startsAt: at(-23), endsAt: at(-22), repeatInterval: 1, repeatUnit: "DAY" });
    const order = async () => [...(await here.get("/maintenance")).text.matchAll(/<strong class="name">([^<]+)</g)].map(([, name]) => name);
    expect((await order()).slice(0, 2)).toEqual(["Going on", "Soon"]);
    expect((await order()).at(-1)).toBe("Over");
    const { body } = await plane.call("GET", `/v1/maintenance-windows/${called}/maintenances`);
    await plane.call("DELETE", `/v1/maintenance-windows/${called}/maintenances/${body[0].id}`);
    expect((await here.get("/maintenance")).text).toContain(`datetime="${body[1].startsAt}"`);
    expect((await here.get("/maintenance")).text).not.toContain(`datetime="${body[0].startsAt}"`);
  });

  it("say what is wrong beside its field, and keep what was typed", async () => {
    await here.get("/maintenance/new");
    const before = (await all()).length;
    const refused = async (changes: Readonly<Record<string, string>>) => {
      const { status, text } = await here.post("/maintenance", { ...given, ...changes });
      expect([status, activeParts(text)]).toEqual([400, []]);
      return text;
    };
    const late = await refused({ name: evil, endsAt: "2036-05-05T01:00", tags: "shop", pauseAllChecks: "on" });
    expect(late).toMatch(/id="endsAt-problem">Must not be before startsAt/);
    expect(late).toContain('value="2036-05-05T01:00"');
    expect(late).toContain("&lt;img src=x");
    expect(late).toContain('value="shop"');
    expect(late).toMatch(/name="pauseAllChecks" value="on" checked/);
    expect(late).toContain('<option value="Europe/Berlin" selected>');
    expect(await refused({ startsAt: "" })).toMatch(/id="startsAt-problem">Enter a start time\./);
    expect(await refused({ repeatUnit: "DAY", repeatInterval: "0" })).toMatch(/id="repeatInterval-problem">Must be at least 1/);
    expect(await refused({ repeatUnit: "DAY", repeatInterval: "often" })).toMatch(/id="repeatInterval-problem">Must be a /);
    expect(await refused({ repeatUnit: "DAY", repeatEndsAt: "2030-01-01" })).toMatch(/id="repeatEndsAt-problem">Must not be before/);
    expect(await refused({ timezone: "Mars/Base" })).toMatch(/role="alert">&quot;timezone&quot; must be a time zone/i);
    expect(await refused({ repeatUnit: "YEAR" })).toMatch(/role="alert">&quot;repeatUnit&quot;/);
    expect((await all()).length).toBe(before);
  });

  it("delete a window, and keep names as text", async () => {
    const id = await create({ name: evil, description: evil, silenceAlertsTags: [evil] });
    const { text } = await here.get("/maintenance");
    expect([activeParts(text), text.includes(`action="/maintenance/${id}/delete"`)]).toEqual([[], true]);
    expect((await here.post(`/maintenance/${id}/delete`)).location).toBe("/maintenance?done=deleted");
    expect((await plane.call("GET", `/v1/maintenance-windows/${id}`)).status).toBe(404);
    expect((await here.post("/maintenance/x/delete")).status).toBe(404);
  });

  it("are read by everybody of the account, change for nobody below READ_WRITE, and are not there for others", async () => {
    const id = await create({ name: "Ours" });
    const before = JSON.stringify(await all());
    const reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
    const { text } = await reader.get("/maintenance");
    expect([text.includes("Ours"), text.includes("/delete"), text.includes("/maintenance/new")]).toEqual([true, false, false]);
    expect((await reader.get("/maintenance/new")).status).toBe(403);
    for (const path of ["/maintenance", `/maintenance/${id}/delete`]) expect((await reader.post(path, given)).status).toBe(403);
    const other = await stranger(plane);
    expect((await other.get("/maintenance")).text).toContain("No maintenance windows yet.");
    expect((await other.post(`/maintenance/${id}/delete`)).status).toBe(404);
    expect(JSON.stringify(await all())).toBe(before);
  });
});
