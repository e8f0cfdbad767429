import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

describe("error groups of test sessions", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it("come by themselves of what failed in a session that has ended, once for each reason", { timeout: 120_000 }, async () => {
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    for (const name of ["One", "Two", "Three"]) await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name, tags: ["shop"] }) });
    const body = {
      name: "Nightly",
      runLocation: "eu-west-1",
      target: { matchTags: [["shop"]] },
      metadata: { environment: "staging" },
    };
    const started = await plane.call("POST", "/v1/test-sessions/trigger", { body });
    expect(started).toMatchObject({ status: 201 });
    const jobs = (await agent.lease(100)).filter(({ payload }) => payload.runLocation === "eu-west-1");
    const outcomes = {
      One: { hasFailures: true, errorMessage: "Connection to 192.0.2.1:443 was refused" },
      Two: { hasFailures: true, errorMessage: "Connection to 192.0.2.2:443 was refused" },
      Three: {},
    };
    for (const job of jobs) await agent.report(reportOf(job, outcomes[job.payload.checkName as keyof typeof outcomes]));
    const groups = () => plane.call("GET", "/v1/test-session-error-groups");
    await expect.poll(async () => (await groups()).body.length, { timeout: 20_000 }).toBe(1);
    expect((await groups()).body).toMatchObject([
      {
        environments: ["staging"],
        projectId: null,
        rawErrorMessage: expect.stringMatching(/^Connection to 192\.0\.2\.[12]:443 was refused$/),
      },
    ]);
  });
});
