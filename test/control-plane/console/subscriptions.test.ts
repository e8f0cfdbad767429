import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

describe("whom checks alert", () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  let shop: string;
  let search: string;
  let group: number;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
    const make = async (changes: object) => (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id;
    shop = await make({ name: `Shop ${evil}`, tags: ["web"] });
    search = await make({ name: "Search", tags: ["web", "find"] });
    group = (await plane.call("POST", "/v1/check-groups", { body: { name: `Group ${evil}` } })).body.id;
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const channel = async (): Promise<number> => {
    const config = { name: "Chat", url: "https://chat.example.com/", webhookSecret: "kept" };
    return (await plane.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config } })).body.id;
  };
  const of = async (id: number) => {
    const { body } = await plane.call("GET", `/v1/alert-channels/${id}`);
    return body.subscriptions.map(({ checkId, groupId, activated }: Record<string, unknown>) => [checkId ?? groupId, activated]);
  };

  describe("chosen at the channel", () => {
    it("are the checks and groups that are ticked; what the page does not show stays", async () => {
      const id = await channel();
      const path = `/channels/${id}/checks`;
      const { text } = await here.get(path);
      expect([activeParts(text), text.includes("Shop &lt;img"), text.includes("Group &lt;img")]).toEqual([[], true, true]);
      const shown = [...text.matchAll(/name="shown" value="([^"]+)"/g)].map(([, target = ""]) => target);
      expect(shown).toEqual([`group:${group}`, `check:${search}`, `check:${shop}`]);
      const saved = await here.post(path, { shown, target: [`group:${group}`, `check:${shop}`] });
      expect(saved.location).toBe(`${path}?done=saved`);
      expect(new Map(await of(id))).toEqual(
        new Map<unknown, boolean>([
          [group, true],
          [shop, true],
        ]),
      );
      await here.get(`${path}?q=sear`);
      await here.post(path, { q: "sear", shown: `check:${search}`, target: `check:${search}` });
      await here.post(path, { shown: [`check:${shop}`, `check:${search}`], target: `check:${search}` });
      expect(new Map(await of(id))).toEqual(
        new Map<unknown, boolean>([
          [group, true],
          [search, true],
        ]),
      );
      expect((await plane.call("GET", `/v1/alert-channels/${id}`)).body.config).toMatchObject({ name: "Chat", webhookSecret: "********" });
      expect((await here.get(path)).text).toMatch(new RegExp(`value="check:${search}" checked`));
    });

    it("are all that a filter finds, at once", async () => {
      const id = await channel();
      const path = `/channels/${id}/checks`;
      expect((await here.get(`${path}?tag=find`)).text).toContain("Subscribe to 1 check found");
      const saved = await here.post(path, { tag: "find", every: "on" });
      expect([saved.location, await of(id)]).toEqual([`${path}?tag=find&done=saved`, [[search, true]]]);
      await here.post(path, { every: "on" });
      expect(new Set((await of(id)).map(([target]: [string]) => target))).toEqual(new Set([shop, search]));
      await here.post(path, { tag: "find", every: "off" });
      expect(await of(id)).toEqual([[shop, true]]);
    });

    it("keep a subscription that is there and not activated, until it is ticked", async () => {
      const id = await channel();
      const path = `/channels/${id}/checks`;
      await plane.call("PUT", `/v1/alert-channels/${id}/subscriptions`, { body: { checkId: shop, activated: false } });
      await here.get(path);
      await here.post(path, { shown: `check:${shop}` });
      expect(await of(id)).toEqual([[shop, false]]);
      await here.post(path, { shown: `check:${shop}`, target: `check:${shop}` });
      expect(await of(id)).toEqual([[shop, true]]);
    });

    it("change for nobody below READ_WRITE, of another account, or without the form's token", async () => {
      const id = await channel();
      const path = `/channels/${id}/checks`;
      const reader = await keyHolder(plane, await plane.keyFor("READ_RUN"));
      const other = await stranger(plane);
      expect([(await reader.get(path)).status, (await other.get(path)).status]).toEqual([403, 404]);
      await reader.get("/channels");
      await other.get("/channels");
      const refused = [
        await reader.post(path, { every: "on" }),
        await other.post(path, { every: "on" }),
        await here.post(path, { csrf: "x", every: "on" }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([403, 404, 403]);
      const foreign = await here.post(path, { target: `check:${crypto.randomUUID()}` });
      expect([foreign.status, await of(id)]).toEqual([400, []]);
    });
  });

  describe("chosen at the check", () => {
    const fields = { type: "URL", name: "New", "request.url": "https://a.example.com/", interval: "1440" };
    const subscribed = async (checkId: string) => (await plane.call("GET", `/v1/checks/${checkId}`)).body.alertChannelSubscriptions;

    it("are the channels that are ticked, at first those that subscribe to every check; those that the form did not show stay", async () => {
      const [one, two] = [await channel(), await channel()];
      const { text } = await here.get("/checks/new?type=URL");
      expect(text.match(/name="alertChannels" value="\d+" checked/g)).toBeNull();
      const shown = [String(one), String(two)];
      const made = await here.post("/checks/new", { ...fields, "alertChannels.shown": shown, alertChannels: String(one) });
      const id = made.location?.split("/")[2] ?? "";
      expect(await subscribed(id)).toEqual([{ alertChannelId: one, activated: true }]);
      const none = await here.post("/checks/new", { ...fields, "alertChannels.shown": shown });
      expect(await subscribed(none.location?.split("/")[2] ?? "")).toEqual([]);
      await here.post(`/checks/${id}/edit`, { ...fields, "alertChannels.shown": String(two), alertChannels: String(two) });
      expect(new Set(await subscribed(id))).toEqual(
        new Set([
          { alertChannelId: one, activated: true },
          { alertChannelId: two, activated: true },
        ]),
      );
      await here.post(`/checks/${id}/edit`, { ...fields, "alertChannels.shown": shown });
      expect(await subscribed(id)).toEqual([]);
    });

    it("stay chosen where something else is wrong", async () => {
      const [one, two] = [await channel(), await channel()];
      await here.get("/checks/new?type=URL");
      const shown = [String(one), String(two)];
      const { status, text } = await here.post("/checks/new", {
        ...fields,
        name: "",
        "alertChannels.shown": shown,
        alertChannels: String(two),
      });
      expect(status).toBe(400);
      expect(text).toMatch(new RegExp(`name="alertChannels" value="${two}" checked`));
      expect(text).toMatch(new RegExp(`name="alertChannels" value="${one}">`));
    });
  });
});
