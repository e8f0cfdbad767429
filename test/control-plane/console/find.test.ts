import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner, joined } from "./people.ts";

describe("the search over everything", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let checkId: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    const post = async (path: string, body: object) => (await plane.call("POST", path, { body })).body;
    checkId = (await post("/v1/checks/api", apiCheck({ name: "Cart", request: { method: "GET", url: "https://pay.shop.example/basket" } })))
      .id;
    for (let n = 0; n < 20; n += 1) await post("/v1/checks/api", apiCheck({ name: `Twenty ${n}` }));
    await post("/v1/check-groups", { name: "Basket team" });
    await post("/v1/private-locations", { name: "Basket hall", slugName: "hall" });
    await post("/v1/alert-channels", { type: "EMAIL", config: { address: "basket@example.com" } });
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const found = async (who: Browser, words: string): Promise<readonly string[]> =>
    [...(await who.get(`/find?q=${encodeURIComponent(words)}`)).text.matchAll(/<li><a href="([^"]+)"><span>([^<]*)<\/span>/g)].map(
      ([, href = "", name = ""]) => `${name} ${href.replace(/[0-9a-f-]{36}|\d+$/, "…")}`,
    );

  it("finds checks by name, address and id, groups, locations, channels and pages", async () => {
    expect(await found(owner, "basket")).toEqual([
      "Cart /checks/…",
      "Basket team /groups/…",
      "Basket hall /locations/…",
      expect.stringMatching(/basket.* \/channels\/…$/),
    ]);
    expect(await found(owner, checkId)).toEqual(["Cart /checks/…"]);
    expect(await found(owner, "PAY.shop cart")).toEqual(["Cart /checks/…"]);
    expect(await found(owner, "audit")).toEqual(["Audit log /audit"]);
    expect(await found(owner, "new check")).toContain("New check /checks/new");
    expect(await found(owner, "")).toEqual([]);
  });

  it("leads on to the list where there are more checks than it shows", async () => {
    const lines = await found(owner, "twenty");
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe("Show all 20 checks that match /checks?q=twenty");
  });

  it("offers nobody what his role does not allow", async () => {
    const reader = await joined(plane, owner, "reader@example.com", "READ_ONLY");
    expect(await found(reader, "audit")).toEqual([]);
    expect(await found(reader, "new check")).toEqual([]);
    expect(await found(reader, "cart")).toEqual(["Cart /checks/…"]);
  });

  it("answers a script with the list alone, and shows no markup that was typed", async () => {
    const answer = await owner.get("/find?q=cart", { accept: "application/json" });
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(JSON.parse(answer.text).html).toMatch(/^<div>[^]*Cart[^]*<\/div>$/);
    expect((await owner.get(`/find?q=${encodeURIComponent(evil)}`)).text).not.toContain(evil);
  });
});
