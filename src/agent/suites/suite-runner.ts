import { suiteLimitMs } from "#contract/checks/index.ts";
import type { PlaywrightCheckSettings } from "#contract/checks/playwright.ts";
import { AppError } from "#domain/app-error.ts";
import { testCommand } from "#domain/test-command.ts";
import type { CheckRunner, Observation, RunContext } from "../runners/check-runner.ts";
import { fittingResult } from "../script-checks/fitting-result.ts";
import type { SuiteEngine, SuiteRun } from "./suite-engine.ts";
import { emptyResult } from "./suite-result.ts";

/** @param engine null where this agent runs no suites: each run then says what brings them */
export function createSuiteRunner(engine: SuiteEngine | null): CheckRunner<"PLAYWRIGHT"> {
  return {
    async run(settings, context) {
      if (engine === null)
        throw new AppError(
          "forbidden",
          "suites do not run at this agent: outpost doctor says what is missing, and SUITE_CONCURRENCY must not be 0",
        );
      const task = taskOf(settings, context, engine);
      const startedMs = context.monotonicMs();
      try {
        return observationOf(await engine.run(task, context));
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return notRun(error, startedMs, context);
      }
    },
  };
}

/** @throws {AppError} invalid_input with what is wrong, before anything starts */
function taskOf(settings: PlaywrightCheckSettings, { script: around, bundles, certificates }: RunContext, engine: SuiteEngine) {
  if (around === undefined || bundles === undefined)
    throw new AppError("unavailable", "a suite runs for a control plane only, which has its code bundle");
  const sha256 = /(?:^|\/)([0-9a-f]{64})\.tar\.gz$/.exec(settings.codeBundlePath)?.[1];
  if (sha256 === undefined)
    throw new AppError(
      "invalid_input",
      settings.codeBundlePath === ""
        ? "the check has no code bundle yet: upload the project with outpost suite deploy"
        : `codeBundlePath must end with the SHA-256 of a bundle and .tar.gz; received ${JSON.stringify(settings.codeBundlePath.slice(0, 200))}`,
    );
  const command = testCommand(settings.testCommand);
  if ("problem" in command) throw new AppError("invalid_input", `testCommand cannot be used: ${command.problem}`);
  const missing = settings.browsers.find((name) => name !== "chromium");
  if (missing !== undefined)
    throw new AppError(
      "invalid_input",
      `browsers has ${JSON.stringify(missing)}; this agent has chromium: leave the others out of browsers and of the projects that testCommand runs`,
    );
  if (settings.engine === "bun")
    throw new AppError("invalid_input", "engine is bun; this agent runs suites on Node.js: set engine to node");
  return {
    sha256,
    bundles,
    node: engine.nodeFor(settings.engineVersion),
    words: command.words,
    settings,
    environment: around.environment,
    certificates: certificates ?? [],
    limitMs: suiteLimitMs,
  };
}

export type SuiteTask = ReturnType<typeof taskOf>;
export type SuiteContext = Pick<RunContext, "signal" | "monotonicMs" | "proxyUrl" | "resolver" | "egress" | "onProgress">;

function observationOf({ startedMs, stoppedMs, responseTimeMs, outcome, failure, result, files }: SuiteRun): Observation<"PLAYWRIGHT"> {
  return {
    startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: {},
    failure,
    facts: { statusCode: null, responseTimeMs, headers: {}, text: () => "" },
    result: fittingResult(result),
    outcome,
    files,
  };
}

/** Its packages, or its files, could not be had: no test began. */
function notRun(error: AppError, startedMs: number, context: RunContext): Observation<"PLAYWRIGHT"> {
  const log: readonly unknown[] = Array.isArray(error.attributes["log"]) ? error.attributes["log"] : [];
  const time = Date.now();
  const jobLog = log.map((msg) => ({ time, level: "ERROR" as const, msg: String(msg).slice(0, 10_000) }));
  const stoppedMs = context.monotonicMs();
  return {
    ...observationOf({
      startedMs,
      stoppedMs,
      responseTimeMs: 0,
      outcome: "failed",
      failure: { code: "ESUITE", message: error.message, side: error.code === "unavailable" ? "agent" : "target" },
      result: { ...emptyResult(time), jobLog },
      files: [],
    }),
  };
}
