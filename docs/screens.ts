import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { signedIn } from "../test/browser/signed-in.ts";
import { firstOwner } from "../test/control-plane/console/people.ts";
import { watchedBrowser } from "../test/support/chromium.ts";
import { type Demo, startDemo } from "../test/support/demo/demo.ts";
import { demoNowMs } from "../test/support/demo/demo-post.ts";
import { noPlaywright } from "../test/support/playwright-runtime.ts";
import { scriptScreens } from "./script-screens.ts";

/**
 * Pictures of the main pages for the documents, light and dark, from a made-up shop: `npm run screens [-- folder]`. The same each time but for
 * ids; those of a browser check are of real runs, where Playwright is here.
 */
const folder = process.argv[2] ?? join(import.meta.dirname, "screens");
const size = { width: 1280, height: 800 };

/** By the picture's name: the address, or how one gets there. */
const pages: Readonly<Record<string, (demo: Demo, page: Page) => Promise<unknown>>> = {
  checks: (_, page) => page.goto("/checks"),
  check: (demo, page) => page.goto(`/checks/${idOf(demo, "Checkout API")}`),
  run: async (demo, page) => {
    await page.goto(`/checks/${idOf(demo, "Checkout API")}`);
    await page.goto((await page.locator("main a[href*='/results/']").first().getAttribute("href")) ?? "");
  },
  form: (demo, page) => page.goto(`/checks/${idOf(demo, "Checkout API")}/edit`),
  alerts: (_, page) => page.goto("/alerts"),
  channels: (_, page) => page.goto("/channels"),
  location: async (_, page) => {
    await page.goto("/locations");
    await page.getByRole("link", { name: "Frankfurt data centre" }).click();
  },
  incidents: (_, page) => page.goto("/incidents"),
  dashboard: (_, page) => page.goto("/dashboards/shop"),
  status: (_, page) => page.goto("/status/shop"),
};

await mkdir(folder, { recursive: true });
await using demo = await startDemo(5);
await using browser = await watchedBrowser();
const owner = await firstOwner(demo.plane);
for (const scheme of ["light", "dark"] as const) {
  const context = await signedIn(browser, demo.plane.base, owner, { viewport: size, colorScheme: scheme });
  const page = await context.newPage();
  await page.clock.setFixedTime(demoNowMs + 20_000);
  for (const [name, open] of Object.entries(pages)) {
    await demo.beat();
    await open(demo, page);
    await page.waitForLoadState("load");
    await page.screenshot({ path: join(folder, `${name}-${scheme}.png`), animations: "disabled" });
    process.stdout.write(`${name}-${scheme}.png\n`);
  }
  await context.close();
}
if (noPlaywright === null) await scriptScreens(browser, folder, { viewport: size });
const troubles = browser.takeTroubles();
if (troubles.length > 0) throw new Error(troubles.join("\n"));

function idOf({ checks }: Demo, name: string): string {
  const id = checks.get(name);
  if (id === undefined) throw new Error(`the demo has no ${name}`);
  return id;
}
