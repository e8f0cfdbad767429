import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

let plane: ControlPlaneUnderTest;
beforeAll(async () => {
  plane = await controlPlaneUnderTest();
});
afterAll(async () => {
  await plane[Symbol.asyncDispose]();
});
const hour = 3_600_000;
const fromNow = (ms: number): string => new Date(plane.context.nowMs() + ms).toISOString();
const window = (change: object = {}) => ({
  name: "Updates",
  startsAt: "2030-05-01T02:00:00+02:00",
  endsAt: "2030-05-01T04:00:00.5+02:00",
  repeatUnit: null,
  ...change,
});
const create = (change: object = {}) => plane.call("POST", "/v1/maintenance-windows", { body: window(change) });
const replace = (id: number, body: object) => plane.call("PUT", `/v1/maintenance-windows/${id}`, { body });
const call = (method: string, id: number, path = "", body?: unknown) =>
  plane.call(method, `/v1/maintenance-windows/${id}/maintenances${path}`, { body });

describe("maintenance windows", () => {
  it("come back with every default, their times exactly as sent", async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      ...window(),
      id: expect.any(Number),
      tags: [],
      repeatInterval: null,
      repeatEndsAt: null,
      timezone: null,
      description: null,
      pauseAllChecks: false,
      silenceAlertsTags: [],
      silenceAllAlerts: false,
      statusPageVisibility: {
        enabled: false,
        severity: null,
        affectAllServices: false,
        suppressAutoIncidents: false,
        notifyOnStart: false,
        notifyOnEnd: false,
        reminderMinutesBefore: [],
        autoStart: true,
        autoEnd: true,
        showAffectedServices: true,
        statusPageIds: [],
        serviceIds: [],
      },
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: null,
      projectBindings: { owner: null, references: [] },
    });
    expect((await plane.call("GET", `/v1/maintenance-windows/${body.id}`)).body).toEqual(body);
    expect((await plane.call("DELETE", `/v1/maintenance-windows/${body.id}`)).status).toBe(204);
    expect((await plane.call("GET", `/v1/maintenance-windows/${body.id}`)).status).toBe(404);
    expect((await replace(body.id, {})).status).toBe(404);
  });

  it("are replaced but for the name and the times that a body leaves out", async () => {
    const { body } = await create({ tags: ["a"], repeatInterval: 2, repeatUnit: "WEEK", timezone: "Europe/Berlin", pauseAllChecks: true });
    const { body: after } = await replace(body.id, { name: "Renamed", silenceAlertsTags: ["b"] });
    expect(after).toMatchObject({ name: "Renamed", startsAt: body.startsAt, endsAt: body.endsAt, silenceAlertsTags: ["b"] });
    expect(after).toMatchObject({ tags: [], repeatInterval: null, repeatUnit: null, timezone: null, pauseAllChecks: false });
  });

  it("may end when they start, as clients write them", async () => {
    const endsAt = window().startsAt;
    expect(await create({ endsAt })).toMatchObject({ status: 201, body: { startsAt: endsAt, endsAt } });
  });

  it("may name a unit without repeating, and leave it out", async () => {
    expect((await create({ repeatUnit: "DAY" })).body).toMatchObject({ repeatUnit: "DAY", repeatInterval: null });
    expect((await create({ repeatUnit: "" })).body.repeatUnit).toBeNull();
    expect((await create({ repeatUnit: undefined })).status).toBe(201);
  });

  it.each([
    [{ endsAt: "2030-05-01T01:59:59+02:00" }, "endsAt"],
    [{ startsAt: "tomorrow" }, "startsAt"],
    [{ startsAt: "1900-01-01" }, "startsAt"],
    [{ timezone: "Mars/Base" }, "timezone"],
    [{ repeatInterval: 366, repeatUnit: "DAY" }, "repeatInterval"],
    [{ repeatInterval: 1 }, "repeatUnit"],
    [{ repeatInterval: 1, repeatUnit: "YEAR" }, "repeatUnit"],
    [{ repeatInterval: 1, repeatUnit: "DAY", repeatEndsAt: "2030-04-01" }, "repeatEndsAt"],
    [{ name: "x".repeat(201) }, "name"],
    [{ statusPageVisibility: { reminderMinutesBefore: [59] } }, "statusPageVisibility.reminderMinutesBefore[0]"],
    [{ statusPageVisibility: { serviceIds: ["nothing"] } }, "statusPageVisibility.serviceIds[0]"],
    [{ statusPageVisibility: { statusPageIds: [crypto.randomUUID()] } }, "statusPageVisibility.statusPageIds[0]"],
  ])("are refused with %j, naming the field", async (change, path) => {
    const { status, body } = await create(change);
    expect(status).toBe(400);
    expect(body.attributes.issues[0].path).toBe(path);
  });

  it("are listed by page, and by their times", async () => {
    const years = [2041, 2042, 2043];
    for (const year of years) await create({ name: `y${year}`, startsAt: `${year}-01-01`, endsAt: `${year}-01-02` });
    const names = async (query: string) => {
      const { body, headers } = await plane.call("GET", `/v1/maintenance-windows?${query}`);
      return [body.map(({ name }: { name: string }) => name), headers.get("content-range")?.split("/")[1]];
    };
    expect(await names("startsAt[gte]=2042-01-01")).toEqual([["y2042", "y2043"], "2"]);
    expect(await names("startsAt%5Bgt%5D=2042-01-01")).toEqual([["y2043"], "1"]);
    expect(await names("endsAt[lte]=2042-01-02T00:00:00Z&startsAt[gt]=2041-01-01&limit=1")).toEqual([["y2042"], "1"]);
    expect(await names("startsAt[gt]=2040-01-01&startsAt[lt]=2043-01-01&page=2&limit=1")).toEqual([["y2042"], "2"]);
    for (const query of ["startsAt=2042-01-01", "startsAt[after]=2042-01-01", "startsAt[gt]=soon"]) {
      const { status, body } = await plane.call("GET", `/v1/maintenance-windows?${query}`);
      expect(status).toBe(400);
      expect(body.message).toContain("startsAt");
    }
  });
});

describe("maintenances", () => {
  /** A window that has begun an hour ago, and comes again every day. */
  const daily = async (change: object = {}) =>
    (await create({ startsAt: fromNow(-hour), endsAt: fromNow(hour), repeatInterval: 1, repeatUnit: "DAY", ...change })).body;
  const list = async (id: number) => (await call("GET", id, "?limit=50")).body;

  it("of a window that does not repeat are one, under the same id when the window moves", async () => {
    const { body: one } = await create();
    const [maintenance, ...others] = await list(one.id);
    expect(others).toEqual([]);
    expect(maintenance).toEqual({
      id: expect.any(String),
      maintenanceWindowId: one.id,
      startsAt: new Date(one.startsAt).toISOString(),
      endsAt: new Date(one.endsAt).toISOString(),
      status: "SCHEDULED",
      created_at: one.created_at,
      updated_at: one.created_at,
      updates: [],
    });
    expect((await call("GET", one.id, `/${maintenance.id}`)).body).toEqual(maintenance);
    await call("POST", one.id, `/${maintenance.id}/updates`, { status: "SCHEDULED", description: "Soon." });
    await replace(one.id, { startsAt: "2030-05-01T01:00:00Z" });
    expect(await list(one.id)).toMatchObject([
      { id: maintenance.id, startsAt: "2030-05-01T01:00:00.000Z", updates: [{ description: "Soon." }] },
    ]);
  });

  it("tell each time as an instant, also of a window whose times are days", async () => {
    const { body: one } = await create({ startsAt: "2040-03-26", endsAt: "2040-03-27", repeatInterval: 1, repeatUnit: "DAY" });
    expect((await list(one.id)).slice(0, 2)).toMatchObject([
      { startsAt: "2040-03-26T00:00:00.000Z", endsAt: "2040-03-27T00:00:00.000Z" },
      { startsAt: "2040-03-27T00:00:00.000Z", endsAt: "2040-03-28T00:00:00.000Z" },
    ]);
    expect(one).toMatchObject({ startsAt: "2040-03-26", endsAt: "2040-03-27" });
  });

  it("are those that go on or come, the next one first, then those that are over", async () => {
    const one = await daily({ startsAt: fromNow(-49 * hour), endsAt: fromNow(-47 * hour) });
    const all = await list(one.id);
    expect(all.map(({ status }: { status: string }) => status)).toEqual([
      "IN_PROGRESS",
      ...Array(25).fill("SCHEDULED"),
      "COMPLETED",
      "COMPLETED",
    ]);
    const starts = all.map(({ startsAt }: { startsAt: string }) => Date.parse(startsAt));
    expect(starts.slice(0, 26)).toEqual(starts.slice(0, 26).toSorted((a: number, b: number) => a - b));
    expect(starts[26]).toBeGreaterThan(starts[27]);
    const page = await call("GET", one.id, "?limit=3&page=9");
    expect(page.body).toEqual(all.slice(24, 27));
    expect(page.headers.get("content-range")).toBe("items 24-26/28");
    expect((await call("GET", one.id, "?limit=51")).status).toBe(400);
  });

  it("end with the window's repetitions", async () => {
    expect(await list((await daily({ repeatEndsAt: fromNow(49 * hour) })).id)).toHaveLength(3);
  });

  it("are moved and deleted one by one", async () => {
    const one = await daily();
    const [running, next, later] = await list(one.id);
    const endsAt = "2040-01-01T00:00:00+01:00";
    const moved = await call("PATCH", one.id, `/${next.id}`, { endsAt });
    expect(moved.body).toMatchObject({ id: next.id, startsAt: next.startsAt, endsAt, status: "SCHEDULED" });
    expect((await call("DELETE", one.id, `/${later.id}`)).status).toBe(204);
    const after = await list(one.id);
    expect(after.slice(0, 2)).toEqual([running, moved.body]);
    expect(after.map(({ id }: { id: string }) => id)).not.toContain(later.id);
    for (const method of ["GET", "DELETE"]) expect((await call(method, one.id, `/${later.id}`)).status).toBe(404);
    expect((await call("PATCH", one.id, `/${later.id}`, {})).status).toBe(404);
    const back = await call("PATCH", one.id, `/${next.id}`, { startsAt: endsAt });
    expect([back.status, back.body.attributes.issues[0].path]).toEqual([400, "endsAt"]);
  });

  it("of another window, another account or no window are not there", async () => {
    const [one, other] = [await daily(), await daily()];
    const [maintenance] = await list(one.id);
    expect((await call("GET", other.id, `/${maintenance.id}`)).status).toBe(404);
    for (const id of ["nothing", crypto.randomUUID()]) expect((await call("GET", one.id, `/${id}`)).status).toBe(404);
    const stranger = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", stranger.id);
    for (const path of ["", `/maintenances`, `/maintenances/${maintenance.id}`]) {
      expect((await plane.call("GET", `/v1/maintenance-windows/${one.id}${path}`, { key })).status).toBe(404);
    }
  });

  it("begin and end early when an update says so, and take it back with the update", async () => {
    const { body: one } = await create({ startsAt: fromNow(hour), endsAt: fromNow(2 * hour) });
    const [{ id }] = await list(one.id);
    const tell = (status: string) => call("POST", one.id, `/${id}/updates`, { status, description: status.toLowerCase() });
    const { status, body: begun } = await tell("IN_PROGRESS");
    expect(status).toBe(201);
    expect(begun).toEqual({
      id: expect.any(String),
      maintenanceWindowId: one.id,
      maintenanceId: id,
      status: "IN_PROGRESS",
      description: "in_progress",
      notifySubscribers: false,
      created_at: expect.any(String),
      previousStatus: "SCHEDULED",
      previousStartsAt: one.startsAt,
      previousEndsAt: one.endsAt,
      dateAdjustments: { startsAt: begun.created_at },
    });
    expect((await tell("SCHEDULED")).status).toBe(409);
    const { body: ended } = await tell("COMPLETED");
    expect(ended).toMatchObject({ previousStatus: "IN_PROGRESS", dateAdjustments: { endsAt: ended.created_at } });
    expect((await tell("VERIFYING")).status).toBe(409);
    expect((await call("PATCH", one.id, `/${id}`, { endsAt: fromNow(3 * hour) })).status).toBe(409);
    const over = (await call("GET", one.id, `/${id}`)).body;
    expect(over).toMatchObject({ status: "COMPLETED", startsAt: begun.created_at, endsAt: ended.created_at });
    expect(over.updates.map((update: { id: string }) => update.id)).toEqual([ended.id, begun.id]);
    const changed = await call("PUT", one.id, `/${id}/updates/${ended.id}`, { status: "VERIFYING", description: "Nearly." });
    expect(changed.body).toMatchObject({ id: ended.id, status: "VERIFYING", description: "Nearly.", dateAdjustments: null });
    expect((await call("DELETE", one.id, `/${id}/updates/${ended.id}`)).status).toBe(204);
    expect((await call("DELETE", one.id, `/${id}/updates/${begun.id}`)).status).toBe(204);
    expect((await call("GET", one.id, `/${id}`)).body).toMatchObject({
      status: "SCHEDULED",
      startsAt: one.startsAt,
      endsAt: one.endsAt,
      updates: [],
    });
    for (const method of ["PUT", "DELETE"])
      expect((await call(method, one.id, `/${id}/updates/${begun.id}`, { description: "x" })).status).toBe(404);
  });

  it("follow the clock unless their window leaves that to updates", async () => {
    const { body: byHand } = await create({
      startsAt: fromNow(-2 * hour),
      endsAt: fromNow(-hour),
      statusPageVisibility: { autoStart: false, autoEnd: false },
    });
    expect(await list(byHand.id)).toMatchObject([{ status: "SCHEDULED" }]);
    const { body: byClock } = await create({ startsAt: fromNow(-2 * hour), endsAt: fromNow(-hour) });
    expect(await list(byClock.id)).toMatchObject([{ status: "COMPLETED" }]);
  });

  it("are planned anew with the times of a window that repeats, but for what has begun", async () => {
    const one = await daily();
    const [running, next] = await list(one.id);
    await call("POST", one.id, `/${running.id}/updates`, { status: "VERIFYING", description: "Looks good." });
    await call("DELETE", one.id, `/${next.id}`);
    await replace(one.id, { ...one, startsAt: fromNow(-hour / 2) });
    const after = await list(one.id);
    expect(after[0]).toMatchObject({ id: running.id, startsAt: one.startsAt, status: "VERIFYING" });
    expect((await call("GET", one.id, `/${next.id}`)).status).toBe(404);
    expect(after).toHaveLength(27);
  });

  it("keep every update that is told at once", async () => {
    const one = await daily();
    const [{ id }] = await list(one.id);
    const bodies = ["a", "b", "c", "d"].map((description) => ({ status: "VERIFYING", description }));
    const answers = await Promise.all(bodies.map((body) => call("POST", one.id, `/${id}/updates`, body)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await call("GET", one.id, `/${id}`)).body.updates).toHaveLength(4);
  });
});
