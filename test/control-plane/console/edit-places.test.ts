import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { formFields } from "./edit-forms.ts";
import { keyHolder } from "./key-holder.ts";

const request = { method: "GET", url: "http://127.0.0.1/" };

describe("the locations of a check in its form", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const stored = async (id: string) => (await plane.call("GET", `/v1/checks/${id}`)).body;
  async function made(places: object): Promise<string> {
    return (await plane.call("POST", "/v1/checks/api", { body: { name: "Shop", request, ...places } })).body.id;
  }
  async function change(id: string, changes: object) {
    const fields = formFields((await here.get(`/checks/${id}/edit`)).text);
    return here.post(`/checks/${id}/edit`, { ...fields, ...changes });
  }

  it("are data centers only where somebody can serve one, or the check names one", async () => {
    expect((await here.get("/checks/new?type=API")).text).not.toContain("Data center locations");
    const id = await made({ locations: ["us-east-1", "eu-west-1"] });
    const { text } = await here.get(`/checks/${id}/edit`);
    expect(text.match(/name="locations" value="[^"]+" checked> [^<]+/g)).toEqual([
      'name="locations" value="us-east-1" checked> us-east-1 (N. Virginia): no agent can serve this location, so its runs are missed',
      'name="locations" value="eu-west-1" checked> eu-west-1 (Ireland): no agent can serve this location, so its runs are missed',
    ]);
    await plane.locationKey("eu-west-1");
    const fresh = (await here.get("/checks/new?type=API")).text;
    expect(fresh.match(/name="locations" value="[^"]+"[^<]+/g)).toEqual([
      'name="locations" value="eu-west-1" checked> eu-west-1 (Ireland)',
    ]);
  });

  it("stay as they are, in their order, and are ticked and unticked", async () => {
    for (const [name, slugName] of Object.entries({ Berlin: "berlin", Madrid: "madrid" }))
      await plane.call("POST", "/v1/private-locations", { body: { name, slugName } });
    await plane.locationKey("ap-east-1");
    const places = { locations: ["us-east-1", "eu-west-1"], privateLocations: ["madrid", "berlin"] };
    const id = await made(places);
    expect((await change(id, {})).status).toBe(303);
    expect(await stored(id)).toMatchObject(places);
    expect((await change(id, { locations: ["ap-east-1", "eu-west-1"], privateLocations: [] })).status).toBe(303);
    expect(await stored(id)).toMatchObject({ locations: ["eu-west-1", "ap-east-1"], privateLocations: [] });
    const nowhere = await change(id, { locations: [] });
    expect([nowhere.status, nowhere.text.includes("Choose a location.")]).toEqual([400, true]);
    expect(nowhere.text).toContain('name="locations" value="eu-west-1">');
    expect((await change(id, { locations: [], activated: [] })).status).toBe(303);
    expect(await stored(id)).toMatchObject({ locations: [], activated: false });
  });
});
