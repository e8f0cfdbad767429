import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkDetails } from "../../support/check-details.ts";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil, keyHolder } from "./key-holder.ts";
import { firstOwner } from "./people.ts";

const [first, before, after, last] = [
  'test("x", async ({ page }) => {',
  '  await page.getByRole("link", { name: "Sign in" }).click();',
  '  await page.getByRole("link", { name: "Log in" }).click();',
  "});",
] as const;
const suggestion = { category: "selector", summary: "The page has “Log in”.", file: "check.spec.ts", line: 2, before, after } as const;

describe.each(["BROWSER", "MULTI_STEP"] as const)("suggestions of a %s check's run", { timeout: 60_000 }, (checkType) => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let agent: FakeAgent;
  let checkId: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    const offers = { checkTypes: [checkType], runtimes: ["2026.04"], sandboxLevel: 2 };
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), offers);
    const script = [first, before, last].join("\n");
    const body = { name: "Greets", script, locations: ["eu-west-1"], frequency: 1440, runtimeId: "2026.04" };
    const path = checkType === "BROWSER" ? "browser" : "multistep";
    checkId = (await plane.call("POST", `/v1/checks/${path}`, { body })).body.id;
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  /** @returns the page of a run that suggests this */
  async function run(...suggestions: readonly object[]): Promise<string> {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    const detail = { ...checkDetails[checkType], suggestions };
    await agent.report(reportOf(job!, { detail, hasFailures: true, errorMessage: "Timeout" }));
    const { entries } = (await plane.call("GET", `/v2/check-results/${checkId}?limit=1`)).body;
    return `/checks/${checkId}/results/${entries[0].id}`;
  }
  const script = async (): Promise<string> => (await plane.call("GET", `/v1/checks/${checkId}`)).body.script;

  it("are shown as a difference, told over REST, and taken over only where somebody says so", async () => {
    const page = await run(suggestion);
    const { text } = await owner.get(page);
    for (const part of ["Suggestions", "- " + before, "+ " + after]) expect(text).toContain(part.replaceAll('"', "&quot;"));
    const [, id = ""] = /results\/(.*)/.exec(page) ?? [];
    const { browserCheckResult, multiStepCheckResult } = (await plane.call("GET", `/v1/check-results/${checkId}/${id}`)).body;
    expect((browserCheckResult ?? multiStepCheckResult).suggestions).toEqual([suggestion]);
    const reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
    expect((await reader.get(page)).text).not.toContain("Change the script");
    expect((await reader.post(`${page}/suggestions/0`, {})).status).toBe(403);
    expect((await owner.post(`${page}/suggestions/1`, {})).status).toBe(404);
    expect(await script()).toBe([first, before, last].join("\n"));
    expect((await owner.post(`${page}/suggestions/0`, {})).location).toBe(`/checks/${checkId}/edit`);
    expect(await script()).toBe([first, after, last].join("\n"));
    const elsewhere = await run({ ...suggestion, line: 7, before: after, after: before });
    await owner.post(`${elsewhere}/suggestions/0`, {});
    expect(await script()).toBe([first, before, last].join("\n"));
    await owner.post(`${page}/suggestions/0`, {});
    // The line is another one now.
    expect((await owner.post(`${page}/suggestions/0`, {})).status).toBe(409);
    expect(await script()).toBe([first, after, last].join("\n"));
  });

  it("are text, whatever an agent sent, and bring no mask into a script", async () => {
    const page = await run(
      { ...suggestion, summary: evil, file: evil, before: evil, after: evil },
      { ...suggestion, before: after, after: after.replace("Log in", "********") },
    );
    const text = withoutOurScripts((await owner.get(page)).text);
    expect(text).not.toContain(evil);
    expect([0, 1].map((number) => text.includes(`"${page}/suggestions/${number}"`))).toEqual([true, false]);
    expect((await owner.post(`${page}/suggestions/1`, {})).status).toBe(409);
    expect(await script()).toBe([first, after, last].join("\n"));
  });
});
