import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifest, npmLock, playwrightRegistry } from "../agent/suites/project.ts";
import { noPlaywright, runtimesFolder } from "../support/playwright-runtime.ts";
import { Site } from "../support/site.ts";
import { isCommandLineInstalled, PublicCommandLine } from "./public-command-line.ts";

const config = { projectName: "Suite", logicalId: "suite", cli: { privateRunLocation: "north" } };
const tests = `import { expect, test } from "@playwright/test";
test("says what it does", async () => { console.log("opening the shop"); });
test("closes @broken", async () => { expect(1).toBe(2); });
`;

describe.skipIf(!isCommandLineInstalled() || noPlaywright !== null)("`pw-test` of the public command line", { timeout: 240_000 }, () => {
  const made = new AsyncDisposableStack();
  let commandLine: PublicCommandLine;
  beforeAll(async () => {
    const registry = made.use(await playwrightRegistry());
    const site = made.use(await Site.start());
    const env = { RUNTIMES_DIR: runtimesFolder, NPM_REGISTRY: registry.url, PATH: process.env["PATH"] ?? "" };
    await site.agent(await site.location("north"), env).ready();
    const { id } = await site.api<{ id: string }>("GET", "/v1/accounts/me");
    commandLine = made.use(await PublicCommandLine.in("live-project", { base: site.base, key: site.ownerKey, accountId: id }));
    await rm(join(commandLine.folder, "__checks__"), { recursive: true });
    const files = {
      "package.json": JSON.stringify(manifest()),
      "package-lock.json": await npmLock(registry),
      "checkly.config.js": `module.exports = ${JSON.stringify(config)};\n`,
      "playwright.config.js": 'module.exports = { testDir: "tests", projects: [{ name: "desktop" }] };\n',
      "tests/shop.spec.ts": tests,
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(commandLine.folder, path)), { recursive: true });
      await writeFile(join(commandLine.folder, path), text);
    }
  }, 240_000);
  afterAll(() => made.disposeAsync());

  it("bundles a project, runs it on an agent, tells its log while it runs, and ends as it did", async () => {
    const failed = await commandLine.run("pw-test");
    expect(failed.text).toMatch(/1 failed, 1 total/);
    expect(failed.text).toContain("closes @broken");
    expect(failed.code).toBe(1);
    const passed = await commandLine.run("pw-test", "--", "--grep-invert", "@broken");
    expect(passed.text).toMatch(/1 passed, 1 total/);
    expect(passed.text).toContain("opening the shop");
    expect(passed.code).toBe(0);
  });
});
