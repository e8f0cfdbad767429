import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres } from "../../support/postgres.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

const postgres = await startPostgres();
const engines = postgres ? ["sqlite", "postgres"] : ["sqlite"];
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
});

async function planeOn(engine: string): Promise<ControlPlaneUnderTest> {
  const databaseUrl = engine === "postgres" ? await postgres?.database(`dashboards_${randomUUID().replaceAll("-", "")}`) : undefined;
  return controlPlaneUnderTest(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl });
}

describe.each(engines)("an address of a dashboard on %s", (engine) => {
  it("goes to one of fifty that ask at once, and the others are told which field is taken (E-03)", async () => {
    await using plane = await planeOn(engine);
    const create = (body: object) => plane.call("POST", "/v1/dashboards", { body: { header: "x", ...body } });
    for (const field of ["customUrl", "customDomain"]) {
      const value = field === "customUrl" ? "shop" : "Status.Example.com";
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => create({ [field]: n % 2 === 0 ? value : value.toUpperCase() })),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      const refused = answers.filter(({ status }) => status === 409);
      expect(refused).toHaveLength(49);
      for (const { body } of refused) expect(body).toMatchObject({ statusCode: 409, error: "Conflict", attributes: { field } });
      expect(refused[0]?.body.message).toContain(`"${field}" is taken`);
    }
    expect((await plane.call("GET", "/v1/dashboards")).body).toHaveLength(2);
  });
});

describe("dashboards", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ PAGE_DOMAINS: "trusted" });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = (body: object = {}, key?: string) =>
    plane.call("POST", "/v1/dashboards", { body: { header: "Shop", ...body }, ...(key !== undefined && { key }) });
  const foreignKey = async (): Promise<string> => {
    const uuid = randomUUID();
    const { id } = await plane.context.storage.accounts.create({ uuid, name: "Other", runtimeId: "2026.04", nowMs: Date.now() });
    return plane.keyFor("OWNER", id);
  };

  it("get their defaults on creation", async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      dashboardId: expect.stringMatching(/^[0-9a-f]{8}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      header: "Shop",
      description: null,
      customUrl: null,
      customDomain: null,
      logo: null,
      favicon: null,
      link: null,
      width: "FULL",
      refreshRate: 60,
      paginate: true,
      paginationRate: 60,
      sortByStatus: false,
      checksPerPage: 15,
      useTagsAndOperator: false,
      hideTags: false,
      enableIncidents: false,
      expandChecks: false,
      tags: [],
      showHeader: true,
      showCheckRunLinks: false,
      showGroupNames: true,
      customCSS: "",
      isPrivate: false,
      showP95: true,
      showP99: true,
      keys: [],
    });
    expect((await plane.call("GET", `/v1/dashboards/${body.dashboardId}`)).body).toEqual(body);
  });

  it("are found by their addresses too, in any case and in their account only", async () => {
    const { body } = await create({ customUrl: "Find-Me", customDomain: "find.example.com" });
    for (const path of [`${body.dashboardId.toUpperCase()}`, "find-me?type=customUrl", "FIND.example.com?type=customDomain"]) {
      expect((await plane.call("GET", `/v1/dashboards/${path}`)).body).toEqual(body);
      const key = await foreignKey();
      expect((await plane.call("GET", `/v1/dashboards/${path}`, { key })).status).toBe(404);
    }
    expect((await plane.call("GET", "/v1/dashboards/find-me?type=customDomain")).status).toBe(404);
    expect((await plane.call("GET", `/v1/dashboards/${body.id}`)).status).toBe(404);
  });

  it("are replaced whole: what is left out returns to its default, the id and the keys stay", async () => {
    const { body: before } = await create({ customUrl: "old-name", isPrivate: true, tags: ["a"], width: "960PX" });
    const { status, body } = await plane.call("PUT", `/v1/dashboards/${before.dashboardId}`, {
      body: { ...before, header: undefined, width: undefined, customUrl: "new-name" },
    });
    expect(status).toBe(200);
    const [{ rawKey: _shownOnce, ...key }] = before.keys;
    expect(body).toEqual({ ...before, header: null, width: "FULL", customUrl: "new-name", keys: [key] });
    expect((await create({ customUrl: "old-name" })).status).toBe(201);
    expect((await plane.call("PUT", `/v1/dashboards/${before.dashboardId}`, { body: { customUrl: "old-name" } })).status).toBe(409);
    expect((await plane.call("GET", `/v1/dashboards/${before.dashboardId}`)).body).toEqual(body);
  });

  it("leave their addresses free when they go", async () => {
    const { body } = await create({ customUrl: "free", customDomain: "free.example.com" });
    const path = `/v1/dashboards/${body.dashboardId}`;
    expect((await plane.call("DELETE", path)).status).toBe(204);
    expect((await plane.call("DELETE", path)).status).toBe(404);
    expect((await plane.call("PUT", path, { body: {} })).status).toBe(404);
    expect((await create({ customUrl: "free", customDomain: "free.example.com" })).status).toBe(201);
  });

  it("show a key once, keep only its hash, and can replace it without a gap", async () => {
    const { body } = await create({ isPrivate: true, keys: [{ id: "whatever", rawKey: 5 }] });
    const path = `/v1/dashboards/${body.dashboardId}`;
    const [first] = body.keys;
    expect(first).toMatchObject({ rawKey: expect.stringMatching(/^da_[0-9a-f]{32}$/), maskedKey: `...${first.rawKey.slice(-4)}` });
    const stored = await plane.context.storage.documents.find(plane.account.id, "dashboard", { name: body.dashboardId });
    expect(JSON.stringify(stored)).not.toContain(first.rawKey.slice(3));
    expect(JSON.stringify(stored)).toContain(plane.context.hashOf(first.rawKey));
    const second = await plane.call("POST", `${path}/keys`);
    expect(second.status).toBe(201);
    expect((await plane.call("POST", `${path}/keys`)).status).toBe(409);
    expect((await plane.call("DELETE", `${path}/keys/${first.id}`)).status).toBe(204);
    expect((await plane.call("DELETE", `${path}/keys/${first.id}`)).status).toBe(404);
    const { rawKey: _shownOnce, ...left } = second.body;
    expect((await plane.call("GET", path)).body.keys).toEqual([left]);
  });

  it("get a key when they become private", async () => {
    const { body } = await create();
    const changed = await plane.call("PUT", `/v1/dashboards/${body.dashboardId}`, { body: { header: "x", isPrivate: true } });
    expect(changed.body.keys).toEqual([expect.objectContaining({ rawKey: expect.stringMatching(/^da_/) })]);
  });

  it.each([
    [{ header: undefined }, "header"],
    [{ refreshRate: 61 }, "refreshRate"],
    [{ paginationRate: 600 }, "paginationRate"],
    [{ checksPerPage: 21 }, "checksPerPage"],
    [{ width: "HALF" }, "width"],
    [{ logo: "javascript:alert(1)" }, "logo"],
    [{ link: "/local" }, "link"],
    [{ customUrl: "two.labels" }, "customUrl"],
    [{ customDomain: "https://example.com" }, "customDomain"],
    [{ tags: Array.from({ length: 101 }, String) }, "tags"],
    [{ customCSS: "x".repeat(100_001) }, "customCSS"],
  ])("refuse %o, naming the field", async (change, field) => {
    const { status, body } = await create(change);
    expect(status).toBe(400);
    expect(body.message).toContain(`"${field}"`);
  });

  it("take the empty text for nothing, as clients send it", async () => {
    const empty = { customUrl: "", customDomain: "", logo: "", favicon: "", link: "", description: "", customCSS: "" };
    for (let n = 0; n < 2; n += 1) expect(await create(empty)).toMatchObject({ status: 201, body: empty });
  });

  it("are listed in pages with their total", async () => {
    const key = await foreignKey();
    const made = [];
    for (const header of ["one", "two", "three"]) made.push((await create({ header }, key)).body);
    const { body, headers } = await plane.call("GET", "/v1/dashboards?limit=2&page=2", { key });
    expect(body).toEqual([{ ...made[2], projectBindings: { owner: null, references: [] } }]);
    expect(headers.get("content-range")).toBe("items 2-2/3");
  });
});
