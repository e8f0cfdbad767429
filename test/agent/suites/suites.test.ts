import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpServer } from "../../support/http-servers/http-server.ts";
import { noPlaywright } from "../../support/playwright-runtime.ts";
import type { TinyRegistry } from "../runtimes/tiny-registry.ts";
import { npmLock, npmProject, playwrightRegistry, playwrightVersion } from "./project.ts";
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
    expect(seen.files?.map(({ name }) => name)).toContain("report.json");
  });
});
