import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CheckTypeName } from "#contract/primitives.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { formFields } from "./edit-forms.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

describe("the incident of a check in its form", { timeout: 120_000 }, () => {
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
  const incident = (changes: object = {}) => ({
    "triggerIncident.serviceId": checkout,
    "triggerIncident.severity": "CRITICAL",
    "triggerIncident.name": "Checkout fails",
    "triggerIncident.description": "Cards are refused.\r\nCash works.",
    "triggerIncident.notifySubscribers": "on",
    ...changes,
  });
  const stored = async (id: string) => (await plane.call("GET", `/v1/checks/${id}`)).body.triggerIncident;
  async function made(changes: object = {}): Promise<string> {
    return (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id;
  }
  /** Sends the form of a check as it is but for these fields. */
  async function change(id: string, changes: object) {
    const fields = formFields((await here.get(`/checks/${id}/edit`)).text);
    return here.post(`/checks/${id}/edit`, { ...fields, ...changes });
  }

  it("is in the form of every type, and says where services come from where there is none", async () => {
    const other = await stranger(plane);
    for (const type of CheckTypeName.options) {
      expect((await here.get(`/checks/new?type=${type}`)).text).toContain(`<option value="${checkout}">Checkout &lt;img`);
      const { text } = await other.get(`/checks/new?type=${type}`);
      expect([text.includes('href="/pages#services"'), text.includes("triggerIncident.")]).toEqual([true, false]);
    }
  });

  it("is chosen, told on the page of the check, changed, and taken away where the service is left empty", async () => {
    const id = await made();
    expect((await change(id, {})).status).toBe(303);
    expect([await stored(id), (await here.get(`/checks/${id}`)).text.includes("opens an incident of")]).toEqual([null, false]);
    expect((await change(id, incident())).status).toBe(303);
    const critical = {
      serviceId: checkout,
      severity: "CRITICAL",
      name: "Checkout fails",
      description: "Cards are refused.\nCash works.",
      notifySubscribers: true,
    };
    expect(await stored(id)).toEqual(critical);
    const { text } = await here.get(`/checks/${id}`);
    expect(text).toMatch(/opens an incident on <a href="\/pages#services">Checkout &lt;img[^<]*<\/a> \(critical\)/);
    expect(activeParts(text)).toEqual([]);
    expect((await change(id, { "triggerIncident.severity": "MEDIUM", "triggerIncident.notifySubscribers": [] })).status).toBe(303);
    expect(await stored(id)).toEqual({ ...critical, severity: "MEDIUM", notifySubscribers: false });
    expect((await change(id, { "triggerIncident.serviceId": "" })).status).toBe(303);
    expect(await stored(id)).toBeNull();
  });

  it("says what is wrong beside its fields, and keeps what was typed", async () => {
    const id = await made();
    const nobody = crypto.randomUUID();
    const long = await change(id, incident({ "triggerIncident.name": `${evil}${"x".repeat(255)}` }));
    expect([long.status, long.text.includes('id="triggerIncident.name-problem"')]).toEqual([400, true]);
    expect(long.text).toContain('id="triggerIncident.name" name="triggerIncident.name" value="&lt;img');
    expect(long.text).toMatch(/>\nCards are refused\.\nCash works\.<\/textarea>/);
    expect(long.text).toContain(`<option value="${checkout}" selected>`);
    const unknown = await change(id, incident({ "triggerIncident.serviceId": nobody }));
    expect([unknown.status, unknown.text.includes("Names no service of this account")]).toEqual([400, true]);
    expect(unknown.text).toContain('id="triggerIncident.serviceId-problem"');
    expect(await stored(id)).toBeNull();
  });

  it("keeps nobody from saving the rest after its service was deleted", async () => {
    const { id: serviceId } = (await plane.call("POST", "/v1/status-pages/services", { body: { name: "Search" } })).body;
    const triggerIncident = { serviceId: serviceId.toUpperCase(), name: "a\nb", description: "c\r\nd", notifySubscribers: false };
    const id = await made({ triggerIncident });
    await plane.call("DELETE", `/v1/status-pages/services/${serviceId}`);
    expect((await here.get(`/checks/${id}`)).text).toContain("incidents was deleted. Edit the check");
    const saved = await change(id, { name: "Renamed" });
    expect([saved.status, (await plane.call("GET", `/v1/checks/${id}`)).body.name]).toEqual([303, "Renamed"]);
    expect(await stored(id)).toEqual({ ...triggerIncident, severity: "MINOR" });
  });
});
