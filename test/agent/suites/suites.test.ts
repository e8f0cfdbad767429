import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tries } from "../../attacks/cases.ts";
import { httpServer } from "../../support/http-servers/http-server.ts";
import { noPlaywright } from "../../support/playwright-runtime.ts";
import type { TinyRegistry } from "../runtimes/tiny-registry.ts";
import { bundled, npmLock, npmProject, playwrightRegistry, playwrightVersion } from "./project.ts";
import { SuitesUnderTest } from "./suite-under-test.ts";

const timeout = 240_000;

describe.skipIf(noPlaywright !== null)("a suite", { timeout }, () => {
  const made = new AsyncDisposableStack();
  let registry: TinyRegistry;
  let suites: SuitesUnderTest;
  let base: string;
  let lock: string;
  beforeAll(async () => {
    registry = made.use(await playwrightRegistry());
    lock = await npmLock(registry);
    suites = made.use(await SuitesUnderTest.start({ registry: registry.url }));
    const shop = made.use(await httpServer((_request, response) => response.setHeader("content-type", "text/html").end("<h1>Shop</h1>")));
    base = shop.url;
  }, timeout);
  afterAll(() => made.disposeAsync());

  it("runs as it is: its packages, projects, path names of TypeScript and retries", async () => {
    const bundle = npmProject(lock, {
      "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { "@lib/*": ["lib/*"] } } }),
      "playwright.config.ts": `import { defineConfig, devices } from "@playwright/test";
export default defineConfig({
  testDir: "./tests", retries: 1, workers: 8, reporter: [["html"]],
  projects: [{ name: "desktop" }, { name: "phone", use: { ...devices["Pixel 7"] } }, { name: "api", testMatch: /none/ }],
});`,
      "lib/base.ts": "export const base: string = process.env.BASE_URL ?? '';",
      "tests/shop.spec.ts": `import { expect, test } from "@playwright/test";
import { base } from "@lib/base";
test("shows the shop", async ({ page }) => { await page.goto(base); await expect(page.locator("h1")).toHaveText("Shop"); });
test("answers", async ({ request }) => { expect((await request.get(base)).status()).toBe(200); });
test("settles", async () => { expect(test.info().retry).toBe(1); });
`,
      ...Object.fromEntries(
        ["one", "two", "three"].map((name) => [
          `tests/${name}.spec.ts`,
          `import { expect, test } from "@playwright/test";
test("${name}", async () => { await new Promise((done) => setTimeout(done, 300)); expect(test.info().parallelIndex).toBeLessThan(2); });`,
        ]),
      ),
    });
    const codeBundlePath = suites.add(bundle);
    const seen = await suites.run({ codeBundlePath }, { BASE_URL: base });
    expect([seen.failure, seen.outcome, seen.result.errors.filter(({ title }) => title !== "settles")]).toEqual([null, "passed", []]);
    const told = seen.result.tests.map(({ title, project, status }) => `${project}: ${title}: ${status}`).toSorted();
    expect(told).toEqual(
      ["desktop", "phone"]
        .flatMap((project) => [
          `${project}: answers: passed`,
          `${project}: settles: flaky`,
          `${project}: shows the shop: passed`,
          ...["one", "two", "three"].map((name) => `${project}: ${name}: passed`),
        ])
        .toSorted(),
    );
    expect(seen.result).toMatchObject({ playwrightVersion, packageManager: "npm", cachedPackages: false, sandboxLevel: 2 });
    expect(seen.result.pages.map(({ url }) => url)).toContain(`${base}/`);
    expect(seen.files?.map(({ name }) => name)).toContain("html-report.tar.gz");

    const asked = [suites.asked.length, registry.asked.length];
    const again = await suites.run(
      { codeBundlePath, testCommand: "npx playwright test --project desktop -g 'answers'" },
      { BASE_URL: base },
    );
    expect(again.result.tests.map(({ title, project }) => [title, project])).toEqual([["answers", "desktop"]]);
    expect([again.result.cachedPackages, suites.asked.length, registry.asked.length]).toEqual([true, ...asked]);
  });

  it("tells a failed test with its trace, and Playwright's own report", async () => {
    const bundle = npmProject(lock, {
      "shop.spec.ts": `import { expect, test } from "@playwright/test";
test("closes", async ({ page }) => { await page.goto(process.env.BASE_URL); await expect(page.locator("h1")).toHaveText("Closed", { timeout: 300 }); });
test("opens", async () => {});`,
    });
    const seen = await suites.run({ codeBundlePath: suites.add(bundle) }, { BASE_URL: base });
    expect([seen.failure, seen.outcome]).toEqual([null, "failed"]);
    expect(seen.result.errors).toMatchObject([{ title: "closes", location: { file: "shop.spec.ts", line: 2 } }]);
    expect(seen.result.playwrightTestTraces).toEqual(["trace-closes.zip"]);
    const names = seen.files?.map(({ name }) => name);
    expect([names?.includes("report.json"), names?.includes("html-report.tar.gz")]).toEqual([true, true]);
  });

  it("cannot change what later runs load, reach what the policy forbids, or know what installs are not told", async () => {
    const bundle = npmProject(lock, {
      "shop.spec.ts": `import { appendFileSync, readdirSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
test("is given what Node.js compiled of them", async () => { expect(getCompileCacheDir()).toContain(".outpost-compiled"); });
test("writes into what was compiled", async () => {
  const files = readdirSync(getCompileCacheDir()).filter((name) => /^[0-9a-f]+$/.test(name));
  expect(files.length).toBeGreaterThan(100);
  appendFileSync(join(getCompileCacheDir(), files[0]), " ");
});
test("writes into a package", async () => { appendFileSync(require.resolve("playwright-core/package.json"), " "); });
test("asks for metadata of the cloud", async ({ request }) => { await request.get("http://169.254.169.254/latest/"); });
test("reads the agent's environment", async () => { expect(Object.keys(process.env).filter((name) => /^API_KEY$|SECRET/.test(name))).toEqual([]); });`,
    });
    const seen = await suites.run({ codeBundlePath: suites.add(bundle) });
    expect(seen.outcome).toBe("failed");
    const messages = new Map(seen.result.errors.map(({ title, message }) => [title, message]));
    expect(messages.get("writes into a package")).toMatch(/EACCES|EPERM|EROFS/);
    expect(messages.get("writes into what was compiled")).toMatch(/EACCES|EPERM|EROFS/);
    expect(messages.get("asks for metadata of the cloud")).toMatch(/EPOLICY|not allowed/);
    expect([...messages.keys()]).toHaveLength(3);
  });

  it("fails by a test that is behind the last one that is told", async () => {
    const bundle = npmProject(lock, {
      "many.spec.ts": `import { expect, test } from "@playwright/test";
for (let n = 1; n <= 1005; n += 1) test("test " + n, async () => { expect(n).not.toBe(1003); });`,
      "playwright.config.ts": "export default { workers: 1 };",
    });
    const { outcome, failure, result } = await suites.run({ codeBundlePath: suites.add(bundle) });
    expect([outcome, failure, result.tests.length]).toEqual(["failed", null, 1_000]);
  });

  it("ends at once when it is cancelled, and leaves nothing", async () => {
    const bundle = npmProject(lock, {
      "slow.spec.ts": `import { test } from "@playwright/test"; test("waits", async () => { test.setTimeout(0); await new Promise((done) => setTimeout(done, 200_000)); });`,
    });
    const ending = new AbortController();
    const began = Promise.withResolvers<void>();
    const running = suites.run(
      { codeBundlePath: suites.add(bundle) },
      {},
      {
        signal: ending.signal,
        onProgress: ({ step }) => step?.includes("waits") === true && began.resolve(),
      },
    );
    running.catch(() => {});
    await began.promise;
    ending.abort(new Error("cancelled by a test"));
    await expect(running).rejects.toThrow("cancelled by a test");
    expect(suites.runFolders()).toEqual([]);
  });

  it.each([
    ["without a lock file", { "package.json": "{}" }, {}, /install failed: there is no lock file: commit one/],
    ["that bun runs", { "package.json": "{}" }, { engine: "bun" }, /engine is bun; this agent runs suites on Node\.js/],
    ["with two lock files", { "package.json": "{}", "yarn.lock": "", "pnpm-lock.yaml": "" }, {}, /lock files of several package managers/],
    [
      "of a manager that nobody knows",
      { "package.json": '{"packageManager":"cargo@1.0.0"}', "yarn.lock": "" },
      {},
      /must be one of npm, pnpm, yarn, bun; received "cargo@1.0.0"/,
    ],
    [
      "without Playwright",
      { "package.json": "{}", "node_modules/a/index.js": "" },
      {},
      /has no @playwright\/test: add it to devDependencies/,
    ],
    [
      "for another browser",
      { "package.json": "{}" },
      { browsers: ["chromium", "webkit"] },
      /browsers has "webkit"; this agent has chromium/,
    ],
    ["for another Node.js", { "package.json": "{}" }, { engineVersion: "12" }, /engineVersion is "12"; this agent has Node\.js \d/],
    [
      "in a folder that is not there",
      { "package.json": "{}", "node_modules/a/index.js": "" },
      { workingDir: "apps/e2e" },
      /workingDir is not in the bundle/,
    ],
    [
      "with a command for a shell",
      { "package.json": "{}" },
      { testCommand: "npx playwright test > log" },
      /testCommand cannot be used: it must be/,
    ],
    ["with another program", { "package.json": "{}" }, { testCommand: "npx cypress run" }, /testCommand cannot be used: it must be/],
  ])("%s is an error that says what to do", async (_what, files, settings, sentence) => {
    const { failure, result } = await suites.run({ codeBundlePath: suites.add(bundled(files)), ...settings });
    expect([failure?.message, result.tests]).toEqual([expect.stringMatching(sentence), []]);
  });

  it.each([
    ["a link that leads out", [{ path: "a", type: "SymbolicLink" as const, linkpath: "../../etc/passwd" }], /the link "a" leads to/],
    ["a path that leaves", [{ path: "../a", body: "x" }], /leaves the folder/],
    ["a device", [{ path: "a", type: "CharacterDevice" as const }], /"a" is a device/],
  ])(
    "whose bundle has %s is not unpacked",
    tries("S11", "looked at before anything of it is written"),
    async (_what, members, sentence) => {
      const { failure } = await suites.run({ codeBundlePath: suites.add(bundled({ "package.json": "{}" }, members)) });
      expect(failure?.message).toMatch(sentence);
      expect(suites.runFolders()).toEqual([]);
    },
  );

  it("without a bundle, or with one that came with other bytes, says so", async () => {
    const other = suites.add(bundled({ a: "1" }));
    suites.bundles.set(other.slice(0, 64), bundled({ a: "2" }));
    expect((await suites.run({ codeBundlePath: other })).failure?.message).toMatch(/other bytes than its name says/);
    expect((await suites.run({ codeBundlePath: "" })).failure?.message).toMatch(
      /no code bundle yet: upload the project with outpost suite deploy/,
    );
  });
});
