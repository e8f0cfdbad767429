import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

describe("the pages of single occurrences of a maintenance window", () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const occurrencesOf = async (id: number) => (await plane.call("GET", `/v1/maintenance-windows/${id}/maintenances?limit=50`)).body;
  /** A day after the other from 2 to 4 o'clock in Berlin. */
  const daily = async (): Promise<number> => {
    const times = { startsAt: "2036-05-05T02:00", endsAt: "2036-05-05T04:00", timezone: "Europe/Berlin" };
    const body = { ...times, name: `Nightly ${evil}`, repeatInterval: 1, repeatUnit: "DAY" };
    return (await plane.call("POST", "/v1/maintenance-windows", { body })).body.id;
  };

  it("list them, the next one first, move one and skip one; the window stays", async () => {
    const id = await daily();
    const path = `/maintenance/${id}/occurrences`;
    const [first, second] = await occurrencesOf(id);
    const { text } = await here.get(path);
    const links = [...text.matchAll(/class="name" href="([^"]+)"><time datetime="([^"]+)"/g)].map(([, href, at]) => [href, at]);
    expect([activeParts(text), links.slice(0, 2)]).toEqual([
      [],
      [
        [`${path}/${first.id}`, "2036-05-05T00:00:00.000Z"],
        [`${path}/${second.id}`, "2036-05-06T00:00:00.000Z"],
      ],
    ]);
    const one = await here.get(`${path}/${second.id}`);
    expect([activeParts(one.text), one.text.includes('value="2036-05-06T02:00"')]).toEqual([[], true]);
    const moved = await here.post(`${path}/${second.id}/move`, { startsAt: "2036-05-06T02:00", endsAt: "2036-05-06T06:30" });
    expect(moved.location).toBe(`${path}/${second.id}?done=moved`);
    expect((await occurrencesOf(id))[1]).toMatchObject({ startsAt: second.startsAt, endsAt: "2036-05-06T06:30" });
    expect((await here.get(`${path}/${second.id}?done=moved`)).text).toContain("Occurrence rescheduled");
    const wrong = await here.post(`${path}/${second.id}/move`, { startsAt: "2036-05-06T02:00", endsAt: "2036-05-06T01:00" });
    expect([wrong.status, wrong.text.includes('value="2036-05-06T01:00"')]).toEqual([400, true]);
    expect(wrong.text).toMatch(/id="endsAt-problem">Must be after startsAt/);
    expect((await here.post(`${path}/${first.id}/skip`)).location).toBe(`${path}?done=skipped`);
    expect((await occurrencesOf(id))[0].id).toBe(second.id);
    expect((await here.get(`${path}/${first.id}`)).status).toBe(404);
    const { body } = await plane.call("GET", "/v1/audit-log?limit=2");
    expect(body.entries.map(({ operation }: { readonly operation: string }) => operation)).toEqual([
      "deleteMaintenance",
      "moveMaintenance",
    ]);
  });

  it("tell how one goes, correct what was told, and take it back", async () => {
    const id = await daily();
    const [{ id: occurrence }] = await occurrencesOf(id);
    const path = `/maintenance/${id}/occurrences/${occurrence}`;
    await here.get(path);
    const telling = { description: `Read-only ${evil}\r\nfor an hour`, status: "SCHEDULED", notifySubscribers: "on" };
    expect((await here.post(`${path}/updates`, telling)).location).toBe(`${path}?done=told`);
    const [update] = (await occurrencesOf(id))[0].updates;
    expect(update).toMatchObject({ description: `Read-only ${evil}\nfor an hour`, status: "SCHEDULED", notifySubscribers: true });
    const { text } = await here.get(path);
    expect([activeParts(text), text.includes("Read-only &lt;img"), text.includes("sent to subscribers")]).toEqual([[], true, true]);
    const form = await here.get(`${path}/updates/${update.id}`);
    expect([activeParts(form.text), form.text.includes("for an hour</textarea>")]).toEqual([[], true]);
    const changed = await here.post(`${path}/updates/${update.id}`, { description: "Called off", status: "CANCELLED" });
    expect(changed.location).toBe(`${path}?done=corrected`);
    expect((await occurrencesOf(id)).find((one: { readonly id: string }) => one.id === occurrence).status).toBe("CANCELLED");
    const over = await here.get(path);
    expect(over.text).not.toContain(`${path}/move`);
    const refused = await here.post(`${path}/updates`, { description: "Back again", status: "IN_PROGRESS" });
    expect([refused.status, refused.text.includes("Back again</textarea>")]).toEqual([400, true]);
    expect(refused.text).toMatch(/class="box bad" role="alert">The maintenance is CANCELLED/);
    expect((await here.post(`${path}/updates/${update.id}/delete`)).location).toBe(`${path}?done=withdrawn`);
    expect((await occurrencesOf(id))[0]).toMatchObject({ id: occurrence, status: "SCHEDULED", updates: [] });
    expect((await here.get(`${path}/updates/${update.id}`)).status).toBe(404);
  });

  it("are read by everybody of the account, change for nobody below READ_WRITE, and are not there for others", async () => {
    const id = await daily();
    const [{ id: occurrence }] = await occurrencesOf(id);
    const all = `/maintenance/${id}/occurrences`;
    const one = `${all}/${occurrence}`;
    const posts = [`${one}/move`, `${one}/skip`, `${one}/updates`];
    const sent = { startsAt: "2036-05-06T02:00", endsAt: "2036-05-06T06:30", description: "x", status: "SCHEDULED" };
    const before = JSON.stringify(await occurrencesOf(id));
    const reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
    for (const page of [all, one]) {
      const { status, text } = await reader.get(page);
      expect([status, text.includes(`action="${one}`), text.includes(`href="/maintenance/${id}"`)]).toEqual([200, false, false]);
    }
    for (const path of posts) expect([path, (await reader.post(path, sent)).status]).toEqual([path, 403]);
    await here.get(one);
    for (const path of posts) expect([path, (await here.post(path, { ...sent, csrf: "x" })).status]).toEqual([path, 403]);
    const other = await stranger(plane);
    await other.get("/maintenance");
    for (const path of [all, one]) expect((await other.get(path)).status).toBe(404);
    await other.get("/maintenance");
    for (const path of posts) expect([path, (await other.post(path, sent)).status]).toEqual([path, 404]);
    expect(JSON.stringify(await occurrencesOf(id))).toBe(before);
  });
});
