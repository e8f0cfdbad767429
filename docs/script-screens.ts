import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import type { WatchedBrowser } from "../test/support/chromium.ts";
import { httpServer } from "../test/support/http-servers/http-server.ts";
import { playwrightRuntime, runtimesFolder } from "../test/support/playwright-runtime.ts";
import { Site } from "../test/support/site.ts";

const shop = `<!doctype html><title>Tides &amp; Co.</title><style>body { font: 18px system-ui; margin: 3rem; } button { font: inherit; padding: .4rem 1rem; }</style>
<h1>The Book of Tides</h1><p>In stock: 0</p><button>Put into the basket</button>`;

const journey = (url: string): string => `import { expect, test } from "@playwright/test";

test("a visitor buys a book", async ({ page }) => {
  await test.step("find the book", async () => {
    await page.goto("${url}");
    console.log("opened", page.url());
  });
  await test.step("put it into the basket", async () => {
    await page.getByRole("button", { name: "Put into the basket" }).click();
    await expect(page.getByText("In stock: 1")).toBeVisible({ timeout: 6_000 });
  });
});
`;

/** Pictures of a browser check that a real agent runs: its form while it is tried, and the result. */
export async function scriptScreens(browser: WatchedBrowser, folder: string, options: BrowserContextOptions): Promise<void> {
  await using target = await httpServer((_request, response) => response.setHeader("content-type", "text/html").end(shop));
  await using site = await Site.start();
  await site.agent(await site.location("frankfurt"), { RUNTIMES_DIR: runtimesFolder }).ready();
  const check = { name: "A visitor buys a book", script: journey(target.url), runtimeId: playwrightRuntime, retryStrategy: null };
  const stored = { ...check, privateLocations: ["frankfurt"], frequency: 1440 };
  const { id } = await site.api<{ id: string }>("POST", "/v1/checks/browser", stored);
  for (const session of await site.trigger(id)) await site.ended(session, 120_000);
  const [result] = await site.results(id);
  for (const scheme of ["light", "dark"] as const) {
    const context = await browser.reader({ baseURL: site.base, ...options, colorScheme: scheme });
    const page = await context.newPage();
    const take = (name: string): Promise<unknown> => page.screenshot({ path: join(folder, `${name}-${scheme}.png`), animations: "disabled" });
    await page.goto("/sign-in");
    await page.getByLabel("API key").fill(site.ownerKey);
    await page.getByLabel("API key").press("Enter");
    await page.waitForURL("**/checks");
    await page.goto(`/checks/${id}/results/${result?.id}`);
    await page.locator("#screenshot img").waitFor();
    await take("script-failure");
    const steps = page.locator("section:has(.timeline)");
    await steps.screenshot({ path: join(folder, `script-steps-${scheme}.png`), animations: "disabled" });
    await page.goto(`/checks/${id}/edit`);
    await page.getByRole("button", { name: "Run without saving" }).click();
    await page.locator("#tried figure img").waitFor();
    await take("script-trial");
    await context.close();
  }
}
