import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { firstOwner } from "./people.ts";

const project = { logicalId: "book-shop", name: "Book <shop>", repoUrl: "https://bot:hunter2@git.example.com/shop" };
const repoInfo = {
  commitId: "0123456789abcdef0123456789abcdef01234567",
  branchName: "main",
  commitOwner: "Ada",
  commitMessage: "secret plans",
};
const sourceFile = "checks/front.check.ts";
const resources = [
  { logicalId: "service", type: "status-page-service", payload: { name: "Shop" }, sourceFile },
  { logicalId: "page", type: "status-page", payload: { name: "Shop", url: "shop", cards: [] }, sourceFile },
  { logicalId: "mail", type: "alert-channel", payload: { type: "EMAIL", config: { address: "ops@example.com" } }, sourceFile },
  { logicalId: "group", type: "check-group", payload: { v: 2, name: "Shop" }, sourceFile },
  {
    logicalId: "front",
    type: "check",
    payload: {
      checkType: "URL",
      name: "Front",
      locations: ["eu-central-1"],
      request: { method: "GET", url: "https://shop.example.com/" },
    },
    sourceFile,
  },
  {
    logicalId: "night",
    type: "maintenance-window",
    payload: { name: "Night", tags: ["shop"], startsAt: "2030-01-01T00:00:00.000Z", endsAt: "2030-01-01T01:00:00.000Z" },
    sourceFile,
  },
  { logicalId: "office", type: "private-location", payload: { name: "Office", slugName: "office" }, sourceFile },
  { logicalId: "board", type: "dashboard", payload: { customUrl: "shop", header: "Shop" }, sourceFile },
];

/** Pages of an object of each type, and whether they change it. */
const pagesOf: Readonly<Record<string, readonly (readonly [path: string, changes: boolean])[]>> = {
  check: [
    ["/checks/{id}", false],
    ["/checks/{id}/edit", true],
    ["/checks/{id}/delete", true],
  ],
  "check-group": [
    ["/groups/{id}", false],
    ["/groups/{id}/edit", true],
  ],
  "alert-channel": [["/channels/{id}", true]],
  "maintenance-window": [["/maintenance/{id}", true]],
  "private-location": [["/locations/{id}", false]],
  dashboard: [["/pages/dashboards/{id}", true]],
  "status-page": [["/pages/status/{id}", true]],
  "status-page-service": [["/pages/services/{id}", true]],
};

describe("what code owns", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const deploy = async (query = "?scheduleOnDeploy=false", body: object = { project, resources, repoInfo }) => {
    const answer = await plane.call("POST", `/next-v2/projects/deploy${query}`, { body });
    expect(answer.status).toBe(200);
    return answer.body.diff as { type: string; physicalId: string | number }[];
  };

  it("says so on each of its pages, where it comes from, and warns where it is changed by hand", async () => {
    for (const { type, physicalId } of await deploy()) {
      const pages = pagesOf[type] ?? [];
      expect([type, pages]).not.toEqual([type, []]);
      for (const [path, changes] of pages) {
        const { status, text } = await owner.get(path.replace("{id}", String(physicalId)));
        expect([path, status]).toEqual([path, 200]);
        expect([path, text.includes("Code owns this.")]).toEqual([path, changes]);
        expect([path, text.includes("Owned by code.")]).toEqual([path, !changes]);
        for (const told of ["Book &lt;shop&gt;", "checks/front.check.ts", "git.example.com/shop", "0123456789ab", "main"])
          expect([path, told, text.includes(told)]).toEqual([path, told, true]);
        expect(text).not.toContain("hunter2");
        expect(text).not.toContain("secret plans");
      }
    }
  });

  it("is nobody's once it is let go, and a preview marks nothing", async () => {
    const physicalId = (await deploy()).find(({ type }) => type === "check")?.physicalId ?? "";
    const isMarked = async () => (await owner.get(`/checks/${physicalId}/edit`)).text.includes("Code owns this.");
    expect(await isMarked()).toBe(true);
    const inList = async () => (await owner.get("/checks")).text.includes("owned by code: Book &lt;shop&gt;");
    expect(await inList()).toBe(true);
    await deploy("?dryRun=true&preserveResources=true", { project, resources: [], repoInfo: { commitId: "zz-preview" } });
    expect(await isMarked()).toBe(true);
    expect((await owner.get(`/checks/${physicalId}`)).text).not.toContain("zz-preview");
    await deploy("?preserveResources=true", { project, resources: [] });
    expect([await isMarked(), await inList()]).toEqual([false, false]);
  });

  it("stays marked where what was typed was refused; what people made is nobody's", async () => {
    const physicalId = (await deploy()).find(({ type }) => type === "alert-channel")?.physicalId ?? "";
    await owner.get(`/channels/${physicalId}`);
    const refused = await owner.post(`/channels/${physicalId}`, { type: "EMAIL", address: "" });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("Code owns this.");
    const by = await plane.call("POST", "/v1/alert-channels", { body: { type: "EMAIL", config: { address: "hand@example.com" } } });
    expect((await owner.get(`/channels/${by.body.id}`)).text).not.toContain("code-owner");
  });
});
