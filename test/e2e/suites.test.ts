import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import type { CodeBundle } from "../../src/contract/code-bundles.ts";
import type { SuiteTests } from "../../src/contract/suite-tests.ts";
import { manifest, npmLock, npmProject, playwrightRegistry, playwrightVersion } from "../agent/suites/project.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { findSecret } from "../support/find-secret.ts";
import { noPlaywright, runtimesFolder } from "../support/playwright-runtime.ts";
import { Site } from "../support/site.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

const secret = "kTz+9f/31c07e2b=enters";

/** Passes but for one test. */
const projectFiles = () => ({
  "playwright.config.ts": `import { defineConfig } from "@playwright/test";
export default defineConfig({ testDir: "tests", reporter: "html", projects: [{ name: "desktop" }] });`,
  "tests/console.spec.ts": `import { expect, test } from "@playwright/test";
test("shows its sign-in", async ({ page }) => {
  await page.goto(process.env.CONSOLE + "/sign-in");
  await expect(page.locator("h1")).toHaveText("Sign in");
});
test("knows its password", async () => { console.log("with " + process.env.PASSWORD); expect(process.env.SERVICE).toBe("1"); });
test("closes @broken", async ({ page }) => {
  await page.goto(process.env.CONSOLE + "/sign-in");
  await expect(page.locator("h1")).toHaveText("Closed", { timeout: 300 });
});`,
});

/** From an uploaded project to the page of its run, by real processes: Outpost's own console is what it looks at. */
describe.skipIf(noPlaywright !== null).each(engines.list)("suites, on $name", ({ databaseUrl }) => {
  let site: Site;
  let bundle: Buffer;
  let lock: string;
  const made = new AsyncDisposableStack();
  beforeAll(async () => {
    const registry = made.use(await playwrightRegistry());
    lock = await npmLock(registry);
    bundle = npmProject(lock, projectFiles());
    site = made.use(await Site.start({ databaseUrl: await databaseUrl(), env: { PUBLIC_URL: "https://outpost.example.com" } }));
    await site
      .agent(await site.location("north"), { RUNTIMES_DIR: runtimesFolder, NPM_REGISTRY: registry.url, PATH: process.env["PATH"] ?? "" })
      .ready();
  }, 240_000);
  afterAll(() => made.disposeAsync());

  const upload = async (): Promise<CodeBundle> => {
    const answer = await fetch(`${site.base}/v1/code-bundles`, {
      method: "POST",
      headers: { authorization: `Bearer ${site.ownerKey}`, "content-type": "application/octet-stream" },
      body: new Uint8Array(bundle),
    });
    expect(answer.status).toBe(201);
    return (await answer.json()) as CodeBundle;
  };
  const resultOf = async (checkId: string): Promise<CheckResult> => {
    for (const session of await site.trigger(checkId)) await site.ended(session, 180_000);
    const [newest] = await site.results(checkId);
    if (newest === undefined) throw new Error("no result");
    return newest;
  };
  const create = async (more: object): Promise<string> => {
    const { key: codeBundlePath } = await upload();
    const environmentVariables = [
      { key: "CONSOLE", value: site.base },
      { key: "PASSWORD", value: secret, locked: true },
    ];
    const check = {
      name: "console",
      codeBundlePath,
      privateLocations: ["north"],
      frequency: 1440,
      retryStrategy: null,
      environmentVariables,
    };
    return (await site.api<{ id: string }>("POST", "/v1/checks/playwright", { ...check, ...more })).id;
  };

  it("run from an upload to a result, with their tests, their report and nothing of a secret", { timeout: 240_000 }, async () => {
    const result = await resultOf(await create({ testCommand: "npx playwright test --grep-invert @broken" }));
    expect([result.errorMessage, result.hasFailures, result.hasErrors, result.missedReason]).toEqual([null, false, false, null]);
    const seen = result.playwrightCheckResult;
    expect(seen?.tests.map(({ title, project, status }) => [title, project, status])).toEqual([
      ["shows its sign-in", "desktop", "passed"],
      ["knows its password", "desktop", "passed"],
    ]);
    expect(seen).toMatchObject({ playwrightVersion, packageManager: "npm", sandboxLevel: 2 });
    expect(JSON.stringify(result)).not.toContain("31c07e2b");
    await expect
      .poll(async () => (await site.results(result.checkId))[0]?.assets.map(({ name }) => name), { timeout: 20_000 })
      .toContain("html-report.tar.gz");
  });

  it("fail with the test that failed, its trace and a page", { timeout: 240_000 }, async () => {
    const id = await create({});
    const result = await resultOf(id);
    expect([result.hasFailures, result.hasErrors]).toEqual([true, false]);
    expect(result.errorMessage).toContain("closes @broken");
    expect(result.playwrightCheckResult?.errors[0]).toMatchObject({ title: "closes @broken", location: { file: "tests/console.spec.ts" } });
    expect(result.playwrightCheckResult?.playwrightTestTraces).toEqual(["trace-closes-broken.zip"]);
    const { runs, tests } = await site.api<SuiteTests>("GET", `/v1/checks/${id}/tests`);
    expect(runs.map(({ resultId }) => resultId)).toEqual([result.id]);
    expect(tests.map(({ title, state, failingSince }) => [title, state, failingSince?.resultId ?? null])).toEqual([
      ["shows its sign-in", "passed", null],
      ["knows its password", "passed", null],
      ["closes @broken", "failed", result.id],
    ]);
    await expect
      .poll(async () => (await site.results(id))[0]?.playwrightCheckResult?.playwrightTraceFiles, { timeout: 20_000 })
      .toEqual([
        { name: "trace-closes-broken.zip", filename: "trace-closes-broken.zip", url: expect.stringContaining("trace-closes-broken.zip") },
      ]);
    await expect
      .poll(async () => (await site.results(id))[0]?.assets.map(({ name }) => name), { timeout: 20_000 })
      .toContain("html-report.tar.gz");
    const url = `${site.base}/v1/check-results/${id}/${result.id}/assets/html-report.tar.gz`;
    const report = Buffer.from(await (await fetch(url, { headers: { authorization: `Bearer ${site.ownerKey}` } })).arrayBuffer());
    expect(gunzipSync(report).toString("latin1")).toContain("playwrightReportBase64");
    expect(findSecret(report, secret)).toEqual([]);
  });

  it("come from a folder by one command, which waits and tells what failed", { timeout: 240_000 }, async () => {
    const folder = join(site.folder, "e2e");
    for (const [path, text] of Object.entries({
      ...projectFiles(),
      "package.json": JSON.stringify(manifest()),
      "package-lock.json": lock,
    })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const deploy = (...words: readonly string[]) =>
      site.run(
        "suite",
        "deploy",
        folder,
        "--location",
        "north",
        "--url",
        site.base,
        "--api-key",
        site.ownerKey,
        "--env",
        `CONSOLE=${site.base}`,
        ...words,
      );
    const failed = await deploy("--id", "console");
    expect(failed.stdout).toContain("closes @broken (tests/console.spec.ts:7)");
    expect(failed.code).toBe(1);
    const passed = await deploy("--id", "console-smoke", "--grep", "shows its");
    expect([passed.code, passed.stdout]).toEqual([0, expect.stringMatching(/✓ north: passed, 1 passed/)]);
  });

  it("are refused with a sentence where they cannot run", { timeout: 120_000 }, async () => {
    const refused = await fetch(`${site.base}/v1/checks/playwright`, {
      method: "POST",
      headers: { authorization: `Bearer ${site.ownerKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "x", privateLocations: ["north"], testCommand: "npx playwright test | tee log" }),
    });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("cannot be used: it must be")]);
    const result = await resultOf(await create({ codeBundlePath: `${"a".repeat(64)}.tar.gz` }));
    expect([result.hasErrors, result.errorMessage]).toEqual([true, expect.stringMatching(/upload it again/)]);
  });
});
