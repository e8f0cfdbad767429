import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyticsPathOf, analyticsPaths } from "#contract/analytics-metrics.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { CheckTypeName } from "#contract/primitives.ts";
import { checkTypesInConsole } from "../../../src/control-plane/console/check-types/index.ts";
import { columnOf } from "../../../src/control-plane/figures/analytics-columns.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { firstOwner } from "./people.ts";

describe("the list of checks", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), { checkTypes: ["API"] });
    const make = async (changes: object): Promise<string> =>
      (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id;
    const ids = [
      await make({ name: "Bee 10", tags: ["Hive"] }),
      await make({ name: "Ant" }),
      await make({ name: "Bee 9", request: { method: "GET", url: "https://Meadow.example:8443/flowers" } }),
    ];
    for (const [index, checkId] of ids.slice(0, 2).entries()) {
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
      const [job] = await agent.lease(1, 5);
      const startedAt = Date.now() - 10_000 + index * 1_000;
      await agent.report(
        reportOf(job!, { startedAt, stoppedAt: startedAt + 5, ...(index === 0 && { hasFailures: true, errorMessage: "down" }) }),
      );
    }
    await plane.call("POST", "/v1/checks/tcp", {
      body: { name: "Port", request: { hostname: "db.internal", port: 5432 }, locations: ["eu-west-1"] },
    });
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const names = async (query: string): Promise<readonly string[]> =>
    [...(await owner.get(`/checks${query}`)).text.matchAll(/class="which"><a href="[^"]+">([^<]*)<\/a>/g)].map(([, name]) => name ?? "");

  it.each([
    ["?sort=name", ["Ant", "Bee 9", "Bee 10", "Port"]],
    ["?sort=oldest", ["Bee 9", "Port", "Bee 10", "Ant"]],
    ["?sort=nothing", ["Bee 10", "Bee 9", "Port", "Ant"]],
    ["?sort=name&state=failing", ["Bee 10"]],
  ])("%s is in the order %j", async (query, expected) => expect(await names(query)).toEqual(expected));

  it.each([
    ["meadow.example", ["Bee 9"]],
    [":8443/FLOW", ["Bee 9"]],
    ["hive", ["Bee 10"]],
    ["db.internal", ["Port"]],
    ["5432", ["Port"]],
    ["eu-west bee", ["Bee 10", "Bee 9"]],
    ["hive ant", []],
  ])("finds %s", async (words, expected) => expect(await names(`?q=${encodeURIComponent(words)}`)).toEqual(expected));

  it("keeps the order in links that change something else", async () => {
    const { text } = await owner.get("/checks?sort=name");
    expect(text).toContain('href="/checks?state=failing&amp;sort=name"');
    expect(text).toContain('<option value="name" selected>Sort: name</option>');
  });
});

describe("times of the list", { timeout: 120_000 }, () => {
  it.each(CheckTypeName.options)("are those of the page of a check, of type %s", (type) => {
    const path = analyticsPathOf(type);
    const metrics: Readonly<Record<string, { readonly kept: string | null }>> = path === undefined ? {} : analyticsPaths[path].metrics;
    const time = checkTypesInConsole[type].measures?.time;
    expect(columnOf(type, traitsOf(type).shownTime)).toBe(time === undefined ? null : columnOf(type, metrics[time]?.kept ?? null));
  });

  it("are none where a port is closed, which the check notices in half a millisecond", async () => {
    await using plane = await controlPlaneUnderTest();
    const owner = await firstOwner(plane);
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), { checkTypes: ["TCP"] });
    const body = { name: "Port", request: { hostname: "db.internal", port: 5432 }, locations: ["eu-west-1"] };
    const { id } = (await plane.call("POST", "/v1/checks/tcp", { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    const startedAt = Date.now() - 10_000;
    const metrics = { dns: 0.1, connection: null, data: null, total: null };
    const closed = { startedAt, stoppedAt: startedAt + 1, responseTimeMs: 0.5, hasFailures: true, errorMessage: "closed", metrics };
    await agent.report(reportOf(job!, closed));
    const { text } = await owner.get("/checks");
    expect([...text.matchAll(/<dt>p\d\d<\/dt><dd>([^<]*)/g)].map(([, time]) => time)).toEqual(["–", "–"]);
  });
});
