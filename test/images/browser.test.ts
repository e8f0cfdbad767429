import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFiles } from "../agent/suites/lock-files.ts";
import { Container, noImages } from "../support/containers.ts";
import { noManagers } from "../support/package-managers.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../support/playwright-runtime.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";
import { suiteProjects, suiteRegistry } from "../support/suite-projects.ts";

const missing = noImages ?? noPlaywright;
if (missing !== null) process.stdout.write(`the image agent-browser runs no check: ${missing}\n`);

describe.skipIf(missing !== null)("the image agent-browser", () => {
  it("runs browser and multistep checks as a user without rights, on a root file system that nobody writes", {
    timeout: 180_000,
  }, async () => {
    await using site = await Site.start();
    const key = await site.location("north");
    const env = { API_KEY: key, API_URL: site.base, AGENT_HEALTH_PORT: "0", RUNTIMES_DIR: "/runtimes", LOG_LEVEL: "DEBUG" };
    await using agent = new Container("agent-browser", [], { env, volumes: [`${runtimesFolder}:/runtimes:ro`] });
    const announced = (): string => agent.logs().match(/\{[^\n]*scripts of Playwright, as they run here[^\n]*/)?.[0] ?? "";
    await until("what it announces", () => announced() !== "", 60_000);
    expect(JSON.parse(announced())).toMatchObject({ types: ["MULTI_STEP", "BROWSER"], limitation: null });
    const script = (fixture: string, line: string) => `const { expect, test } = require("@playwright/test");
test("health", async ({ ${fixture} }) => { ${line} });`;
    const scripts = {
      browser: script("page", `await page.goto("${site.base}/sign-in"); await expect(page.locator("h1")).toHaveText("Sign in");`),
      multistep: script("request", `expect((await request.get("${site.base}/health")).status()).toBe(200);`),
    };
    for (const [kind, text] of Object.entries(scripts)) {
      const check = { name: kind, script: text, privateLocations: ["north"], frequency: 1440, runtimeId: playwrightRuntime };
      const { id } = await site.api<{ id: string }>("POST", `/v1/checks/${kind}`, { ...check, retryStrategy: null });
      for (const session of await site.trigger(id)) await site.ended(session, 120_000);
      const [result] = await site.results(id);
      expect([kind, result?.errorMessage, result?.hasFailures]).toEqual([kind, null, false]);
    }
  });

  it.skipIf(noManagers !== null)("runs suites of teams, whose package managers it fetches", { timeout: 300_000 }, async () => {
    await using site = await Site.start();
    const { registry, lock } = await suiteRegistry();
    await using _registry = registry;
    const env = { API_KEY: await site.location("north"), API_URL: site.base, AGENT_HEALTH_PORT: "0", RUNTIMES_DIR: "/runtimes" };
    const volumes = [`${runtimesFolder}:/runtimes:ro`, "/data"];
    await using _agent = new Container("agent-browser", [], { env: { ...env, NPM_REGISTRY: registry.url }, volumes });
    for (const [name, { manager, words = [], files }] of Object.entries(suiteProjects)) {
      const folder = join(site.folder, name);
      writeFiles(folder, { "playwright.config.ts": "export default {};", ...(await files(registry.url, lock)) });
      const where = ["--location", "north", "--url", site.base, "--api-key", site.ownerKey, "--id", name.replaceAll(/\W+/g, "-")];
      const { code, stdout, stderr } = await site.run("suite", "deploy", folder, ...where, ...words);
      expect([manager, code, stdout, stderr]).toEqual([
        manager,
        0,
        expect.stringContaining("✓ north: passed, 1 passed"),
        expect.anything(),
      ]);
    }
  });
});
