import type { PlaywrightOptions } from "../playwright/create-playwright-engine.ts";
import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";

/**
 * What runs scripts of browser and multistep checks; null where the settings ask for none. Its code is loaded then only: an agent without such checks
 * pays nothing.
 */
export async function loadEngine(options: PlaywrightOptions): Promise<PlaywrightEngine | null> {
  if (options.browserConcurrency + options.multiStepConcurrency === 0) return null;
  const { createPlaywrightEngine } = await import("../playwright/create-playwright-engine.ts");
  return createPlaywrightEngine(options);
}
