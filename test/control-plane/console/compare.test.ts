import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, quietMoment } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { firstOwner } from "./people.ts";

describe("charts of a check beside those of the week before", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let address = "";
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({}, quietMoment() - 7 * 24 * 3_600_000);
    const { body } = await plane.call("POST", "/v1/checks/api", {
      body: apiCheck({ locations: ["eu-west-1", "us-east-1"], runParallel: true, degradedResponseTime: 150, maxResponseTime: 9_000 }),
    });
    address = `/checks/${body.id}`;
    const run = async (timesMs: readonly number[]): Promise<void> => {
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: body.id } } });
      for (const [index, place] of ["eu-west-1", "us-east-1"].entries()) {
        const agent = await FakeAgent.open(plane.base, await plane.locationKey(place));
        const [job] = await agent.lease(1, 5);
        await agent.report(reportOf(job!, { responseTimeMs: timesMs[index] ?? 0 }));
      }
    };
    await run([100, 120]);
    plane.advance(7 * 24 * 3_600_000);
    await run([200, 220]);
    owner = await firstOwner(plane);
  }, 120_000);
  afterAll(() => plane[Symbol.asyncDispose]());

  it("are compared only where that is asked for", async () => {
    const { text } = await owner.get(`${address}?range=1h`);
    expect(text).toContain(`href="${address}?range=1h&amp;compare=week"`);
    expect(text).toContain("Compare with the week before");
    expect(text).toContain('data-past="[]"');
    expect(text).not.toContain("the week before</span>");
  });

  it("have each location's line of then, and the figures of then", async () => {
    const { text } = await owner.get(`${address}?range=1h&compare=week&location=us-east-1`);
    const past = JSON.parse(/data-past="([^"]*)"/.exec(text)?.[1]?.replaceAll("&quot;", '"') ?? "[]") as (number | null)[][];
    expect(past).toHaveLength(1);
    expect(past[0]?.filter((value) => value !== null)).toEqual([120]);
    expect(text).toMatch(/<dt>p95<\/dt><dd>2\d\d ms <span class="soft">1\d\d ms the week before<\/span>/);
    expect(text).toContain("p50 the week before");
    expect(text).toContain("Stop comparing");
    expect(text).toContain(`href="${address}?range=7d&amp;location=us-east-1&amp;compare=week"`);
    expect((await owner.get(`${address}?range=30d&compare=week`)).text).toContain("35 days before");
  });

  it("tell the limits of the check, and show each location by itself", async () => {
    const { text } = await owner.get(`${address}?range=1h`);
    expect(text).toContain("Degraded above 150 ms");
    expect(text).toMatch(/Failing above 9(\.0+)? s/);
    expect(text.match(/<line class="limit/g)).toHaveLength(1);
    expect(text).toContain("Each location by itself");
    expect(text.match(/aria-label="p50 of the response time at /g)).toHaveLength(2);
    expect((await owner.get(`${address}?range=1h&location=us-east-1`)).text).not.toContain("Each location by itself");
  });
});
