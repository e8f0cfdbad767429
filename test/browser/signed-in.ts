import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import type { Browser } from "../control-plane/console/browser.ts";
import type { WatchedBrowser } from "../support/chromium.ts";

/** A reader in a real browser who is signed in as the one without. */
export async function signedIn(
  browser: WatchedBrowser,
  base: string,
  person: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.reader({ baseURL: base, ...options });
  await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: base, httpOnly: true })));
  return context;
}
