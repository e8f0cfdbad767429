import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkDetails } from "../../support/check-details.ts";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner } from "./people.ts";

const shown = "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;";

describe("the page of a run of an agentic check", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let agent: FakeAgent;
  let checkId: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), {
      checkTypes: ["AGENTIC"],
      runtimes: ["2026.04"],
      sandboxLevel: 2,
    });
    const body = { checkType: "AGENTIC", name: "Greets", prompt: "Open https://shop.example/.", locations: ["eu-west-1"], frequency: 1440 };
    checkId = (await plane.call("POST", "/v1/checks", { body })).body.id;
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  async function run(detail: object, changes: object = {}): Promise<string> {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, { detail, ...changes }));
    const { entries } = (await plane.call("GET", `/v2/check-results/${checkId}?limit=1`)).body;
    return entries[0].id;
  }

  it("tells the report, assertions with their evidence, and each step", async () => {
    const id = await run(checkDetails.AGENTIC);
    const { text } = await owner.get(`/checks/${checkId}/results/${id}`);
    for (const part of ["The shop greets Ann.", "Led by the model", "a greeting is shown", "Hello, Ann", "browser_open", "Name the page"])
      expect(text).toContain(part);
    const replayed = await run({ ...checkDetails.AGENTIC, mode: "replay" });
    expect((await owner.get(`/checks/${checkId}/results/${replayed}`)).text).toContain("without the model");
  });

  it("shows what pages and models wrote as text", async () => {
    const [step] = checkDetails.AGENTIC.steps;
    const hostile = {
      ...checkDetails.AGENTIC,
      summary: evil,
      assertions: [{ condition: evil, passed: false, expected: evil, actual: evil }],
      steps: [
        { ...step, name: evil, input: { [evil]: evil } },
        { ...step, type: "tool_result", output: evil, sequenceNumber: 1 },
      ],
      suggestions: [{ summary: evil, category: "endpoint", promptReplacement: evil, secrets: [evil] }],
      errors: [{ code: "EMODEL", message: evil }],
      jobLog: [{ time: 1, level: "INFO", msg: evil }],
    };
    const id = await run(hostile, { hasFailures: true, errorMessage: evil });
    const text = withoutOurScripts((await owner.get(`/checks/${checkId}/results/${id}`)).text);
    expect(text).not.toContain(evil);
    expect(text.split(shown).length).toBeGreaterThan(8);
  });

  it("takes over a suggested prompt where somebody says so, and never by itself", async () => {
    const id = await run(checkDetails.AGENTIC);
    const prompt = async (): Promise<string> => (await plane.call("GET", `/v1/checks/${checkId}`)).body.prompt;
    expect(await prompt()).toBe("Open https://shop.example/.");
    const path = `/checks/${checkId}/results/${id}/suggestions`;
    expect((await owner.post(`${path}/7`, {})).status).toBe(404);
    expect((await owner.post(`${path}/0`, {})).location).toBe(`/checks/${checkId}/edit`);
    expect(await prompt()).toBe("Open https://shop.example/in.");
  });

  it("keeps what a job of the check may keep, by the key that it came with", async () => {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    const { jobId, fence, payload } = job!;
    const { plan } = payload as { plan: { key: string; kept: unknown } };
    expect(plan).toEqual({ key: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown, kept: null });
    const made = { version: 1, summary: "", steps: [{ tool: "browser_open", input: { url: "https://shop.example/" } }], assertions: [] };
    const keep = (body: object) => agent.send("POST", "/plans/keep", { jobId, fence, key: plan.key, plan: made, ...body });
    expect((await keep({ fence: fence + 1 })).status).toBe(409);
    expect(
      (
        await keep({
          plan: {
            ...made,
            summary: "x".repeat(10_000),
            steps: Array.from({ length: 200 }, () => ({ tool: "browser_open", input: { url: "x".repeat(900) } })),
          },
        })
      ).status,
    ).toBe(413);
    expect((await keep({})).status).toBe(200);
    await agent.report(reportOf(job!, { detail: checkDetails.AGENTIC }));
    const next = async (): Promise<unknown> => {
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
      const [again] = await agent.lease(1, 5);
      await agent.report(reportOf(again!, { detail: checkDetails.AGENTIC }));
      return (again!.payload as { plan: { kept: unknown } }).plan.kept;
    };
    expect(await next()).toEqual(made);
    await plane.call("PUT", `/v1/checks/${checkId}`, { body: { prompt: "Open https://shop.example/other." } });
    expect(await next()).toBeNull();
  });
});
