import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

/** Every field of a status page that is text, each with another value than its default. */
const settings = {
  name: `Shop ${evil}`,
  description: "Two\nlines",
  url: "shop-page",
  customDomain: "status.shop.example.com",
  logo: "https://shop.example.com/logo.svg",
  logoDark: "http://shop.example.com/dark.svg",
  redirectTo: "https://shop.example.com/",
  favicon: "https://shop.example.com/icon.png",
  defaultTheme: "DARK",
};

const colorNames =
  "bodyBackground headerBackground headerFont titleFont bodyFont navigationFont linkFont cardBackground border primaryButtonBackground primaryButtonFont"
    .split(" ")
    .map((name) => `${name}Color`)
    .concat("bodyFontColorMuted");
const colorsOf = (color: string) => Object.fromEntries(colorNames.map((name) => [name, color]));
const colorFields = (theme: string, color: string) => Object.fromEntries(colorNames.map((name) => [`themeColors.${theme}.${name}`, color]));

describe("the pages of status pages", () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  let services: readonly string[];
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
    const make = async (name: string) => (await plane.call("POST", "/v1/status-pages/services", { body: { name } })).body.id;
    services = [await make(`Checkout ${evil}`), await make("Search"), await make("Basket")];
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const all = async () => (await plane.call("GET", "/v1/status-pages?limit=100")).body.entries;
  const named = async (url: string) => (await all()).find((one: { readonly url: string }) => one.url === url);
  const read = async (id: string) => (await plane.call("GET", `/v1/status-pages/${id}`)).body;
  const create = async (body: object) => (await plane.call("POST", "/v1/status-pages", { body: { cards: [], ...body } })).body;
  const idsOf = ({ cards }: { readonly cards: readonly { readonly services: readonly { readonly id: string }[] }[] }) =>
    cards.map((card) => card.services.map(({ id }) => id));

  it("make a page with every field, and change each back", async () => {
    const [checkout = "", search = "", basket = ""] = services;
    const cards = {
      "cards[0].name": "Buying",
      "cards[0].services": [checkout, basket],
      "cards[1].name": "Finding",
      "cards[1].another": search,
    };
    const colors = { hasColors: "on", ...colorFields("light", "#aabbcc"), ...colorFields("dark", "#112233") };
    await here.get("/pages/status/new");
    expect((await here.post("/pages/status", { ...settings, ...colors, ...cards })).location).toBe("/pages?done=statusPageMade");
    const { id } = await named("shop-page");
    const made = await read(id);
    expect(made).toMatchObject({ ...settings, themeColors: { light: colorsOf("#aabbcc"), dark: colorsOf("#112233") } });
    expect(idsOf(made)).toEqual([[checkout, basket], [search]]);
    const path = `/pages/status/${id}`;
    const { text } = await here.get(path);
    expect([activeParts(text), text.includes("Shop &lt;img"), text.includes('value="#aabbcc"')]).toEqual([[], true, true]);
    expect((await here.get("/status/shop-page")).status).toBe(200);
    const kept = { "cards[0].id": made.cards[1].id, "cards[0].name": "Finding", "cards[0].services": [search, checkout] };
    expect((await here.post(path, { name: "Plain", url: "plain", defaultTheme: "AUTO", ...kept })).location).toBe(`${path}?done=changed`);
    const plain = await read(id);
    const none = { description: null, customDomain: null, logo: null, logoDark: null, redirectTo: null, favicon: null, themeColors: null };
    expect(plain).toMatchObject({ ...none, name: "Plain", url: "plain", defaultTheme: "AUTO", cards: [{ id: made.cards[1].id }] });
    expect(idsOf(plain)).toEqual([[search, checkout]]);
    expect((await here.post(`${path}/delete`)).location).toBe("/pages?done=statusPageDeleted");
    expect((await here.get(path)).status).toBe(404);
    const { body } = await plane.call("GET", "/v1/audit-log?limit=3");
    expect(body.entries.map(({ operation }: { readonly operation: string }) => operation)).toEqual([
      "deleteStatusPage",
      "updateStatusPage",
      "createStatusPage",
    ]);
  });

  it("keep what REST alone sets, and a colour of three digits", async () => {
    const themeColors = { light: colorsOf("#0aF"), dark: colorsOf("#000000") };
    const { id } = await create({ name: "Kept", url: "kept", version: 3, themeColors });
    expect((await here.get(`/pages/status/${id}`)).text).toContain('value="#00aaFF"');
    const sent = { name: "Kept", url: "kept", defaultTheme: "AUTO", hasColors: "on", ...colorFields("light", "#00aaff") };
    expect((await here.post(`/pages/status/${id}`, sent)).status).toBe(303);
    const { version, themeColors: after } = await read(id);
    expect([version, after.light.linkFontColor, after.dark.linkFontColor]).toEqual([3, "#00aaff", "#6cb0ff"]);
  });

  it("add, move and remove cards and services by buttons, and save nothing before it is said", async () => {
    const [checkout = "", search = ""] = services;
    const { id } = await create({ name: "Steps", url: "steps", cards: [{ name: "Card", services: [{ id: checkout }] }] });
    const path = `/pages/status/${id}`;
    const before = await read(id);
    const typed = { name: "Typed", url: "steps", "cards[0].name": "Card", "cards[0].services": checkout };
    await here.get(path);
    const step = async (name: string, fields: object = {}) => {
      const { status, text } = await here.post(path, { ...typed, ...fields, step: name });
      expect([status, text.includes('value="Typed"'), activeParts(text)]).toEqual([200, true, []]);
      return {
        names: [...text.matchAll(/name="cards\[\d\]\.name" type="text" [^>]*?value="([^"]*)"/g)].map(([, value]) => value),
        placed: [...text.matchAll(/name="cards\[(\d)\]\.services" value="([^"]*)"/g)].map(([, card, value]) => [card, value]),
      };
    };
    expect(await step("addCard")).toEqual({ names: ["Card", ""], placed: [["0", checkout]] });
    const another = { "cards[0].another": search };
    expect((await step("addService 0", another)).placed).toEqual([
      ["0", checkout],
      ["0", search],
    ]);
    expect((await step("up 0 1", another)).placed).toEqual([
      ["0", search],
      ["0", checkout],
    ]);
    expect(await step("remove 0")).toEqual({ names: [], placed: [] });
    expect(await read(id)).toEqual(before);
  });

  it("say what is wrong beside its field, and keep what was typed", async () => {
    await create({ name: "Taken", url: "taken" });
    await here.get("/pages/status/new");
    const wrong = {
      name: "",
      url: "a b",
      logo: "no address",
      description: "x".repeat(501),
      hasColors: "on",
      "themeColors.dark.borderColor": "red",
      "cards[0].name": "",
      "cards[0].services": crypto.randomUUID(),
    };
    const { status, text } = await here.post("/pages/status", wrong);
    expect(status).toBe(400);
    for (const name of ["name", "url", "logo", "description", "themeColors.dark.borderColor", "cards[0].name"])
      expect(text).toContain(`id="${name}-problem"`);
    expect([text.includes('value="a b"'), text.includes("<details open>"), activeParts(text)]).toEqual([true, true, []]);
    const right = { name: "Right", url: "right", defaultTheme: "AUTO" };
    const gone = await here.post("/pages/status", { ...right, "cards[0].name": "Card", "cards[0].services": crypto.randomUUID() });
    expect(gone.text).toMatch(/class="problem" role="alert">The id of entry 1 /);
    const taken = await here.post("/pages/status", { ...right, url: "taken" });
    expect(taken.text).toMatch(/class="box bad" role="alert">[^<]*url/);
    const theme = await here.post("/pages/status", { ...right, defaultTheme: "PINK" });
    expect(theme.text).toMatch(/class="box bad" role="alert">&quot;defaultTheme&quot;/);
    expect(await named("right")).toBeUndefined();
  });

  it("list subscribers, find one, subscribe others and end a subscription", async () => {
    const { id } = await create({ name: `Followed ${evil}`, url: "followed" });
    const path = `/pages/status/${id}/subscribers`;
    const none = (await here.get(path)).text;
    expect(none).toContain("No subscribers yet.");
    expect(none).toContain(
      '<p class="box warn">This installation sends no mail until <code>SMTP_URL</code> is set: subscribers receive nothing.</p>',
    );
    const many = Array.from({ length: 60 }, (_, index) => `reader-${index}@example.com`);
    expect((await here.post(path, { subscriptions: many.join("\r\n"), autoVerify: "on" })).location).toBe(`${path}?done=subscribed`);
    await here.post(path, { subscriptions: "new@example.com READER-1@example.com" });
    const { text } = await here.get(path);
    expect([text.includes("60 confirmed, 1 pending."), text.includes("Page 1 of 2"), activeParts(text)]).toEqual([true, true, []]);
    expect((await here.get(`/pages/status/${id}`)).text).toContain(`href="${path}"`);
    const found = (await here.get(`${path}?q=NEW@`)).text;
    expect([found.includes("new@example.com"), found.includes("reader-1@example.com")]).toEqual([true, false]);
    const end = /action="([^"]*\/remove)"/.exec(found)?.[1] ?? "";
    expect((await here.post(end)).location).toBe(`${path}?done=removed`);
    expect((await here.get(`${path}?q=new`)).text).toContain("No subscribers match.");
    const wrong = await here.post(path, { subscriptions: "a@example.com\nno address" });
    expect([wrong.status, wrong.text.includes('id="subscriptions-problem"'), wrong.text.includes("no address</textarea>")]).toEqual([
      400,
      true,
      true,
    ]);
  });

  it("rename services", async () => {
    const path = `/pages/services/${services[2]}`;
    expect((await here.get(path)).text).toContain('value="Basket"');
    expect((await here.post(path, { name: " " })).text).toContain('id="name-problem"');
    expect((await here.post(path, { name: evil })).location).toBe("/pages?done=serviceChanged");
    const { text } = await here.get("/pages?done=serviceChanged");
    expect([text.includes("Service renamed."), text.includes("&lt;img src=x"), activeParts(text)]).toEqual([true, true, []]);
  });

  it("change for nobody below READ_WRITE, take nothing without a token, and are not there for other accounts", async () => {
    const { id } = await create({ name: "Ours", url: "ours" });
    const path = `/pages/status/${id}`;
    const reader = await keyHolder(plane, await plane.keyFor("READ_RUN"));
    expect((await reader.get("/pages")).text).not.toMatch(/pages\/status\/new|action="\/pages/);
    expect((await reader.get(`${path}/subscribers`)).text).not.toContain(`action="${path}`);
    for (const page of ["/pages/status/new", path, `/pages/services/${services[0]}`]) expect((await reader.get(page)).status).toBe(403);
    const posts = [path, `${path}/delete`, `${path}/subscribers`, `/pages/services/${services[0]}`];
    await reader.get("/pages");
    for (const post of [...posts, "/pages/status"]) expect([post, (await reader.post(post, { name: "x" })).status]).toEqual([post, 403]);
    for (const post of [...posts, "/pages/status"]) expect([post, (await here.post(post, { csrf: "x" })).status]).toEqual([post, 403]);
    const other = await stranger(plane);
    await other.get("/pages");
    for (const page of [path, `${path}/subscribers`]) expect((await other.get(page)).status).toBe(404);
    await other.get("/pages");
    for (const post of posts) expect([post, (await other.post(post, { name: "x", url: "x" })).status]).toEqual([post, 404]);
    expect((await read(id)).name).toBe("Ours");
  });
});
