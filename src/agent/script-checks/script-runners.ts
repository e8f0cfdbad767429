import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";
import type { ScriptRunners } from "../runners/index.ts";
import type { SuiteEngine } from "../suites/suite-engine.ts";
import { createSuiteRunner } from "../suites/suite-runner.ts";
import { createPlaywrightRunner } from "./playwright-runner.ts";

/** The runners of checks that are a script, or a project of them. @param engine null where this agent has no Playwright @param suites null where it runs none */
export function createScriptRunners(engine: PlaywrightEngine | null, suites: SuiteEngine | null = null): ScriptRunners {
  return {
    MULTI_STEP: createPlaywrightRunner("MULTI_STEP", engine),
    BROWSER: createPlaywrightRunner("BROWSER", engine),
    PLAYWRIGHT: createSuiteRunner(suites),
  };
}
