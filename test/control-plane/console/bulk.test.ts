import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { firstOwner, joined } from "./people.ts";

describe("acts on many checks", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const make = async (changes: object = {}): Promise<string> =>
    (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id;
  const read = async (id: string) => (await plane.call("GET", `/v1/checks/${id}`)).body;
  /** What the form with this button sends. */
  const formWith = (text: string, button: string): Record<string, string> => {
    const forms = [...text.matchAll(/<form method="post" action="\/checks\/bulk"[^]*?<\/form>/g)].map(([form]) => form);
    const form = forms.find((one) => one.includes(`>${button}`)) ?? "";
    return Object.fromEntries([...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]));
  };

  it("are shown before they are done, to all that match beyond the page, and undone by one button", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 51; n += 1) ids.push(await make({ name: `Shop ${n}`, tags: ["shop"], ...(n === 0 && { activated: false }) }));
    const other = await make({ name: "Other" });
    expect((await owner.get("/checks?tag=shop")).text).toContain("Preview for all 51 matches");
    const preview = await owner.get("/checks/bulk?tag=shop&act=pause&scope=all");
    expect(preview.text).toContain("50 checks will change. 1 check of the selection is so already");
    expect(preview.text).toContain("Shop 50</a>: active → inactive");
    expect(await read(ids[50] ?? "")).toMatchObject({ activated: true });
    // What matches only after the preview is not touched.
    const late = await make({ name: "Late", tags: ["shop"] });
    const done = await owner.post("/checks/bulk", formWith(preview.text, "Pause: 50 checks"));
    expect(done.text).toContain("50 checks changed.");
    for (const id of ids) expect(await read(id)).toMatchObject({ activated: false });
    for (const id of [late, other]) expect(await read(id)).toMatchObject({ activated: true });
    const undone = await owner.post("/checks/bulk", formWith(done.text, "Undo (resume 50 checks)"));
    expect(undone.text).toContain("50 checks changed.");
    expect(await Promise.all(ids.map(async (id) => (await read(id)).activated))).toEqual(ids.map((_, n) => n > 0));
    const log = (await plane.call("GET", "/v1/audit-log?limit=100")).text;
    expect(log.match(/"updateApiCheck"/g)?.length).toBe(100);
  });

  it("mute, unmute, tag and delete the checks that are ticked, and no others", async () => {
    const [first, second, third] = [
      await make({ name: "First" }),
      await make({ name: "Second", muted: true }),
      await make({ name: "Third" }),
    ];
    const ticked = `check=${first}&check=${second}`;
    const act = async (name: string, more = "") => {
      const { text } = await owner.get(`/checks/bulk?${ticked}&act=${name}${more}`);
      return owner.post("/checks/bulk", formWith(text, ""));
    };
    expect((await act("mute-8")).text).toContain("1 check changed.");
    const list = (await owner.get("/checks")).text;
    expect(list.match(/muted until/g)).toHaveLength(1);
    expect((await act("unmute")).text).toContain("2 checks changed.");
    expect((await owner.get("/checks")).text).not.toContain("muted");
    expect(await read(second)).toMatchObject({ muted: false });
    expect((await act("tag", "&value=eu")).text).toContain("2 checks changed.");
    expect([await read(first), await read(third)]).toMatchObject([{ tags: ["eu"] }, { tags: [] }]);
    await act("untag", "&value=eu");
    expect(await read(first)).toMatchObject({ tags: [] });
    const asked = await owner.get(`/checks/bulk?${ticked}&act=delete`);
    expect(asked.text).toContain("This cannot be undone.");
    const gone = await owner.post("/checks/bulk", formWith(asked.text, "Delete: 2 checks"));
    expect(gone.text).not.toContain("Undo");
    expect((await plane.call("GET", "/v1/checks")).body.map(({ name }: { name: string }) => name)).toEqual(["Third"]);
  });

  it("move to a group, and set the frequency, channels and locations, each as an update of REST does", async () => {
    const [id, other] = [await make({ name: "One", locations: ["eu-west-1"] }), await make({ name: "Two" })];
    await plane.locationKey("us-east-1");
    const group = (await plane.call("POST", "/v1/check-groups", { body: { name: "Shop" } })).body.id;
    const channel = (
      await plane.call("POST", "/v1/alert-channels", {
        body: { type: "EMAIL", config: { address: "a@example.com" }, autoSubscribe: false },
      })
    ).body.id;
    const act = async (name: string, value: string) => {
      const asked = await owner.get(`/checks/bulk?check=${id}&act=${name}&value=a+tag`);
      expect(asked.text).toContain(`<option value="${value}"`);
      expect(asked.text).toContain(`<input type="hidden" name="check" value="${id}">`);
      const { text } = await owner.get(`/checks/bulk?check=${id}&act=${name}&value=${encodeURIComponent(value)}`);
      const done = await owner.post("/checks/bulk", formWith(text, ""));
      expect(done.text).toContain("1 check changed.");
      return done.text;
    };
    const before = await read(other);
    expect(await act("group", String(group))).not.toContain("Undo");
    await act("frequency", "0/20");
    const subscribed = await act("subscribe", String(channel));
    await act("add-location", "center/us-east-1");
    expect(await read(id)).toMatchObject({ groupId: group, frequency: 0, frequencyOffset: 20, locations: ["eu-west-1", "us-east-1"] });
    expect((await read(id)).alertChannelSubscriptions).toMatchObject([{ alertChannelId: channel, activated: true }]);
    await owner.post("/checks/bulk", formWith(subscribed, "Undo"));
    await act("remove-location", "center/us-east-1");
    await act("group", "none");
    expect(await read(id)).toMatchObject({ groupId: null, locations: ["eu-west-1"], alertChannelSubscriptions: [] });
    expect(await read(other)).toEqual(before);
    const bad = await owner.post("/checks/bulk", { act: "group", value: "9999", ids: id });
    expect([bad.status, bad.text.includes("received “9999”")]).toEqual([400, true]);
  });

  it("tell what was refused, as REST refuses it, and go on with the others", async () => {
    const nowhere = await make({ name: "Nowhere", activated: false, locations: [] });
    const fine = await make({ name: "Fine", activated: false });
    const { body } = await plane.call("PUT", `/v1/checks/api/${nowhere}`, { body: { activated: true } });
    await owner.get("/checks");
    const done = await owner.post("/checks/bulk", { act: "resume", ids: [nowhere, fine, crypto.randomUUID()].join(",") });
    expect(done.text).toContain("1 check changed.");
    expect(done.text).toContain("2 checks refused:");
    expect(done.text).toContain(`<a href="/checks/${nowhere}">Nowhere</a>: `);
    const told = /Nowhere<\/a>: ([^<]*)/.exec(done.text)?.[1] ?? "";
    expect(told.replaceAll("&quot;", '"').replaceAll("&#39;", "'")).toBe(body.message);
    expect(await read(fine)).toMatchObject({ activated: true });
  });

  it("ask for the tag that the list did not say, with what was ticked, and say in the console that nothing was", async () => {
    const ids = [await make({ name: "First" }), await make({ name: "Second" })];
    const asked = await owner.get(`/checks/bulk?q=s&check=${ids[0]}&check=${ids[1]}&act=tag&value=&scope=chosen`);
    expect([asked.status, asked.text.includes('<nav aria-label="Pages">')]).toEqual([400, true]);
    expect(asked.text).toContain("Enter a tag of 1 to 255 characters, without a comma.");
    expect([...asked.text.matchAll(/name="check" value="([^"]+)"/g)].map(([, id]) => id)).toEqual(ids);
    const form = /<form method="get" action="\/checks\/bulk"[^]*?<\/form>/.exec(asked.text)?.[0] ?? "";
    const fields = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
    const preview = await owner.get(`/checks/bulk?${new URLSearchParams([...fields, ["value", "eu"]]).toString()}`);
    expect(preview.text).toContain("2 checks will change.");

    const nothing = await owner.get("/checks/bulk?q=s&act=group&scope=chosen");
    expect([nothing.status, nothing.text.includes('<nav aria-label="Pages">')]).toEqual([400, true]);
    expect(nothing.text).toContain("No checks are selected");
    expect(nothing.text).toContain('<a href="/checks?q=s">Back to the list</a>');
  });

  it("are for those who may write, and for checks of their account; bad input is named", async () => {
    const id = await make();
    const reader = await joined(plane, owner, "reader@example.com", "READ_RUN");
    const list = (await reader.get("/checks")).text;
    expect(list).not.toContain('name="check"');
    expect(list).not.toContain("/checks/bulk");
    expect((await reader.get(`/checks/bulk?check=${id}&act=pause`)).status).toBe(403);
    expect((await reader.post("/checks/bulk", { act: "pause", ids: id })).status).toBe(403);
    const bad = await owner.get(`/checks/bulk?check=${id}&act=explode`);
    expect([bad.status, bad.text.includes("received “explode”")]).toEqual([400, true]);
    expect((await owner.get("/checks/bulk?act=pause")).text).toContain("No checks are selected");
    const tag = await owner.get(`/checks/bulk?check=${id}&act=tag&value=a%2Cb`);
    expect([tag.status, tag.text.includes('id="value-problem">Enter a tag'), tag.text.includes('value="a,b"')]).toEqual([400, true, true]);
    await owner.get("/checks");
    const stranger = await owner.post("/checks/bulk", { act: "mute-1", ids: crypto.randomUUID() });
    expect(stranger.text).toContain("0 checks changed.");
    const forged = await owner.post("/checks/bulk", { act: "pause", ids: id, csrf: "made up" });
    expect(forged.status).toBe(403);
  });
});
