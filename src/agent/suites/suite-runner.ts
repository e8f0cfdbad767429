import { AppError } from "#domain/app-error.ts";
import { fittingResult } from "../playwright/fitting-result.ts";
import type { CheckRunner, Observation, RunContext } from "../runners/check-runner.ts";
import type { SuiteEngine, SuiteRun } from "./suite-engine.ts";
import { emptyResult } from "./suite-result.ts";
import { suiteTask } from "./suite-task.ts";

/** @param engine null where this agent runs no suites: each run then says what brings them */
export function createSuiteRunner(engine: SuiteEngine | null): CheckRunner<"PLAYWRIGHT"> {
  return {
    async run(settings, context) {
      if (engine === null)
        throw new AppError(
          "forbidden",
          "suites do not run at this agent: outpost doctor says what is missing, and SUITE_CONCURRENCY must not be 0",
        );
      const startedMs = context.monotonicMs();
      try {
        return observationOf(await engine.run(suiteTask(settings, context, engine), context));
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return notRun(error, startedMs, context);
      }
    },
  };
}

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
  return observationOf({
    startedMs,
    stoppedMs,
    responseTimeMs: 0,
    outcome: "failed",
    failure: { code: "ESUITE", message: error.message, side: error.code === "unavailable" ? "agent" : "target" },
    result: { ...emptyResult(time), jobLog },
    files: [],
  });
}
