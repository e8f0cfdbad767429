import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { browserPath } from "../../test/support/playwright-runtime.ts";

const spec = (name: string, url: string): string => `import { expect, test } from "@playwright/test";
for (const n of [1, 2, 3, 4]) {
  test("${name} finds " + n, async ({ page }) => {
    await page.goto("${url}/");
    await page.getByLabel("Search").fill("tides " + n);
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page.getByRole("heading", { name: "Found" })).toBeVisible();
  });
}
test("${name} answers", async ({ request }) => { expect((await request.get("${url}/")).status()).toBe(200); });
`;
const use = { trace: "retain-on-failure", launchOptions: { executablePath: browserPath, args: ["--no-sandbox"] } };

/** What the project writes itself: a line, or the pages that `npm init playwright` asks for. */
export type SuiteReporter = "line" | "html";

export function reporterOf(name: string | undefined): SuiteReporter {
  return name === "html" ? "html" : "line";
}

/** 20 tests, 16 with a page. @param url of `browser-target.ts` */
export function suiteFiles(url: string, reporter: SuiteReporter): Readonly<Record<string, string>> {
  return {
    "playwright.config.ts": `export default ${JSON.stringify({ workers: 2, fullyParallel: true, reporter, use })};`,
    ...Object.fromEntries(["one", "two", "three", "four"].map((name) => [`${name}.spec.ts`, spec(name, url)])),
  };
}

export function writeSuite(folder: string, url: string, reporter: SuiteReporter): void {
  for (const [name, text] of Object.entries(suiteFiles(url, reporter))) writeFileSync(join(folder, name), text);
}
