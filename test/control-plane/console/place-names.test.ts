import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { firstOwner } from "./people.ts";

describe("pages of the console", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let checkId: string;
  let resultId: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    await plane.call("POST", "/v1/private-locations", { body: { name: "Berlin office", slugName: "bln-4711" } });
    const check = { ...apiCheck(), locations: [], privateLocations: ["bln-4711"] };
    checkId = (await plane.call("POST", "/v1/checks/api", { body: check })).body.id;
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("bln-4711"));
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, { hasFailures: true, errorMessage: "expected 200, got 503" }));
    resultId = (await plane.call("GET", `/v2/check-results/${checkId}?limit=1`)).body.entries[0].id;
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  it("call a location by its name, and not by its slug", async () => {
    await owner.get(`/checks/${checkId}/results/${resultId}`); // a form goes from a page
    const { text: sharing } = await owner.post(`/checks/${checkId}/results/${resultId}/share`, { lasts: "7d" });
    const shared = /\/shared\/runs\/[\w.-]+/.exec(sharing)?.[0] ?? "";
    for (const path of [`/checks/${checkId}`, `/checks/${checkId}/results/${resultId}`, "/alerts", "/alerts/log", shared]) {
      const { status, text } = await owner.get(path);
      const read = text.replaceAll(/<(style|script)\b.*?<\/\1>/gs, "").replaceAll(/<[^>]+>/g, " ");
      expect([path, status, read.includes("Berlin office"), read.includes("bln-4711")]).toEqual([path, 200, true, false]);
    }
  });
});
