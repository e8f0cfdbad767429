import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { noChromium, watchedBrowser } from "../support/chromium.ts";
import { Container, noImages } from "../support/containers.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../support/playwright-runtime.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const missing = noImages ?? noPlaywright ?? noChromium;
if (missing !== null) process.stdout.write(`browser checks are not tried from the form to the alert: ${missing}\n`);
const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

/** A visitor of Outpost's own console, who is told the truth about the heading or not. */
const scriptFor = (base: string, heading: string): string => `const { expect, test } = require("@playwright/test");
test("the console", async ({ page }) => {
  await test.step("open", () => page.goto("${base}/sign-in"));
  await test.step("sign in", async () => {
    await page.getByLabel("API key").fill("wrong");
    await page.getByLabel("API key").press("Enter");
    await expect(page.locator("h1")).toHaveText("${heading}", { timeout: 2_000 });
  });
});`;

/** The agent runs as the image has it: user 65532, no capability, and a root file system that nobody can write. */
describe.skipIf(missing !== null).each(engines.list)("browser checks in the image, on $name", ({ databaseUrl }) => {
  it("go from form and REST over the schedule to result, files, vitals, alert and pages", { timeout: 420_000 }, async () => {
    const told: string[] = [];
    await using hook = await httpServer((request, response) => {
      request.on("data", (bytes: Buffer) => told.push(bytes.toString()));
      request.on("end", () => response.end("taken"));
    });
    await using site = await Site.start({ databaseUrl: await databaseUrl() });
    const config = { name: "rota", url: hook.url };
    await site.api("POST", "/v1/alert-channels", { type: "WEBHOOK", config, autoSubscribe: true });
    const env = { API_KEY: await site.location("north"), API_URL: site.base, AGENT_HEALTH_PORT: "0", RUNTIMES_DIR: "/runtimes" };
    await using agent = new Container("agent-browser", [], { env, volumes: [`${runtimesFolder}:/runtimes:ro`] });
    await until("an agent that offers browser checks", () => agent.logs().includes("scripts of Playwright"), 90_000);
    expect(rightsOf(agent)).toEqual({ user: 65_532, capabilities: 0 });

    const byRest = { name: "by REST", script: scriptFor(site.base, "Sign in"), privateLocations: ["north"], retryStrategy: null };
    const { id: restId } = await site.api<{ id: string }>("POST", "/v1/checks/browser", {
      ...byRest,
      frequency: 1,
      runtimeId: playwrightRuntime,
    });

    await using browser = await watchedBrowser();
    const reader = await browser.reader({ baseURL: site.base });
    const page = await reader.newPage();
    await page.goto("/sign-in");
    await page.getByLabel("API key", { exact: true }).fill(site.ownerKey);
    await page.getByLabel("API key", { exact: true }).press("Enter");
    await page.getByRole("link", { name: "Checks", exact: true }).first().waitFor();
    await page.goto("/checks/new?type=BROWSER");
    await page.getByLabel("Name", { exact: true }).fill("by form");
    await page.getByLabel("Script", { exact: true }).fill(scriptFor(site.base, "Welcome"));
    await page.getByRole("checkbox", { name: "north" }).last().check();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("button", { name: "Run now" }).click();
    const formId = /\/checks\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? "";

    const passed = await resultOf(site, restId);
    expect([passed.errorMessage, passed.hasFailures]).toEqual([null, false]);
    expect(passed.browserCheckResult).toMatchObject({
      sandboxLevel: 2,
      pages: expect.arrayContaining([expect.objectContaining({ webVitals: expect.objectContaining({ LCP: expect.anything() }) })]),
    });
    const failed = await resultOf(site, formId);
    expect([failed.hasErrors, failed.hasFailures]).toEqual([false, true]);
    await until("the files of the run that failed", async () => {
      const { assets } = await site.api<{ assets: { name: string }[] }>("GET", `/v1/check-results/${formId}/${failed.id}/assets`);
      const all = assets.map(({ name }) => name);
      return [".zip", ".png", "network.har"].every((end) => all.some((name) => name.endsWith(end)));
    });
    await until("the alert", () => told.some((text) => text.includes("by form") && text.includes("sign in")), 60_000);

    await page.goto(`/checks/${formId}/results/${failed.id}`);
    await page.getByText("sign in").first().waitFor();
    await page.locator("img[src*='.png']").first().waitFor();
    await reader.close();
  });
});

/** The newest by the schedule or by a hand. */
function resultOf(site: Site, checkId: string): Promise<CheckResult> {
  return until(
    "a result",
    async () => {
      const [newest] = await site.results(checkId);
      return newest;
    },
    180_000,
  );
}

/** Of its processes, as the kernel has them. */
function rightsOf(agent: Container): { readonly user: number; readonly capabilities: number } {
  const text = readFileSync(`/proc/${agent.pid()}/status`, "utf8");
  const user = Number(/^Uid:\s+(\d+)/m.exec(text)?.[1]);
  const sets = [...text.matchAll(/^Cap(?:Inh|Prm|Eff|Bnd|Amb):\s+([0-9a-f]+)/gm)];
  return { user, capabilities: sets.reduce((sum, [, bits]) => sum + Number.parseInt(bits ?? "", 16), 0) };
}
