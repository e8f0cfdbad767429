import type { AgentModel } from "../agentic/agent-model.ts";
import { createAgenticRunner } from "../agentic/agentic-runner.ts";
import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";
import type { ScriptRunners } from "../runners/index.ts";
import type { SuiteEngine } from "../suites/suite-engine.ts";
import { createSuiteRunner } from "../suites/suite-runner.ts";
import { createPlaywrightRunner } from "./playwright-runner.ts";

/**
 * The runners of checks that are a script, a project of them, or a prompt.
 *
 * @param engine null where this agent has no Playwright
 * @param suites null where it runs none
 * @param agentModel null where the operator set none
 */
export function createScriptRunners(
  engine: PlaywrightEngine | null,
  suites: SuiteEngine | null = null,
  agentModel: AgentModel | null = null,
): ScriptRunners {
  return {
    MULTI_STEP: createPlaywrightRunner("MULTI_STEP", engine),
    BROWSER: createPlaywrightRunner("BROWSER", engine),
    PLAYWRIGHT: createSuiteRunner(suites),
    AGENTIC: createAgenticRunner(engine, agentModel),
  };
}
