import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AttemptReport } from "../../src/contract/agent-protocol.ts";
import { type Client, createClient } from "../../src/contract/client.ts";
import { runCheck, runTrial } from "../../src/suites-cli/run-suite.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";

/* Waiting knows nothing of check types, so a type stands in here whose results any agent can report. */
let plane: ControlPlaneUnderTest;
let client: Client;
let agent: FakeAgent;
let id: string;
beforeAll(async () => {
  plane = await controlPlaneUnderTest();
  client = createClient({ baseUrl: plane.base, apiKey: plane.ownerKey });
  agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
  id = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: ["eu-west-1"] }) })).body.id;
});
afterAll(async () => {
  await plane[Symbol.asyncDispose]();
});

const told: string[] = [];
const tell = (link: string): void => {
  told.push(link);
};
const stay = (): void => undefined;

async function reported(changes: Partial<AttemptReport>): Promise<void> {
  const [job] = await agent.lease(1, 10);
  if (job === undefined) throw new Error("there is no job");
  await agent.report(reportOf(job, changes));
}

describe("waiting for a run", () => {
  it.each<[string, Partial<AttemptReport>, object]>([
    ["passed", {}, { status: "passed", reason: null, durationMs: 13 }],
    ["failed", { hasFailures: true, errorMessage: "2 tests failed" }, { status: "failed", reason: "2 tests failed" }],
    [
      "was spoiled by its agent",
      { hasErrors: true, agentSide: true, errorMessage: "no space left" },
      { status: "notRun", reason: "no space left" },
    ],
  ])("of a stored check tells that it %s", async (_title, changes, outcome) => {
    const run = runCheck(client, id, tell, stay);
    await reported(changes);
    const { link, outcomes } = (await run) ?? {};
    expect(link).toBe(told.at(-1));
    expect(link).toContain(`/checks/${id}/check-sessions/`);
    expect(outcomes).toMatchObject([{ location: "eu-west-1", link: expect.stringContaining("/check-results/"), ...outcome }]);
  });

  it.each<[string, Partial<AttemptReport>, object]>([
    ["passed", {}, { status: "passed" }],
    ["failed", { hasErrors: true, errorMessage: "install failed" }, { status: "failed", reason: "install failed" }],
  ])("of a check that is stored nowhere tells that it %s", async (_title, changes, outcome) => {
    const body = { checkType: "API" as const, name: "Tried", request: { method: "GET" as const, url: "http://127.0.0.1/" } };
    const run = runTrial(client, body, "eu-west-1", tell, stay);
    await reported(changes);
    const { link, outcomes } = await run;
    expect(link).toContain("/test-sessions/");
    expect(outcomes).toMatchObject([{ location: "eu-west-1", ...outcome }]);
  });

  it("goes on as long as the run does, and tells how long that is", async () => {
    const waited: number[] = [];
    const started = Promise.withResolvers<string>();
    const run = runCheck(client, id, started.resolve, (seconds) => {
      waited.push(seconds);
      if (waited.length === 1) void reported({});
    });
    await started.promise;
    expect((await run)?.outcomes).toMatchObject([{ status: "passed" }]);
    expect(waited).toEqual([10]);
  });

  it("outlasts a control plane that is away for a while", async () => {
    let refused = 0;
    const flaky: typeof fetch = async (input, init) => {
      if (refused > 0 || !(input instanceof URL && input.pathname.endsWith("/completion"))) return fetch(input, init);
      refused += 1;
      throw new TypeError("fetch failed");
    };
    const through = createClient({ baseUrl: plane.base, apiKey: plane.ownerKey, fetch: flaky });
    const run = runCheck(through, id, tell, stay);
    await reported({});
    expect([(await run)?.outcomes, refused]).toMatchObject([[{ status: "passed" }], 1]);
  });

  it("of a run that somebody cancelled has nothing to tell", async () => {
    const started = Promise.withResolvers<string>();
    const run = runCheck(client, id, started.resolve, stay);
    const session = (await started.promise).split("/").at(-1);
    await plane.call("POST", `/v1/check-sessions/${session}/cancel`, { body: {} });
    expect((await run)?.outcomes).toEqual([]);
  });

  it("begins nothing where the check is not activated", async () => {
    await client.updateApiCheck({ params: { id }, body: { activated: false } });
    expect(await runCheck(client, id, tell, stay)).toBeNull();
  });
});
