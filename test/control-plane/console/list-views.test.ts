import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner, joined } from "./people.ts";

describe("views of the list of checks", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let [pays, ships] = ["", ""];
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    const agents = new Map<string, FakeAgent>();
    for (const place of ["eu-west-1", "us-east-1"]) {
      agents.set(place, await FakeAgent.open(plane.base, await plane.locationKey(place), { checkTypes: ["API"] }));
    }
    const make = async (name: string, changes: object): Promise<string> =>
      (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name, ...changes }) })).body.id;
    const run = async (checkId: string, place: string, changes: object): Promise<void> => {
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
      for (const [at, agent] of agents) {
        for (const job of await agent.lease(5, 2)) await agent.report(reportOf(job, at === place ? changes : {}));
      }
    };
    pays = await make("Payments", { locations: ["eu-west-1", "us-east-1"], runParallel: true, tags: ["shop"] });
    ships = await make(evil, { locations: ["eu-west-1"] });
    await make("Never", { locations: ["us-east-1"] });
    await run(pays, "us-east-1", { hasFailures: true, errorMessage: "certificate of the Bank has expired" });
    await run(ships, "", {});
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const save = async (page: string, name: string) => {
    await owner.get(page);
    return owner.post("/checks/views", { name, list: page.split("?")[1] ?? "" });
  };

  it("show how each check stands at each location, and lead to the run that says so", async () => {
    const { text } = await owner.get("/checks?view=matrix");
    const rows = [...text.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => row);
    expect(rows).toHaveLength(3);
    const states = rows.map((row) =>
      [...row.matchAll(/<td>(.*?)<\/td>/gs)].map(
        ([, cell]) => /(Failing|Passing|No runs|does not run here)<?/.exec((cell ?? "").replace(/aria-label="[^"]*"/, ""))?.[1],
      ),
    );
    expect(states).toEqual([
      ["Passing", "Failing"],
      ["does not run here", "No runs"],
      ["Passing", "does not run here"],
    ]);
    expect(rows[0]).toMatch(new RegExp(`<a href="/checks/${pays}/results/[0-9a-f-]{36}" aria-label="Payments at [^"]+: Failing">`));
    expect(rows[0]).toContain(`href="/checks/${pays}?location=eu-west-1"`);
    expect(text).not.toContain(evil);
    expect(text).toContain('href="/checks?state=failing&amp;view=matrix"');
    expect((await owner.get("/checks?view=matrix&state=failing")).text.match(/<tr><th scope="row">/g)).toHaveLength(1);
  });

  it("find checks by the error that they fail with, beside those that the words name", async () => {
    const { text } = await owner.get("/checks?q=bank+EXPIRED");
    expect(text).toContain("1 check matches by its error");
    expect(text).toContain("certificate of the Bank has expired");
    expect(text).not.toContain("No checks match");
    expect((await owner.get("/checks?q=bank+payments")).text).not.toContain("by its error");
    expect((await owner.get("/checks?q=bank&tag=other")).text).not.toContain("by its error");
    expect((await owner.get("/checks?q=Payments")).text).not.toContain("by its error");
  });

  it("are kept under a name for everybody of the account, and deleted", async () => {
    const page = "/checks?state=failing&tag=shop&view=matrix";
    const saved = await save(page, evil);
    expect(saved.location).toBe(page);
    const reader = await joined(plane, owner, "reader@example.com", "READ_ONLY");
    const { text } = await reader.get("/checks");
    expect(text).toContain('<a href="/checks?state=failing&amp;tag=shop&amp;view=matrix">');
    expect(text).not.toContain(evil);
    expect(text).not.toContain("Save this view");
    expect((await reader.get(page)).text).not.toContain("Delete the view");
    for (const [name, told] of [
      ["", "Enter a name of 1 to 60 characters."],
      ["x".repeat(61), "Enter a name of 1 to 60 characters."],
      [evil, "Another saved view has this name."],
    ] as const) {
      const refused = await save("/checks?q=shop", name);
      expect((await owner.get(refused.location ?? "")).text).toContain(told);
    }
    expect((await owner.post("/checks/views/delete", { name: evil })).location).toBe("/checks");
    expect((await owner.get("/checks")).text).not.toContain("Saved views");
    expect(JSON.stringify((await plane.call("GET", "/v1/audit-log")).body)).toContain("saveView");
  });

  it("are at most thirty, and lead nowhere but to the list", async () => {
    for (let n = 1; n <= 30; n += 1) await save(`/checks?q=${n}&next=https://evil.example`, `View ${n}`);
    const { text } = await owner.get("/checks");
    expect(text).toContain('<a href="/checks?q=30">View 30</a>');
    expect(text).not.toContain("evil.example");
    const refused = await save("/checks?q=31", "View 31");
    expect((await owner.get(refused.location ?? "")).text).toContain("An account keeps at most 30 saved views.");
  });
});
