import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";
import type { ScriptRunners } from "../runners/index.ts";
import { createPlaywrightRunner } from "./playwright-runner.ts";

/** The runners of checks that are a script. @param engine null where this agent has no Playwright */
export function createScriptRunners(engine: PlaywrightEngine | null): ScriptRunners {
  return { MULTI_STEP: createPlaywrightRunner("MULTI_STEP", engine), BROWSER: createPlaywrightRunner("BROWSER", engine) };
}
