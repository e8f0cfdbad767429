import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

const first = "incidentUpdates[0].description";

describe("the pages of incidents", () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  let checkout: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
    checkout = (await plane.call("POST", "/v1/status-pages/services", { body: { name: `Checkout ${evil}` } })).body.id;
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const given = () => ({
    name: "Checkout fails",
    severity: "CRITICAL",
    status: "INVESTIGATING",
    services: checkout,
    [first]: "Cards are refused.",
  });
  const open = async (changes: Readonly<Record<string, string>> = {}): Promise<string> => {
    await here.get("/incidents/new");
    const { location } = await here.post("/incidents", { ...given(), ...changes });
    return /^\/incidents\/([0-9a-f-]{36})\?done=opened$/.exec(location ?? "")?.[1] ?? "";
  };
  const read = async (id: string) => (await plane.call("GET", `/v1/status-pages/incidents/${id}`)).body;

  it("say where services come from, where there is none", async () => {
    const { text } = await (await stranger(plane)).get("/incidents/new");
    expect([text.includes("there are none yet"), text.includes("<textarea")]).toEqual([true, false]);
  });

  it("say what readers of a status page see of each severity", async () => {
    const { text } = await here.get("/incidents/new");
    for (const choice of ['"CRITICAL">Critical: major outage', '"MEDIUM">Medium: degraded performance']) expect(text).toContain(choice);
  });

  it("say beside the choice to notify subscribers that no mail is sent, until a mail server is set", async () => {
    const told = "This installation sends no mail until <code>SMTP_URL</code> is set";
    const id = await open();
    for (const path of ["/incidents/new", `/incidents/${id}`]) expect((await here.get(path)).text).toContain(told);
    await plane.call("DELETE", `/v1/status-pages/incidents/${id}`);
    await using mailing = await controlPlaneUnderTest({ SMTP_URL: "smtp://127.0.0.1:2525" });
    await mailing.call("POST", "/v1/status-pages/services", { body: { name: "Shop" } });
    const { text } = await (await keyHolder(mailing, await mailing.keyFor("READ_WRITE"))).get("/incidents/new");
    expect([text.includes("Notify subscribers"), text.includes(told)]).toEqual([true, false]);
  });

  it("open an incident by hand, tell of it and resolve it", async () => {
    const id = await open({ notifySubscribers: "on", [first]: "Cards are refused.\r\nCash works." });
    expect(await read(id)).toMatchObject({
      name: "Checkout fails",
      severity: "CRITICAL",
      services: [{ id: checkout }],
      incidentUpdates: [{ description: "Cards are refused.\nCash works.", status: "INVESTIGATING", notifySubscribers: true }],
    });
    expect((await here.get(`/incidents/${id}`)).text).toContain("sent to subscribers");
    const updates = `/incidents/${id}/updates`;
    expect((await here.post(updates, { description: "Found.", status: "IDENTIFIED" })).location).toBe(`/incidents/${id}?done=updated`);
    expect((await here.get("/incidents")).text).toMatch(/<h2>Open<\/h2><ul class="events"><li class="bad">[\s\S]*Identified<\/span>/);
    const done = await here.post(updates, { description: "All is well.", status: "IDENTIFIED", resolve: "on" });
    expect(done.location).toBe(`/incidents/${id}?done=resolved`);
    expect(await read(id)).toMatchObject({ lastUpdateStatus: "RESOLVED", incidentUpdates: [{ notifySubscribers: false }, {}, {}] });
    const { text } = await here.get("/incidents");
    expect(text).toContain("No open incidents.");
    expect(text).toMatch(/<h2>Past<\/h2><ul class="events"><li class="ok">[\s\S]*lasted 1 min/);
    const { body } = await plane.call("GET", "/v1/audit-log?limit=3");
    expect(body.entries.map(({ operation }: { operation: string }) => operation)).toEqual([
      "createStatusPageIncidentUpdate",
      "createStatusPageIncidentUpdate",
      "createStatusPageIncident",
    ]);
  });

  it("say what is wrong beside its field, and keep what was typed", async () => {
    await here.get("/incidents/new");
    const { services: _, ...withoutServices } = given();
    const { status, text } = await here.post("/incidents", { ...withoutServices, name: "", [first]: `Words ${evil}` });
    expect(status).toBe(400);
    expect(text).toMatch(/id="name-problem">Must not be empty/);
    expect(text).toContain("Choose at least one service.");
    expect(text).toContain("Words &lt;img");
    expect(text).toContain('<option value="CRITICAL" selected>');
    const unknown = await here.post("/incidents", { ...given(), services: crypto.randomUUID() });
    expect([unknown.status, unknown.text.includes('value="Checkout fails"')]).toEqual([400, true]);
    const id = await open();
    const empty = await here.post(`/incidents/${id}/updates`, { description: " ", status: "MONITORING", notifySubscribers: "on" });
    expect(empty.status).toBe(400);
    expect(empty.text).toMatch(/id="description-problem">Must not be empty/);
    expect(empty.text).toMatch(/<option value="MONITORING" selected>/);
    expect(empty.text).toMatch(/name="notifySubscribers" value="on" checked/);
  });

  it("change an incident, and what was told of it", async () => {
    const id = await open({ notifySubscribers: "on" });
    const { body: search } = await plane.call("POST", "/v1/status-pages/services", { body: { name: "Search" } });
    expect((await here.get(`/incidents/${id}`)).text).toContain(`href="/incidents/${id}/edit"`);
    const form = await here.get(`/incidents/${id}/edit`);
    expect([activeParts(form.text), form.text.includes('<option value="CRITICAL" selected>')]).toEqual([[], true]);
    const changed = await here.post(`/incidents/${id}/edit`, { name: "Search fails", severity: "MINOR", services: search.id });
    expect(changed.location).toBe(`/incidents/${id}?done=changed`);
    const now = await read(id);
    expect(now).toMatchObject({ name: "Search fails", severity: "MINOR", services: [{ id: search.id }], incidentUpdates: [{}] });
    const none = await here.post(`/incidents/${id}/edit`, { name: evil, severity: "MINOR" });
    expect([none.status, none.text.includes("Choose at least one service."), activeParts(none.text)]).toEqual([400, true, []]);
    const [update] = now.incidentUpdates;
    const path = `/incidents/${id}/updates/${update.id}`;
    expect((await here.get(path)).text).toContain("Cards are refused.</textarea>");
    expect((await here.post(path, { description: evil, status: "IDENTIFIED" })).location).toBe(`/incidents/${id}?done=corrected`);
    const corrected = { ...update, description: evil, status: "IDENTIFIED" };
    expect((await read(id)).incidentUpdates).toEqual([corrected]);
    expect(activeParts((await here.get(path)).text)).toEqual([]);
    expect((await here.post(path, { description: " ", status: "IDENTIFIED" })).text).toContain('id="description-problem"');
    const reader = await keyHolder(plane, await plane.keyFor("READ_RUN"));
    const other = await stranger(plane);
    for (const [who, status] of [
      [reader, 403],
      [other, 404],
    ] as const) {
      await who.get("/incidents");
      for (const to of [`/incidents/${id}/edit`, path]) {
        expect([to, (await who.get(to)).status, (await who.post(to, given())).status]).toEqual([to, status, status]);
      }
    }
    await here.get(path);
    expect((await here.post(`${path}/delete`)).location).toBe(`/incidents/${id}?done=withdrawn`);
    expect((await read(id)).incidentUpdates).toEqual([]);
    await here.post(`/incidents/${id}/delete`);
  });

  it("keep names and texts as text", async () => {
    const id = await open({ name: evil, [first]: evil });
    for (const path of ["/incidents", `/incidents/${id}`, "/incidents/new"]) {
      const { text } = await here.get(path);
      expect([path, activeParts(text), text.includes("&lt;img src=x")]).toEqual([path, [], true]);
    }
  });

  it("show past incidents by page, and open ones wherever they stand", async () => {
    const id = await open({ name: "The oldest" });
    const over = { description: "Over.", status: "RESOLVED" };
    const body = { name: "Short", severity: "MINOR", services: [{ id: checkout, name: "", accountId: "" }], incidentUpdates: [over] };
    for (let n = 0; n < 30; n += 1) await plane.call("POST", "/v1/status-pages/incidents", { body });
    const one = (await here.get("/incidents")).text;
    const two = (await here.get("/incidents?page=2")).text;
    for (const text of [one, two]) expect(text).toContain(`<a class="name" href="/incidents/${id}">The oldest</a>`);
    expect([one.split(">Short</a>").length, one.includes("Page 1 of 2")]).toEqual([26, true]);
    expect(two).toContain('href="/incidents" rel="prev"');
  });

  it("are read by everybody of the account, and change for nobody below READ_WRITE", async () => {
    const id = await open();
    const reader = await keyHolder(plane, await plane.keyFor("READ_RUN"));
    const { text } = await reader.get(`/incidents/${id}`);
    expect([text.includes("Cards are refused."), text.includes("/updates"), text.includes("/delete")]).toEqual([true, false, false]);
    expect((await reader.get("/incidents")).text).not.toContain("/incidents/new");
    expect((await reader.get("/incidents/new")).status).toBe(403);
    for (const path of ["/incidents", `/incidents/${id}/updates`, `/incidents/${id}/delete`]) {
      expect([path, (await reader.post(path, { ...given(), description: "x" })).status]).toEqual([path, 403]);
    }
    expect((await read(id)).incidentUpdates).toHaveLength(1);
  });

  it("of another account are not there", async () => {
    const id = await open();
    const other = await stranger(plane);
    expect((await other.get("/incidents")).text).not.toContain("Checkout fails");
    expect((await other.get(`/incidents/${id}`)).status).toBe(404);
    expect((await other.get("/incidents/nonsense")).status).toBe(404);
    await other.get("/incidents");
    for (const path of ["updates", "delete"]) {
      expect((await other.post(`/incidents/${id}/${path}`, { description: "x", status: "MONITORING" })).status).toBe(404);
    }
    expect((await other.post("/incidents", given())).status).toBe(400);
    expect((await here.post(`/incidents/${id}/delete`)).location).toBe("/incidents?done=deleted");
    expect((await plane.call("GET", `/v1/status-pages/incidents/${id}`)).status).toBe(404);
  });
});
