import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SuiteTests } from "../../src/contract/suite-tests.ts";
import type { TinyRegistry } from "../agent/runtimes/tiny-registry.ts";
import { locked, writeFiles } from "../agent/suites/lock-files.ts";
import { manifest } from "../agent/suites/project.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { noManagers } from "../support/package-managers.ts";
import { noPlaywright, runtimesFolder } from "../support/playwright-runtime.ts";
import { Site } from "../support/site.ts";
import { spec, suiteProjects, suiteRegistry, workspace } from "../support/suite-projects.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

/** test/images/suites.test.ts deploys the same projects on each. */
const first = engines.list.slice(0, 1);

describe.skipIf(noPlaywright !== null || noManagers !== null).each(first)("projects of teams, on $name", ({ databaseUrl }) => {
  const made = new AsyncDisposableStack();
  let registry: TinyRegistry;
  let lock: string;
  let site: Site;
  beforeAll(async () => {
    ({ registry, lock } = await suiteRegistry());
    made.use(registry);
    site = made.use(await Site.start({ databaseUrl: await databaseUrl() }));
    const env = { RUNTIMES_DIR: runtimesFolder, NPM_REGISTRY: registry.url, PATH: process.env["PATH"] ?? "" };
    await site.agent(await site.location("north"), env).ready();
  }, 240_000);
  afterAll(() => made.disposeAsync());

  const deploy = (folder: string, ...words: readonly string[]) =>
    site.run("suite", "deploy", folder, "--location", "north", "--url", site.base, "--api-key", site.ownerKey, ...words);

  it.each(Object.entries(suiteProjects))(
    "run unchanged, by one command: %s",
    { timeout: 240_000 },
    async (name, { manager, words = [], files }) => {
      const folder = join(site.folder, name);
      const all = await files(registry.url, lock);
      writeFiles(folder, { "playwright.config.ts": "export default {};", ...all });
      const id = name.replaceAll(/\W+/g, "-");
      const { code, stdout, stderr } = await deploy(folder, "--id", id, ...words);
      expect([code, stdout, stderr]).toEqual([0, expect.stringContaining("✓ north: passed, 1 passed"), expect.anything()]);
      const checkId = /\/checks\/([0-9a-f-]{36})\//.exec(stdout)?.[1] ?? "";
      const [result] = await site.results(checkId);
      expect(result?.playwrightCheckResult).toMatchObject({ packageManager: manager });
      const { tests } = await site.api<SuiteTests>("GET", `/v1/checks/${checkId}/tests`);
      expect(tests.map(({ title, state }) => [title, state])).toEqual([["greets", "passed"]]);
      expect(await deploy(folder, "--id", id, ...words)).toMatchObject({ code: 0 });
      expect((await site.results(checkId))[0]?.playwrightCheckResult?.cachedPackages).toBe(true);
    },
  );

  it("are not installed by bun where the lock file does not fit package.json", { timeout: 120_000 }, async () => {
    const folder = join(site.folder, "another lock");
    writeFiles(folder, {
      ...(await locked("bun", workspace("bun"), registry.url)),
      "playwright.config.ts": "export default {};",
      "a.spec.ts": spec,
    });
    await registry.publish({ name: "shop", version: "1.0.0", files: { "index.js": "" } });
    const more = { name: "e2e", dependencies: { shop: "1.0.0" } };
    writeFiles(folder, { "package.json": JSON.stringify(manifest(more)) });
    const { code, stdout } = await deploy(folder, "--id", "another-lock");
    expect([code, stdout]).toEqual([
      3,
      expect.stringContaining("install failed: bun install: error: lockfile had changes, but lockfile is frozen"),
    ]);
  });
});
