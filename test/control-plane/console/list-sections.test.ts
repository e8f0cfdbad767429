import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner } from "./people.ts";

interface SeenSection {
  readonly name: string;
  readonly sums: string;
  readonly isOpen: boolean;
  readonly fold: string;
  readonly checks: readonly string[];
}

describe("the list of checks in sections", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    const agents = new Map<string, FakeAgent>();
    for (const place of ["eu-west-1", "us-east-1"])
      agents.set(place, await FakeAgent.open(plane.base, await plane.locationKey(place), { checkTypes: ["API"] }));
    const make = async (name: string, changes: object): Promise<string> =>
      (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name, ...changes }) })).body.id;
    const run = async (checkId: string, badAt: string): Promise<void> => {
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
      for (const [at, agent] of agents) {
        for (const job of await agent.lease(5, 2))
          await agent.report(reportOf(job, at === badAt ? { hasFailures: true, errorMessage: "down" } : {}));
      }
    };
    const group = (await plane.call("POST", "/v1/check-groups", { body: { name: evil, concurrency: 1 } })).body.id;
    const both = ["eu-west-1", "us-east-1"];
    await run(await make("Pays", { tags: ["shop", "money"], locations: both, runParallel: true }), "us-east-1");
    await run(await make("Ships", { tags: ["shop"], locations: ["eu-west-1"], groupId: group }), "");
    await run(await make("Idle", { tags: [], locations: ["eu-west-1"], groupId: group, activated: false }), "");
    for (let no = 1; no <= 60; no += 1) await make(`Many ${no}`, { tags: ["many"], locations: ["eu-west-1"] });
    await plane.call("POST", "/v1/checks/tcp", {
      body: { name: "Port", tags: ["many"], request: { hostname: "db.internal", port: 5432 }, locations: ["eu-west-1"] },
    });
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const plain = (markup: string): string =>
    markup
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim();
  const seen = async (query: string): Promise<readonly SeenSection[]> => {
    const { text } = await owner.get(`/checks${query}`);
    expect(text).not.toContain(evil);
    return [...text.matchAll(/<section class="[a-z]+" aria-labelledby="s-.*?<\/section>/gs)].map(([one]) => ({
      name: plain(/<h2.*?<\/h2>/s.exec(one)?.[0] ?? ""),
      sums: plain(/<\/h2><p>.*?<\/p>/s.exec(one)?.[0] ?? ""),
      isOpen: one.includes('aria-expanded="true"'),
      fold: (/<h2[^>]*><a href="([^"]*)"/.exec(one)?.[1] ?? "").replaceAll("&amp;", "&"),
      checks: [...one.matchAll(/class="which"><a href="[^"]+">([^<]*)<\/a>/g)].map(([, name]) => name ?? ""),
    }));
  };
  const names = (sections: readonly SeenSection[]) => sections.map(({ name, checks }) => [name, checks.length]);

  it("stand by tag, the worst first, with what fails of all and the day's availability; a check stands under each of its tags", async () => {
    const sections = await seen("?by=tag");
    expect(sections.slice(0, 2).map(({ name, sums, checks }) => [name, sums, checks])).toEqual([
      ["money", "Failing 1 of 1 failing 50 % available in 24 h", ["Pays"]],
      ["shop", "Failing 1 of 2 failing 66.66 % available in 24 h", ["Pays", "Ships"]],
    ]);
    expect(names(sections).slice(2)).toEqual([["many", 47]]);
    expect(names(await seen("?by=tag&page=2"))).toEqual([
      ["many continued", 14],
      ["No tags", 1],
    ]);
    expect((await owner.get("/checks?by=tag&page=2")).text).toContain("Page 2 of 2, 64 checks");
  });

  it("fold by an address, one or all, and say the same when folded", async () => {
    const [money] = await seen("?by=tag");
    const folded = await seen(money?.fold.replace("/checks", "").split("#")[0] ?? "");
    expect(folded[0]).toMatchObject({ name: "money", isOpen: false, checks: [], sums: money?.sums });
    expect(folded[1]).toMatchObject({ name: "shop", isOpen: true });
    expect(folded[0]?.fold).toMatch(/^\/checks\?by=tag#s-/);
    const all = await seen("?by=tag&fold=all");
    expect(names(all)).toEqual([
      ["money", 0],
      ["shop", 0],
      ["many", 0],
      ["No tags", 0],
    ]);
    expect(names(await seen(all[1]?.fold.replace("/checks", "").split("#")[0] ?? ""))[1]).toEqual(["shop", 2]);
  });

  it("stand by location with the state at that location", async () => {
    const sections = await seen("?by=location&fold=all");
    expect(sections.map(({ name, sums }) => [name, sums])).toEqual([
      ["N. Virginia", "Failing 1 of 1 failing"],
      ["Ireland", "No data 0 of 64 failing"],
    ]);
    expect(names(await seen("?by=location&state=failing"))).toEqual([["N. Virginia", 1]]);
  });

  it("stand by group and by type, with filters and sorting, and lead to one section alone", async () => {
    expect((await seen("?by=group&q=ships+s")).map(({ name, sums }) => [name, sums])).toEqual([
      [expect.stringContaining("&lt;img"), "Passing 0 of 1 failing 100 % available in 24 h"],
    ]);
    expect(names(await seen("?by=type&tag=many&fold=all"))).toEqual([
      ["API", 0],
      ["TCP", 0],
    ]);
    expect((await seen("?by=tag&sort=name&fold=all")).map(({ name }) => name)).toEqual(["many", "money", "shop", "No tags"]);
    const { text } = await owner.get("/checks?by=type&tag=many&fold=all");
    expect(text).toContain('href="/checks?type=TCP&amp;tag=many">Show only these<span class="hidden">: TCP</span></a>');
  });

  it("are kept in saved views, and bulk actions take all that match", async () => {
    const saved = await owner.post("/checks/views", { name: "By tag", list: "by=tag&fold=all&but=none&but=nothing&q=many" });
    expect(saved.location).toBe("/checks?q=many&by=tag&fold=all&but=none");
    const { text } = await owner.get(saved.location ?? "");
    expect(text).toContain("Preview for all 61 matches");
    expect(text).toContain('<input type="hidden" name="by" value="tag">');
    expect((await owner.get("/checks/bulk?act=pause&scope=all&q=many&by=tag")).text).toContain("61 checks");
  });
});
