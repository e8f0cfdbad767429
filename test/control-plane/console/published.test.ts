import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type Browser, browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

/** Every field of a dashboard but its keys, each with another value than its default. */
const all = {
  header: `Shop ${evil}`,
  description: "Two\nlines",
  customUrl: "the-shop",
  customDomain: "status.shop.example.com",
  logo: "https://shop.example.com/logo.svg",
  favicon: "https://shop.example.com/icon.png",
  link: "https://shop.example.com/",
  width: "960PX",
  refreshRate: 300,
  paginate: false,
  paginationRate: 30,
  sortByStatus: true,
  checksPerPage: 7,
  useTagsAndOperator: true,
  hideTags: true,
  enableIncidents: true,
  expandChecks: true,
  tags: ["shop", "front"],
  showHeader: false,
  showCheckRunLinks: true,
  showGroupNames: false,
  customCSS: "h1 { color: red; }\n",
  isPrivate: false,
  showP95: false,
  showP99: false,
};

/** What a browser sends of it: ticks that are off not at all. */
function fieldsOf(dashboard: object): Record<string, string> {
  const sent = Object.entries(dashboard).filter(([, value]) => value !== false && value !== null);
  return Object.fromEntries(
    sent.map(([name, value]) => [name, value === true ? "on" : Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

describe("the pages of dashboards and status pages", () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const dashboards = async () => (await plane.call("GET", "/v1/dashboards?limit=100")).body;
  const named = async (customUrl: string) => (await plane.call("GET", `/v1/dashboards/${customUrl}?type=customUrl`)).body;
  const create = async (body: object) => (await plane.call("POST", "/v1/dashboards", { body })).body;

  it("make a dashboard with every field, and change each back", async () => {
    await here.get("/pages/dashboards/new");
    expect((await here.post("/pages/dashboards", fieldsOf(all))).location).toBe("/pages?done=created");
    const made = await named("the-shop");
    expect(made).toMatchObject(all);
    const path = `/pages/dashboards/${made.dashboardId}`;
    const { text } = await here.get(path);
    expect([activeParts(text), text.includes("Shop &lt;img"), text.includes("h1 { color: red; }")]).toEqual([[], true, true]);
    expect((await here.get("/dashboards/the-shop")).status).toBe(200);
    const plain = await create({ header: null });
    const { id: _id, dashboardId: _dashboardId, created_at: _at, keys: _keys, customCSS: _css, ...defaults } = plain;
    expect((await here.post(path, fieldsOf(defaults))).location).toBe(`${path}?done=changed`);
    expect((await plane.call("GET", `/v1/dashboards/${made.dashboardId}`)).body).toMatchObject(defaults);
    expect((await here.post(`${path}/delete`)).location).toBe("/pages?done=deleted");
    expect((await here.get(path)).status).toBe(404);
  });

  it("show keys of private dashboards once, make a second and revoke one", async () => {
    await here.get("/pages/dashboards/new");
    const made = await here.post("/pages/dashboards", fieldsOf({ ...all, customUrl: "inside", customDomain: null, isPrivate: true }));
    const first = /<code>(da_[0-9a-f]{32})<\/code>/.exec(made.text)?.[1] ?? "";
    const { dashboardId, keys } = await named("inside");
    const path = `/pages/dashboards/${dashboardId}`;
    const opens = async (key: string) => (await browser(plane.base).get(`/dashboards/inside?key=${key}`)).status;
    expect([made.status, keys.length, await opens(first)]).toEqual([200, 1, 303]);
    expect((await here.get(path)).text).not.toContain(first);
    const second = /<code>(da_[0-9a-f]{32})<\/code>/.exec((await here.post(`${path}/keys`)).text)?.[1] ?? "";
    expect([second === first, await opens(second)]).toEqual([false, 303]);
    const third = await here.post(`${path}/keys`);
    expect([third.status, third.text.includes("2 keys already")]).toEqual([409, true]);
    expect((await here.post(`${path}/keys/${keys[0].id}/revoke`)).location).toBe(`${path}?done=revoked`);
    expect([await opens(first), await opens(second)]).toEqual([404, 303]);
    expect((await named("inside")).keys).toHaveLength(1);
    expect((await here.get("/pages")).text).toContain('<span class="chip">private</span>');
  });

  it("say what is wrong beside its field, and keep what was typed", async () => {
    await create({ header: "Taken", customUrl: "taken" });
    await here.get("/pages/dashboards/new");
    const wrong = { ...fieldsOf(all), logo: "no address", checksPerPage: "21", customDomain: "x y", tags: "a, , b" };
    const { status, text } = await here.post("/pages/dashboards", wrong);
    expect(status).toBe(400);
    for (const name of ["logo", "checksPerPage", "customDomain"]) expect(text).toContain(`id="${name}-problem"`);
    expect([text.includes('value="no address"'), text.includes('value="21"'), text.includes('value="a, b"')]).toEqual([true, true, true]);
    expect(text).toMatch(/name="sortByStatus" value="on" checked/);
    expect(activeParts(text)).toEqual([]);
    const taken = await here.post("/pages/dashboards", { ...fieldsOf(all), customUrl: "taken" });
    expect(taken.text).toMatch(/class="box bad" role="alert">[^<]*customUrl/);
  });

  it("list status pages with their services and open incidents, and add and delete services", async () => {
    await here.get("/pages");
    expect((await here.post("/pages/services", { name: `Checkout ${evil}` })).location).toBe("/pages?done=serviceAdded");
    expect((await here.post("/pages/services", { name: " " })).text).toContain('id="name-problem"');
    const [{ id }] = (await plane.call("GET", "/v1/status-pages/services")).body.entries;
    const body = { name: `Status ${evil}`, url: "shop", cards: [{ name: "Shop", services: [{ id }] }] };
    await plane.call("POST", "/v1/status-pages", { body });
    const services = [{ id, name: "", accountId: "" }];
    const incident = { name: "Down", severity: "MAJOR", services, incidentUpdates: [{ description: "x", status: "INVESTIGATING" }] };
    await plane.call("POST", "/v1/status-pages/incidents", { body: incident });
    const { text } = await here.get("/pages");
    expect(text).toContain('<a href="/status/shop">Status &lt;img');
    expect([text.includes("1 open incident"), activeParts(text)]).toEqual([true, []]);
    expect((await here.post(`/pages/services/${id}/delete`)).location).toBe("/pages?done=serviceDeleted");
    expect((await here.get("/pages")).text).toContain("No services");
  });

  it("have no forms below READ_WRITE, take none without a token, and show nothing of other accounts", async () => {
    const { dashboardId } = await create({ header: "Ours" });
    const one = `/pages/dashboards/${dashboardId}`;
    const reader = await keyHolder(plane, await plane.keyFor("READ_RUN"));
    const { text } = await reader.get("/pages");
    expect([text.includes("Ours"), /<form [^>]*action="\/pages/.test(text), text.includes("/pages/dashboards")]).toEqual([
      true,
      false,
      false,
    ]);
    for (const path of ["/pages/dashboards/new", one]) expect((await reader.get(path)).status).toBe(403);
    const posts = ["/pages/dashboards", one, `${one}/delete`, `${one}/keys`, "/pages/services"];
    await reader.get("/pages");
    for (const path of posts) expect([path, (await reader.post(path, { header: "x", name: "x" })).status]).toEqual([path, 403]);
    for (const path of posts) expect([path, (await here.post(path, { csrf: "x" })).status]).toEqual([path, 403]);
    const other = await stranger(plane);
    expect((await other.get("/pages")).text).not.toContain("Ours");
    await other.get("/pages");
    for (const path of [one, `${one}/delete`, `${one}/keys`])
      expect([path, (await other.post(path, fieldsOf(all))).status]).toEqual([path, 404]);
    expect((await dashboards()).some(({ header }: { header: string }) => header === "Ours")).toBe(true);
  });
});
