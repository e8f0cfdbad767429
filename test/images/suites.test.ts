import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SuiteTests } from "../../src/contract/suite-tests.ts";
import { writeFiles } from "../agent/suites/lock-files.ts";
import { Container, noImages } from "../support/containers.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { noManagers } from "../support/package-managers.ts";
import { noPlaywright, runtimesFolder } from "../support/playwright-runtime.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";
import { suiteProjects, suiteRegistry } from "../support/suite-projects.ts";

const missing = noImages ?? noPlaywright ?? noManagers;
if (missing !== null) process.stdout.write(`suites are not tried in the image: ${missing}\n`);
const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

/** The agent runs as the image has it: user 65532, no capability, a root file system that nobody can write, and no package manager. */
describe.skipIf(missing !== null).each(engines.list)("projects of teams in the image, on $name", ({ databaseUrl }) => {
  const made = new AsyncDisposableStack();
  let registry: Awaited<ReturnType<typeof suiteRegistry>>;
  let site: Site;
  beforeAll(async () => {
    registry = await suiteRegistry();
    made.use(registry.registry);
    site = made.use(await Site.start({ databaseUrl: await databaseUrl() }));
    const ways = { API_URL: site.base, NPM_REGISTRY: registry.registry.url, RUNTIMES_DIR: "/runtimes" };
    const env = { API_KEY: await site.location("north"), AGENT_HEALTH_PORT: "0", ...ways };
    const agent = made.use(new Container("agent-browser", [], { env, volumes: [`${runtimesFolder}:/runtimes:ro`] }));
    await until("an agent that offers suites", () => agent.logs().includes("scripts of Playwright"), 90_000);
  }, 240_000);
  afterAll(() => made.disposeAsync());

  it.each(Object.entries(suiteProjects))(
    "run unchanged, from one command to their tests: %s",
    { timeout: 300_000 },
    async (name, project) => {
      const folder = join(site.folder, name);
      writeFiles(folder, { "playwright.config.ts": "export default {};", ...(await project.files(registry.registry.url, registry.lock)) });
      const words = ["--location", "north", "--url", site.base, "--api-key", site.ownerKey, "--id", name.replaceAll(/\W+/g, "-")];
      const { code, stdout, stderr } = await site.run("suite", "deploy", folder, ...words, ...(project.words ?? []));
      expect([code, stdout, stderr]).toEqual([0, expect.stringContaining("✓ north: passed, 1 passed"), expect.anything()]);
      const checkId = /\/checks\/([0-9a-f-]{36})\//.exec(stdout)?.[1] ?? "";
      const [result] = await site.results(checkId);
      expect(result?.playwrightCheckResult).toMatchObject({ packageManager: project.manager });
      const { tests } = await site.api<SuiteTests>("GET", `/v1/checks/${checkId}/tests`);
      expect(tests.map(({ title, state }) => [title, state])).toEqual([["greets", "passed"]]);
    },
  );
});
