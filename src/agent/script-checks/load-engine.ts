import type { PlaywrightOptions } from "../playwright/create-playwright-engine.ts";
import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";
import type { SuiteEngine, SuiteOptions } from "../suites/suite-engine.ts";

/**
 * What runs scripts of browser and multistep checks; null where the settings ask for none. Its code is loaded then only: an agent without such checks
 * pays nothing.
 */
export async function loadEngine(options: PlaywrightOptions): Promise<PlaywrightEngine | null> {
  if (options.browserConcurrency + options.multiStepConcurrency === 0) return null;
  const { createPlaywrightEngine } = await import("../playwright/create-playwright-engine.ts");
  return createPlaywrightEngine(options);
}

/** What runs suites, by what was proved for scripts; null where nothing keeps a run apart, or the settings ask for none. */
export async function loadSuites(engine: PlaywrightEngine | null, options: SuiteOptions): Promise<SuiteEngine | null> {
  const ground = engine?.suiteGround ?? null;
  if (ground === null || options.concurrency === 0) return null;
  const { SuiteEngine: Engine } = await import("../suites/suite-engine.ts");
  return new Engine(options, ground);
}
